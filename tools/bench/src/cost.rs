//! Cost of an operation in `DynamoDB`: calls, waves and units.

use std::sync::Arc;

use presence_local::connectors::count_waves;
pub(crate) use presence_runtime::telemetry::Cost;
use presence_store::meter::Meter;

/// Runs an operation in virtual time, and returns its output and its cost, whose waves are those of the longest chain of calls. The stores that the operation calls need the
/// [`WavesConnector`](presence_local::connectors::WavesConnector).
pub(crate) async fn measure_cost<F>(operation: F) -> (F::Output, Cost)
where
    F: Future<Output: Send> + Send + 'static,
{
    let meter = Arc::new(Meter::default());
    let metered = Arc::clone(&meter).watch(operation);
    let counted = tokio::task::spawn_blocking(move || count_waves(metered)).await;
    let (output, waves) = counted.expect("the operation does not panic");
    let spent = meter.cost();
    (output, Cost { calls: spent.calls, waves, read_units: spent.read_units, write_units: spent.write_units })
}
