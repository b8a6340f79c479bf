//! Limits while DynamoDB does not lease: requests pass.

use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, FaultKind, Plan, in_process_client, no_read_wait};
use rstest::rstest;
use serde_json::json;

use super::{exhaust, limited, start};

#[rstest]
#[case::throttled(FaultKind::Throttle)]
#[case::broken(FaultKind::ServerError)]
#[case::unreachable(FaultKind::RefuseConnection)]
#[tokio::test(flavor = "multi_thread")]
async fn requests_pass_without_a_lease_when_the_database_refuses_it(#[case] kind: FaultKind) {
    let faults = FaultConnector::new();
    let options = Options {
        rate_limit: presence_domain::rate_limit::RateLimit::new(5),
        http_client: Some(faults.over(in_process_client())),
        ..no_read_wait()
    };
    let (stack, fixtures) = start(options).await;
    let key = &fixtures.manager_1.key;
    assert_eq!(stack.get("/user/me", key).await.status, 200, "the hour of its use is recorded");
    faults.restart(Plan::Of { operation: "UpdateItem", call: 1, kind, times: u64::MAX });
    for _ in 0..10 {
        let reply = stack.get("/user/me", key).await;
        assert_eq!((reply.status, reply.header("ratelimit-policy")), (200, "\"key\";q=5;w=60"), "{}", reply.text);
    }
    let path = format!("/user/{}", fixtures.manager_1.id);
    assert_eq!(stack.post(&path, key, &json!({"phone": "1"})).await.status, 200, "writes pass, too");
    faults.restart(Plan::None);
    super::advance(&stack, 1_000);
    let (passed, _) = exhaust(&stack, key).await;
    assert!(passed <= 5, "the limit counts again: {passed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_reply_takes_tokens_and_gives_none() {
    let faults = FaultConnector::new();
    let options = Options { http_client: Some(faults.over(in_process_client())), ..limited(30) };
    let (stack, fixtures) = start(options).await;
    let key = &fixtures.manager_1.key;
    assert_eq!(stack.get("/user/me", key).await.status, 200);
    for call in 1..=20 {
        faults.restart(Plan::At { call, kind: FaultKind::LoseReply, times: 1 });
        if stack.get("/user/me", key).await.status == 429 {
            return;
        }
    }
    faults.restart(Plan::None);
    assert!(exhaust(&stack, key).await.0 <= 9, "no more than 30 in all");
}
