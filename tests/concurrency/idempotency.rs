//! Simultaneous requests with one idempotency key.

use std::collections::BTreeSet;

use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, PauseConnector, Plan, Reply, TestStack, address, in_process_client,
    long_timeouts, send, short_retries,
};
use rstest::rstest;
use serde_json::{Value, json};

use super::race_env::{ConflictMode, RaceEnv, count};
use super::rounds;

/// Simultaneous requests with one key.
const REQUESTS: usize = 20;
/// Maximum number of tries of a client that is told to wait.
const TRIES: usize = 60;

fn new_user(local: &str) -> Value {
    json!({"email": address(local), "first_name": "Ada", "last_name": "Lovelace", "status": "invited"})
}

/// Sends a request with an idempotency key.
async fn change(
    stack: &TestStack,
    key: &str,
    (method, path): (&str, &str),
    body: &Value,
    idempotency_key: &str,
) -> Reply {
    let request = stack.request(method, path).header("x-api-key", key).header("idempotency-key", idempotency_key);
    match body {
        Value::Null => send(request).await,
        body => send(request.header("content-type", "application/json").body(body.to_string())).await,
    }
}

/// Sends a request until its answer is neither 409 nor 503, which say when to try again.
async fn until_answered(
    stack: &TestStack,
    key: &str,
    call: (&str, &str),
    body: &Value,
    idempotency_key: &str,
) -> Reply {
    for _ in 0..TRIES {
        let reply = change(stack, key, call, body, idempotency_key).await;
        if ![409, 503].contains(&reply.status) {
            return reply;
        }
        assert_eq!(reply.header("retry-after"), "1", "{}", reply.text);
    }
    panic!("no answer in {TRIES} tries");
}

/// Asserts that each answer is the same 200, and that one of them is the first.
#[track_caller]
fn assert_one_answer(replies: &[Reply], what: &str) {
    assert_eq!(count(replies, 200), replies.len(), "{what}: {replies:?}");
    let texts: BTreeSet<_> = replies.iter().map(|reply| reply.text.as_str()).collect();
    assert_eq!(texts.len(), 1, "{what}: {texts:?}");
    let first = replies.iter().filter(|reply| reply.header("idempotency-replayed").is_empty()).count();
    assert!(first <= 1, "{what}: {first} first answers");
}

#[rstest]
#[case::serialized(ConflictMode::Serialize)]
#[case::conflicts(ConflictMode::Cancel)]
#[tokio::test(flavor = "multi_thread")]
async fn twenty_simultaneous_requests_with_one_key_have_one_effect_and_one_answer(#[case] mode: ConflictMode) {
    let env = RaceEnv::in_mode(mode).await;
    let (stack, key) = (&env.stack, &env.fixtures.admin_1.key);
    let before = env.users().await;
    for round in 0..rounds() / 4 {
        let (local, idempotency_key) = (format!("once-{round}"), format!("key-{round}"));
        let body = new_user(&local);
        let create = || until_answered(stack, key, ("POST", "/user"), &body, &idempotency_key);
        let created = futures::future::join_all((0..REQUESTS).map(|_| create())).await;
        assert_one_answer(&created, "create");
        let id = env.holder(&address(&local)).await.expect("a user");
        assert_eq!(created[0].json()["id"], json!(id));
        assert_eq!(stack.stored(&id).await.expect("a user").mails.len(), 1);

        let path = format!("/user/{id}");
        let phone = json!({"phone": "+33 4"});
        for (method, body) in [("POST", &phone), ("DELETE", &Value::Null)] {
            let send = || until_answered(stack, key, (method, &path), body, &idempotency_key);
            let replies = futures::future::join_all((0..REQUESTS).map(|_| send())).await;
            assert_one_answer(&replies, method);
        }
        assert_eq!(stack.records_of(&id).await.len(), 3, "each change is recorded once");
        env.check().await;
    }
    assert_eq!(env.users().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_bodies_with_one_key_one_has_an_effect_and_the_other_is_422() {
    let env = RaceEnv::in_mode(ConflictMode::Cancel).await;
    let (stack, key) = (&env.stack, &env.fixtures.admin_1.key);
    for round in 0..rounds() {
        let bodies: Vec<_> = (0..4).map(|number| new_user(&format!("either-{round}-{number}"))).collect();
        let idempotency_key = format!("key-{round}");
        let create = |body| until_answered(stack, key, ("POST", "/user"), body, &idempotency_key);
        let replies = futures::future::join_all(bodies.iter().map(create)).await;
        assert_eq!((count(&replies, 200), count(&replies, 422)), (1, 3), "{replies:?}");
        env.check().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_repetition_comes_before_it_gets_the_answer_of_the_repetition() {
    let pause = PauseConnector::new();
    let options = Options { http_client: Some(pause.over(in_process_client())), ..long_timeouts() };
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    let body = new_user("once");
    let create = || change(&stack, &fixtures.admin_1.key, ("POST", "/user"), &body, "k");
    pause.arm();
    let first = async { create().await };
    let second = async {
        pause.paused().await;
        let reply = create().await;
        pause.resume();
        reply
    };
    let (first, second) = tokio::join!(first, second);
    assert_one_answer(&[first.clone(), second.clone()], "both");
    assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), ("true", ""));
    assert_eq!(stack.records_of(second.json()["id"].as_str().expect("an id")).await.len(), 1);
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_transaction_of_the_first_request_is_under_way_the_second_one_is_409_with_retry_after() {
    let pause = PauseConnector::new();
    let faults = FaultConnector::new();
    let http_client = Some(faults.over(pause.over(in_process_client())));
    let stack = TestStack::with(Options { http_client, ..short_retries() }).await;
    let fixtures = Fixtures::create(&stack).await;
    let body = new_user("once");
    let create = || change(&stack, &fixtures.admin_1.key, ("POST", "/user"), &body, "k");
    pause.arm();
    let first = async { create().await };
    let second = async {
        pause.paused().await;
        // The first transaction holds all items of the second one.
        faults.set_plan(Plan::EveryAttempt(FaultKind::TransactionConflict));
        let reply = create().await;
        faults.set_plan(Plan::None);
        pause.resume();
        reply
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.status, first.header("idempotency-replayed")), (200, ""), "{}", first.text);
    let text = "a request with this Idempotency-Key is under way: try again";
    assert_eq!((second.status, second.header("retry-after")), (409, "1"), "{}", second.text);
    assert_eq!(second.json(), json!({"errors": {"json": text}}));
    let third = create().await;
    assert_eq!((third.status, third.header("idempotency-replayed"), &third.text), (200, "true", &first.text));
    assert_eq!(stack.audit().await, []);
}
