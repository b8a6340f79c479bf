//! Imports over a slow line, in virtual time: the writers of one process take no lane from each other.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use presence_local::connectors::{Answer, Next, WavesConnector, count_waves};
use presence_ops::Exit;
use presence_runtime::clock::SystemClock;
use presence_store::Stores;
use presence_tests::ops::import;
use presence_tests::{ConnectorLayer, in_process_client, operation_of};
use tokio::runtime::Runtime;

use super::import_env::{ImportEnv, rows_of, store_with_long_timeouts};

/// Number of rows of each import: some for each lane of the organisation.
const ROWS: usize = 400;

/// Connector that counts the write transactions that are refused: another one was first.
#[derive(Clone, Default)]
struct LossesConnector(Arc<AtomicUsize>);

impl ConnectorLayer for LossesConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let is_transaction = operation_of(&request) == "TransactWriteItems";
        let answer = next.call(request).await?;
        self.0.fetch_add(usize::from(is_transaction && !answer.status().is_success()), Ordering::Relaxed);
        Ok(answer)
    }
}

/// Imports the reviews of two businesses of one organisation at once, by one process or two. Returns the number of lost transactions.
fn lost_transactions(is_one_process: bool) -> usize {
    let real_time = Runtime::new().expect("a runtime can be started");
    let env = real_time.block_on(ImportEnv::new());
    let losses = LossesConnector::default();
    let store = store_with_long_timeouts(&env.stack, losses.over(WavesConnector.over(in_process_client())));
    let other = if is_one_process { store.clone() } else { Stores::new(store.database.clone()) };
    let files = [rows_of(&["s1"], ROWS, 0), rows_of(&["s2"], ROWS, 0)];
    let clock = Arc::new(SystemClock);
    let ((one, two), _) = count_waves(async {
        let one = import(&store, clock.clone(), "reviews", &files[0]);
        futures::join!(one, import(&other, clock.clone(), "reviews", &files[1]))
    });
    for imported in [one, two] {
        assert_eq!(imported.expect(Exit::Done).json()["created"], ROWS);
    }
    assert_eq!(real_time.block_on(env.audit()), []);
    losses.0.load(Ordering::Relaxed)
}

#[test]
fn writers_over_a_slow_line_lose_transactions_to_other_processes_alone() {
    assert_eq!(lost_transactions(true), 0);
    assert!(lost_transactions(false) > 0, "the imports meet in the lanes");
}
