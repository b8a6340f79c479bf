//! Count of the DynamoDB calls and capacity units of a request.

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
use aws_sdk_dynamodb::operation::transact_write_items::{TransactWriteItemsInput, TransactWriteItemsOutput};
use aws_sdk_dynamodb::operation::update_item::{UpdateItemInput, UpdateItemOutput};
use aws_sdk_dynamodb::types::{ConsumedCapacity, ReturnConsumedCapacity};

pub use presence_runtime::telemetry::Cost;

/// Adds up the [`Cost`] of the calls made inside [`Meter::watch`].
#[derive(Debug, Default)]
pub struct Meter(Mutex<Cost>);

tokio::task_local! {
    static METER: Arc<Meter>;
}

impl Meter {
    /// Runs a future and counts its calls.
    pub async fn watch<F: Future>(self: Arc<Self>, future: F) -> F::Output {
        METER.scope(self, future).await
    }

    /// Returns the cost up to now.
    #[must_use]
    pub fn cost(&self) -> Cost {
        *self.counts()
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, Cost> {
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
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let _ = METER.try_with(|meter| meter.counts().calls += 1);
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
        let _ = METER.try_with(|meter| {
            let mut cost = meter.counts();
            cost.read_units += read;
            cost.write_units += write;
        });
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
    } else if let Some(update) = output.downcast_ref::<UpdateItemOutput>() {
        (0.0, sum(update.consumed_capacity()))
    } else {
        (0.0, 0.0)
    }
}

fn sum<'a>(capacities: impl IntoIterator<Item = &'a ConsumedCapacity>) -> f64 {
    capacities.into_iter().filter_map(ConsumedCapacity::capacity_units).sum()
}
