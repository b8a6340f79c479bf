//! Import over a slow line, in virtual time: its own writers take no lane from each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use presence_local::connectors::{Answer, Next, WavesConnector, count_waves};
use presence_ops::Exit;
use presence_runtime::clock::SystemClock;
use presence_tests::ops::import;
use presence_tests::{ConnectorLayer, in_process_client};
use tokio::runtime::Runtime;

use super::import_env::{ImportEnv, rows, store_with_long_timeouts};

/// Number of rows: each of the 16 workers has transactions for the same lanes.
const ROWS: usize = 2_400;

/// Connector that counts the answers that refuse a call, such as a transaction that another one beat.
#[derive(Clone, Default)]
struct RefusalsConnector(Arc<AtomicUsize>);

impl ConnectorLayer for RefusalsConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let answer = next.call(request).await?;
        self.0.fetch_add(usize::from(!answer.status().is_success()), Ordering::Relaxed);
        Ok(answer)
    }
}

#[test]
fn import_over_a_slow_line_loses_no_transaction_to_its_own_writers() {
    let real_time = Runtime::new().expect("a runtime can be started");
    let env = real_time.block_on(ImportEnv::new());
    let refusals = RefusalsConnector::default();
    let store = store_with_long_timeouts(&env.stack, refusals.over(WavesConnector.over(in_process_client())));
    let (imported, _) = count_waves(import(&store, Arc::new(SystemClock), "reviews", &rows(ROWS, 0)));
    assert_eq!(imported.expect(Exit::Done).json()["created"], ROWS);
    assert_eq!(refusals.0.load(Ordering::Relaxed), 0, "transactions were lost");
    assert_eq!(real_time.block_on(env.audit()), []);
}
