//! Count of the DynamoDB calls, round trips and capacity units of a request.
//!
//! A request waits for each of its round trips. A call belongs to the round trip after the last one of which a call had ended when it
//! started. So calls side by side share a round trip, and a chain of calls has one for each. It is a
//! measurement: of two calls that could share a round trip, the second one may start late. The log calls the number `waves`.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::interceptors::{
    BeforeSerializationInterceptorContextMut, BeforeSerializationInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::{BatchGetItemInput, BatchGetItemOutput};
use aws_sdk_dynamodb::operation::delete_item::{DeleteItemInput, DeleteItemOutput};
use aws_sdk_dynamodb::operation::get_item::{GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::query::{QueryInput, QueryOutput};
use aws_sdk_dynamodb::operation::scan::{ScanInput, ScanOutput};
use aws_sdk_dynamodb::operation::transact_get_items::{TransactGetItemsInput, TransactGetItemsOutput};
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsInput, TransactWriteItemsOutput};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};

use aws_smithy_types::config_bag::{Storable, StoreReplace};

pub use presence_runtime::telemetry::Cost;

/// Adds up the [`Cost`] of the calls made inside [`Meter::watch`].
#[derive(Debug, Default)]
pub struct Meter(Mutex<Counts>);

/// Counts up to now.
#[derive(Debug, Default)]
struct Counts {
    cost: Cost,
    /// Last round trip of which a call has ended.
    ended_wave: u32,
}

/// Round trip of a call in progress.
#[derive(Clone, Copy, Debug)]
struct Wave(u32);

impl Storable for Wave {
    type Storer = StoreReplace<Self>;
}

tokio::task_local! {
    static METER: Arc<Meter>;
}

/// Runs a future. Returns its output and what its calls cost.
pub async fn measured<F: Future>(future: F) -> (F::Output, Cost) {
    let meter = Arc::new(Meter::default());
    (Arc::clone(&meter).watch(future).await, meter.cost())
}

impl Meter {
    /// Runs a future and counts its calls.
    pub async fn watch<F: Future>(self: Arc<Self>, future: F) -> F::Output {
        METER.scope(self, future).await
    }

    /// Returns the cost up to now.
    pub fn cost(&self) -> Cost {
        self.counts().cost
    }

    /// Counts a call that starts. Returns its round trip.
    fn start_call(&self) -> Wave {
        let mut counts = self.counts();
        let wave = counts.ended_wave + 1;
        counts.cost.calls += 1;
        counts.cost.waves = counts.cost.waves.max(wave);
        Wave(wave)
    }

    /// Counts the units of a call that has ended.
    fn end_call(&self, wave: Option<Wave>, (read_units, write_units): (f64, f64)) {
        let mut counts = self.counts();
        counts.cost.read_units += read_units;
        counts.cost.write_units += write_units;
        counts.ended_wave = counts.ended_wave.max(wave.map_or(0, |Wave(number)| number));
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Interceptor that feeds the [`Meter`]: it asks DynamoDB for the capacity of every call.
#[derive(Debug)]
pub(crate) struct MeterInterceptor;

type Output = aws_smithy_runtime_api::client::interceptors::context::Output;

impl Intercept for MeterInterceptor {
    fn name(&self) -> &'static str {
        "Meter"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let _ = METER.try_with(|meter| bag.interceptor_state().store_put(meter.start_call()));
        Ok(())
    }

    fn modify_before_serialization(
        &self,
        context: &mut BeforeSerializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let input = context.input_mut();
        let total = Some(ReturnConsumedCapacity::Total);
        if let Some(get) = input.downcast_mut::<GetItemInput>() {
            get.return_consumed_capacity = total;
        } else if let Some(query) = input.downcast_mut::<QueryInput>() {
            query.return_consumed_capacity = total;
        } else if let Some(batch) = input.downcast_mut::<BatchGetItemInput>() {
            batch.return_consumed_capacity = total;
        } else if let Some(scan) = input.downcast_mut::<ScanInput>() {
            scan.return_consumed_capacity = total;
        } else if let Some(put) = input.downcast_mut::<PutItemInput>() {
            put.return_consumed_capacity = total;
        } else if let Some(delete) = input.downcast_mut::<DeleteItemInput>() {
            delete.return_consumed_capacity = total;
        } else if let Some(transaction) = input.downcast_mut::<TransactWriteItemsInput>() {
            transaction.return_consumed_capacity = total;
        } else if let Some(transaction) = input.downcast_mut::<TransactGetItemsInput>() {
            transaction.return_consumed_capacity = total;
        } else if let Some(update) = input.downcast_mut::<UpdateItemInput>() {
            update.return_consumed_capacity = total;
        }
        Ok(())
    }

    fn read_after_execution(
        &self,
        context: &FinalizerInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        bag: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let spent = context.output_or_error().and_then(Result::ok).map_or((0.0, 0.0), units);
        let _ = METER.try_with(|meter| meter.end_call(bag.load::<Wave>().copied(), spent));
        Ok(())
    }
}

/// Returns the read and write units of an answer.
fn units(output: &Output) -> (f64, f64) {
    if let Some(get) = output.downcast_ref::<GetItemOutput>() {
        (sum(get.consumed_capacity()), 0.0)
    } else if let Some(query) = output.downcast_ref::<QueryOutput>() {
        (sum(query.consumed_capacity()), 0.0)
    } else if let Some(batch) = output.downcast_ref::<BatchGetItemOutput>() {
        (sum(batch.consumed_capacity()), 0.0)
    } else if let Some(scan) = output.downcast_ref::<ScanOutput>() {
        (sum(scan.consumed_capacity()), 0.0)
    } else if let Some(put) = output.downcast_ref::<PutItemOutput>() {
        (0.0, sum(put.consumed_capacity()))
    } else if let Some(delete) = output.downcast_ref::<DeleteItemOutput>() {
        (0.0, sum(delete.consumed_capacity()))
    } else if let Some(transaction) = output.downcast_ref::<TransactWriteItemsOutput>() {
        (0.0, sum(transaction.consumed_capacity()))
    } else if let Some(transaction) = output.downcast_ref::<TransactGetItemsOutput>() {
        (sum(transaction.consumed_capacity()), 0.0)
    } else if let Some(update) = output.downcast_ref::<UpdateItemOutput>() {
        (0.0, sum(update.consumed_capacity()))
    } else {
        (0.0, 0.0)
    }
}

fn sum<'a>(capacities: impl IntoIterator<Item = &'a ConsumedCapacity>) -> f64 {
    capacities.into_iter().filter_map(ConsumedCapacity::capacity_units).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_belongs_to_the_wave_after_those_that_have_ended() {
        let meter = Meter::default();
        let (key, operation) = (meter.start_call(), meter.start_call());
        meter.end_call(Some(operation), (1.0, 0.0));
        let second = meter.start_call();
        // The slow first call starts no other round trip, whenever it ends.
        meter.end_call(Some(key), (1.0, 0.0));
        meter.end_call(Some(second), (0.5, 2.0));
        assert_eq!(meter.cost(), Cost { calls: 3, waves: 2, read_units: 2.5, write_units: 2.0 });
        meter.start_call();
        assert_eq!(meter.cost().waves, 3);
    }
}
