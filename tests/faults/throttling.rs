//! Throttling by `DynamoDB`: writes and batches are retried until the deadline, and only then answered 503.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    AttemptOutcome, FaultConnector, FaultKind, Fixtures, Plan, TestStack, address, in_process_client, long_timeouts,
    send,
};
use serde_json::json;

/// Number of users that are created, as in a trial in which 14 throttles caused 14 answers of 503.
const CREATES: usize = 60;
/// Minimum number of throttles.
const THROTTLES: usize = 14;
/// Number of faults in a row. Reads between the attempts of a transaction count too.
const IN_A_ROW: u64 = 12;
/// Former maximum of attempts of a transaction or a batch.
const FORMER_ATTEMPTS: u64 = 6;
/// Timeout of a function that reaches its deadline. It reserves 300 ms for the answer.
const SHORT_TIMEOUT: Duration = Duration::from_millis(1_500);

async fn stack(options: Options) -> (TestStack, FaultConnector, Fixtures) {
    let faults = FaultConnector::new();
    let stack = TestStack::with(Options { http_client: Some(faults.over(in_process_client())), ..options }).await;
    let fixtures = Fixtures::create(&stack).await;
    (stack, faults, fixtures)
}

async fn create(stack: &TestStack, fixtures: &Fixtures, local: &str) -> (u16, String) {
    let body = json!({"email": address(local), "first_name": "Ada", "last_name": "L", "status": "invited"});
    let reply = stack.post("/user", &fixtures.admin_1.key, &body).await;
    (reply.status, reply.text)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_create_with_throttled_transactions_succeeds() {
    let (stack, faults, fixtures) = stack(long_timeouts()).await;
    for kind in [FaultKind::TransactionThrottle, FaultKind::TransactionInProgress] {
        faults.restart(Plan::Seeded { seed: 14, percent: 35, kinds: vec![kind] });
        let number = AtomicUsize::new(0);
        let creates = (0..CREATES).map(|_| async {
            create(&stack, &fixtures, &format!("{kind:?}-{}", number.fetch_add(1, Ordering::Relaxed))).await
        });
        let replies: Vec<_> = stream::iter(creates).buffer_unordered(8).collect().await;
        let refused: Vec<_> = replies.iter().filter(|(status, _)| *status != 200).collect();
        assert!(refused.is_empty(), "{kind:?}: {} of {CREATES} failed: {:?}", refused.len(), refused[0]);
        let broken = faults.observed().iter().filter(|attempt| attempt.outcome == AttemptOutcome::Broken(kind)).count();
        assert!(broken >= THROTTLES, "{kind:?}: only {broken} were throttled");
    }
    faults.set_plan(Plan::None);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn transaction_that_is_refused_many_times_is_applied_once() {
    use FaultKind::{Throttle, TransactionConflict, TransactionInProgress, TransactionThrottle};
    let (stack, faults, fixtures) = stack(long_timeouts()).await;
    create(&stack, &fixtures, "first in the hour").await;
    for kind in [TransactionThrottle, TransactionConflict, TransactionInProgress, Throttle] {
        // Calls: the key, and then the transaction.
        faults.restart(Plan::At { call: 2, kind, times: IN_A_ROW });
        let (status, text) = create(&stack, &fixtures, &format!("often-{kind:?}")).await;
        assert_eq!(status, 200, "{kind:?}: {text}");
        let broken = faults.observed().iter().filter(|attempt| attempt.outcome == AttemptOutcome::Broken(kind)).count();
        assert!(broken as u64 >= FORMER_ATTEMPTS, "{kind:?}: {broken}");
    }
    faults.set_plan(Plan::None);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_to_a_request_that_changes_nothing_is_kept_in_the_end() {
    let (stack, faults, fixtures) = stack(long_timeouts()).await;
    faults.restart(Plan::Of { operation: "PutItem", call: 1, kind: FaultKind::Throttle, times: IN_A_ROW });
    let request =
        stack.request("POST", &format!("/user/{}", fixtures.manager_1.id)).header("content-type", "application/json");
    let request = request.header("x-api-key", &fixtures.admin_1.key).header("idempotency-key", "once").body("{}");
    let reply = send(request).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let throttled = AttemptOutcome::Broken(FaultKind::Throttle);
    assert_eq!(faults.observed().iter().filter(|attempt| attempt.outcome == throttled).count() as u64, IN_A_ROW);
}

#[tokio::test(flavor = "multi_thread")]
async fn unprocessed_keys_of_a_batch_are_read_in_the_end() {
    let (stack, faults, fixtures) = stack(long_timeouts()).await;
    let body =
        json!({"email": address("batch"), "first_name": "Ada", "last_name": "L", "business_ids": ["b1-1", "b1-2"]});
    create(&stack, &fixtures, "first in the hour").await;
    let kind = FaultKind::UnprocessedKeys;
    faults.restart(Plan::Of { operation: "BatchGetItem", call: 1, kind, times: IN_A_ROW });
    let reply = stack.post("/user", &fixtures.admin_1.key, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let unread = AttemptOutcome::Broken(kind);
    assert!(faults.observed().iter().filter(|attempt| attempt.outcome == unread).count() as u64 > FORMER_ATTEMPTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn create_that_is_throttled_until_the_deadline_is_answered_503_and_writes_nothing() {
    use FaultKind::{Throttle, TransactionInProgress, TransactionThrottle, UnprocessedKeys};
    let (stack, faults, fixtures) = stack(Options { function_timeout: SHORT_TIMEOUT, ..long_timeouts() }).await;
    let before = stack.snapshot().await;
    for kind in [TransactionThrottle, TransactionInProgress, UnprocessedKeys, Throttle] {
        faults.restart(Plan::EveryAttempt(kind));
        let body = json!({"email": address("never"), "first_name": "A", "last_name": "L", "business_ids": ["b1-1"]});
        let reply = stack.post("/user", &fixtures.admin_1.key, &body).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "1"), "{kind:?}: {}", reply.text);
        assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}), "{kind:?}");
    }
    faults.set_plan(Plan::None);
    assert_eq!(stack.snapshot().await, before);
}
