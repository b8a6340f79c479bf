//! Counts what a request costs: DynamoDB calls, waves and capacity units.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::interceptors::{
    BeforeSerializationInterceptorContextMut, BeforeSerializationInterceptorContextRef, FinalizerInterceptorContextRef,
};
use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_sdk_dynamodb::operation::batch_get_item::{BatchGetItemInput, BatchGetItemOutput};
use aws_sdk_dynamodb::operation::get_item::{GetItemInput, GetItemOutput};
use aws_sdk_dynamodb::operation::put_item::{PutItemInput, PutItemOutput};
use aws_sdk_dynamodb::operation::query::{QueryInput, QueryOutput};
use aws_sdk_dynamodb::operation::scan::{ScanInput, ScanOutput};
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsInput, TransactWriteItemsOutput};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Operations sent to DynamoDB; the SDK's own retries of one are not counted apart.
    pub calls: u32,
    /// Groups of calls that ran side by side: what latency is proportional to.
    pub waves: u32,
    /// Read request units.
    pub read_units: f64,
    /// Write request units.
    pub write_units: f64,
}

/// Adds up the [`Cost`] of the calls made inside [`Meter::watch`].
#[derive(Debug, Default)]
pub struct Meter(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    cost: Cost,
    in_flight: u32,
    /// While calls are begun that belong together: whether one of them was.
    together: Option<bool>,
}

tokio::task_local! {
    static METER: Arc<Meter>;
}

impl Meter {
    /// Runs the future with this meter watching.
    pub async fn watch<F: Future>(self: Arc<Self>, future: F) -> F::Output {
        METER.scope(self, future).await
    }

    /// What was spent up to now.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.counts().cost
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call_begins(&self) {
        let mut counts = self.counts();
        counts.cost.calls += 1;
        let opens_a_wave = match &mut counts.together {
            None => counts.in_flight == 0,
            Some(is_begun) => !std::mem::replace(is_begun, true),
        };
        counts.cost.waves += u32::from(opens_a_wave);
        counts.in_flight += 1;
    }

    fn call_ends(&self, read_units: f64, write_units: f64) {
        let mut counts = self.counts();
        counts.in_flight = counts.in_flight.saturating_sub(1);
        counts.cost.read_units += read_units;
        counts.cost.write_units += write_units;
    }
}

/// Runs a future that begins independent calls when it is first polled: they count as one wave, even where the thread is
/// put aside for so long that the first of them ends before the next begins.
pub(crate) async fn side_by_side<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    let mut is_begun = false;
    let together = |together| {
        let _ = METER.try_with(|meter| meter.counts().together = together);
    };
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut is_begun, true) {
            return future.as_mut().poll(context);
        }
        together(Some(false));
        let polled = future.as_mut().poll(context);
        together(None);
        polled
    })
    .await
}

/// The interceptor that feeds the [`Meter`]: it asks DynamoDB for the capacity of every call.
#[derive(Debug)]
pub(super) struct MeterInterceptor;

type Output = aws_smithy_runtime_api::client::interceptors::context::Output;

impl Intercept for MeterInterceptor {
    fn name(&self) -> &'static str {
        "Meter"
    }

    fn read_before_execution(
        &self,
        _: &BeforeSerializationInterceptorContextRef<'_>,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let _ = METER.try_with(|meter| meter.call_begins());
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
        } else if let Some(transaction) = input.downcast_mut::<TransactWriteItemsInput>() {
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
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let (read, write) = context.output_or_error().and_then(Result::ok).map_or((0.0, 0.0), units);
        let _ = METER.try_with(|meter| meter.call_ends(read, write));
        Ok(())
    }
}

/// Read and write units of an answer.
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
    } else if let Some(transaction) = output.downcast_ref::<TransactWriteItemsOutput>() {
        (0.0, sum(transaction.consumed_capacity()))
    } else if let Some(update) = output.downcast_ref::<UpdateItemOutput>() {
        (0.0, sum(update.consumed_capacity()))
    } else {
        (0.0, 0.0)
    }
}

fn sum<'a>(capacities: impl IntoIterator<Item = &'a ConsumedCapacity>) -> f64 {
    capacities.into_iter().filter_map(ConsumedCapacity::capacity_units).sum()
}
