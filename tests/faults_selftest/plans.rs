//! Plans of faults: the attempts that they break, and the record of them.

use std::time::Duration;

use aws_sdk_dynamodb::config::retry::RetryConfig;
use presence_tests::ConnectorLayer as _;
use presence_tests::{AttemptOutcome, FaultConnector, FaultKind, Plan, in_process_client};

use super::database::{Embedded, TABLE, exists, get, put, put_action};

const REFUSE: FaultKind = FaultKind::RefuseConnection;

/// The numbers of the broken ones among `count` reads.
async fn broken_of(embedded: &Embedded, plan: Plan, count: u64) -> Vec<u64> {
    let faults = FaultConnector::new();
    faults.restart(plan);
    let client = embedded.client(faults.over(in_process_client()));
    for _ in 0..count {
        // Whether it fails is what the record is asked for.
        let _ = get(&client, "a").send().await;
    }
    let broken = |outcome: &AttemptOutcome| matches!(outcome, AttemptOutcome::Broken(_));
    faults.observed().iter().filter(|attempt| broken(&attempt.outcome)).map(|attempt| attempt.number).collect()
}

#[tokio::test]
async fn plan_breaks_the_attempts_that_it_names() {
    let embedded = Embedded::start().await;
    let at = |call, times| Plan::At { call, kind: REFUSE, times };
    let seeded = |percent| Plan::Seeded { seed: 1, percent, kinds: vec![REFUSE] };
    for (plan, broken) in [
        (at(2, 1), vec![2]),
        (at(2, 3), vec![2, 3, 4]),
        (at(4, u64::MAX), vec![4, 5]),
        (Plan::None, vec![]),
        (Plan::EveryAttempt(REFUSE), vec![1, 2, 3, 4, 5]),
        (seeded(0), vec![]),
        (seeded(100), vec![1, 2, 3, 4, 5]),
    ] {
        assert_eq!(broken_of(&embedded, plan.clone(), 5).await, broken, "{plan:?}");
    }
}

#[tokio::test]
async fn same_seed_breaks_the_same_attempts_and_another_seed_others() {
    let embedded = Embedded::start().await;
    let plan = |seed| Plan::Seeded { seed, percent: 50, kinds: vec![REFUSE, FaultKind::Throttle] };
    let first = broken_of(&embedded, plan(1), 40).await;
    assert_eq!(first, broken_of(&embedded, plan(1), 40).await);
    assert_ne!(first, broken_of(&embedded, plan(2), 40).await);
    assert!((10..=30).contains(&first.len()), "about half of 40: {first:?}");
}

#[tokio::test]
async fn retries_of_the_client_count_as_attempts_and_get_past_a_lost_reply() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    faults.set_plan(Plan::At { call: 1, kind: FaultKind::LoseReply, times: 1 });
    let retry = RetryConfig::standard().with_initial_backoff(Duration::from_millis(1));
    let client = embedded.client_with(faults.over(in_process_client()), retry, Duration::from_mins(1));
    put(&client, "a").send().await.expect("the second attempt succeeds");
    assert_eq!(faults.attempts(), 2);
    assert!(exists(&embedded, "a").await);
}

#[tokio::test]
async fn plan_swapped_while_running_holds_from_the_next_attempt_on() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    let client = embedded.client(faults.over(in_process_client()));
    get(&client, "a").send().await.expect("nothing is broken yet");
    faults.set_plan(Plan::EveryAttempt(REFUSE));
    get(&client, "a").send().await.expect_err("everything is broken now");
    faults.restart(Plan::None);
    assert_eq!(faults.attempts(), 0);
    get(&client, "a").send().await.expect("nothing is broken any more");
    assert_eq!(faults.observed()[0].number, 1);
}

#[tokio::test]
async fn record_names_operation_tables_and_request_of_each_attempt() {
    let embedded = Embedded::start().await;
    let faults = FaultConnector::new();
    let client = embedded.client(faults.over(in_process_client()));
    put(&client, "a").send().await.expect("a put");
    let actions = ["b", "c"].map(put_action).to_vec();
    client.transact_write_items().set_transact_items(Some(actions)).send().await.expect("a transaction");
    let observed = faults.observed();
    let operations: Vec<&str> = observed.iter().map(|attempt| attempt.operation.as_str()).collect();
    assert_eq!(operations, ["PutItem", "TransactWriteItems"]);
    assert!(observed.iter().all(|attempt| attempt.tables == [TABLE] && attempt.outcome == AttemptOutcome::Passed));
    assert_eq!(observed[0].request["Item"]["pk"]["S"], "a");
    assert_eq!(observed[1].request["TransactItems"][1]["Put"]["Item"]["pk"]["S"], "c");
}

#[tokio::test]
async fn debug_text_of_the_connector_shows_no_request() {
    let embedded = Embedded::start().await;
    let http = FaultConnector::new().over(in_process_client());
    put(&embedded.client(http.clone()), "canary").send().await.expect("a put");
    assert!(!format!("{http:?}").contains("canary"));
}
