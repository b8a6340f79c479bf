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
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use presence_domain::error::Error;
pub use presence_runtime::telemetry::Cost;

/// Adds up the [`Cost`] of the calls made inside [`Meter::watch`].
#[derive(Debug, Default)]
pub struct Meter(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    cost: Cost,
    /// Calls that the next one has to wait for, one after another.
    depth: u32,
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
        counts.depth += 1;
        counts.cost.waves = counts.cost.waves.max(counts.depth);
    }

    fn call_ends(&self, read_units: f64, write_units: f64) {
        let mut counts = self.counts();
        counts.cost.read_units += read_units;
        counts.cost.write_units += write_units;
    }
}

/// One of several futures that are polled together: its calls wait for those that were made before this, and not for those
/// of the others. Without it the meter takes the calls of a task to be made one after another.
pub fn beside<F: Future>(future: F) -> impl Future<Output = F::Output> {
    after(0, future)
}

/// The same, with so many more calls to wait for.
pub(crate) fn after<F: Future>(calls: u32, future: F) -> impl Future<Output = F::Output> {
    let depth = METER.try_with(|meter| meter.counts().depth).unwrap_or_default();
    at_depth(depth + calls, future)
}

async fn at_depth<F: Future>(mut depth: u32, future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(move |context| {
        let outer = replace_depth(|_| depth);
        let polled = future.as_mut().poll(context);
        depth = replace_depth(|own| if polled.is_ready() { outer.max(own) } else { outer });
        polled
    })
    .await
}

/// Sets the depth of the meter that watches, and gives the one that it had.
fn replace_depth(new: impl FnOnce(u32) -> u32) -> u32 {
    let replace = |meter: &Arc<Meter>| {
        let mut counts = meter.counts();
        let new = new(counts.depth);
        std::mem::replace(&mut counts.depth, new)
    };
    METER.try_with(replace).unwrap_or_default()
}

/// Reads side by side, at most `in_flight` at a time, the results in order; what must wait for a place in flight is a wave
/// later. The iterator is used up at once: a future that held its closures would not be `Send` in the compiler's eyes.
pub(crate) fn side_by_side<T, F>(
    in_flight: u16,
    reads: impl IntoIterator<Item = F>,
) -> impl Future<Output = Result<Vec<T>, Error>>
where
    F: Future<Output = Result<T, Error>>,
{
    let waves = (0..).flat_map(|wave| std::iter::repeat_n(wave, usize::from(in_flight)));
    let reads: Vec<_> = waves.zip(reads).map(|(wave, read)| after(wave, read)).collect();
    stream::iter(reads).buffered(usize::from(in_flight)).try_collect()
}

/// The interceptor that feeds the [`Meter`]: it asks DynamoDB for the capacity of every call.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A call that takes so many polls.
    async fn call(polls: usize) {
        METER.with(|meter| meter.call_begins());
        for _ in 0..polls {
            tokio::task::yield_now().await;
        }
    }

    async fn chain(polls: &[usize]) {
        for polls in polls {
            call(*polls).await;
        }
    }

    #[tokio::test]
    async fn waves_are_the_longest_chain_however_long_each_call_takes() {
        for (one, other) in [(1, 9), (9, 1), (0, 0), (5, 5)] {
            let meter = Arc::new(Meter::default());
            let (short, long) = ([one], [other, one]);
            let work = async {
                call(1).await;
                futures::join!(beside(chain(&short)), beside(chain(&long)), beside(async {}));
                call(1).await;
                let nested = async {
                    futures::join!(beside(call(one)), beside(call(other)));
                    call(one).await;
                };
                futures::join!(beside(nested), beside(call(other)));
            };
            Arc::clone(&meter).watch(work).await;
            let cost = meter.cost();
            assert_eq!((cost.calls, cost.waves), (9, 1 + 2 + 1 + 2), "{one} and {other} polls");
        }
    }
}
