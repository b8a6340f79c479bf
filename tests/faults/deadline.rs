//! Deadline of an invocation: the function answers before it, and never reports a success after it.

use std::time::Duration;

use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    AnyRoute, FaultConnector, FaultKind, Fixtures, Plan, Reply, TestStack, address, in_process_client, long_timeouts,
    path_of, routes, send, short_timeouts,
};
use serde_json::{Value, json};

/// Timeout of the functions. They reserve 300 ms of it for the answer.
const TIMEOUT: Duration = Duration::from_millis(1500);
/// Maximum number of tries. On a busy machine, a deadline may come before the call that is tested.
const TRIES: usize = 40;

async fn stack() -> (TestStack, FaultConnector, Fixtures) {
    let faults = FaultConnector::new();
    let http_client = Some(faults.over(in_process_client()));
    let stack = TestStack::with(Options { http_client, function_timeout: TIMEOUT, ..long_timeouts() }).await;
    let fixtures = Fixtures::create(&stack).await;
    (stack, faults, fixtures)
}

fn assert_unavailable(reply: &Reply, what: &str) {
    assert_eq!(reply.status, 503, "{what}: {}", reply.text);
    assert_eq!(reply.header("retry-after"), "1", "{what}");
    // The answer of the gateway for a late function has another body and no id.
    assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}), "{what}");
    assert!(!reply.header("x-request-id").is_empty(), "{what}");
}

/// Makes a request of the route that its caller may make.
async fn call(stack: &TestStack, fixtures: &Fixtures, route: &AnyRoute) -> Reply {
    let path = path_of(route, &fixtures.invited_1.id, "c-bank");
    let body: Value = match route.name {
        "create_user" => json!({"email": address("late"), "first_name": "Ada", "last_name": "L"}),
        _ => json!({"phone": "1"}),
    };
    let request = stack.request(route.method, &path).header("x-api-key", &fixtures.admin_1.key);
    send(request.header("content-type", "application/json").body(body.to_string())).await
}

/// Updates the user, and tries again while a busy machine misses the deadline.
async fn update(stack: &TestStack, fixtures: &Fixtures, body: &Value) -> Reply {
    let path = format!("/user/{}", fixtures.manager_1.id);
    let mut reply = stack.post(&path, &fixtures.admin_1.key, body).await;
    for _ in 0..TRIES {
        if reply.status != 503 {
            break;
        }
        reply = stack.post(&path, &fixtures.admin_1.key, body).await;
    }
    reply
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_database_that_hangs_every_operation_answers_503_before_its_deadline() {
    let (stack, faults, fixtures) = stack().await;
    let before = stack.snapshot().await;
    faults.set_plan(Plan::EveryAttempt(FaultKind::Hang));
    let routes = routes();
    let calls = routes.iter().map(async |route| {
        let mut reply = call(&stack, &fixtures, route).await;
        for _ in 0..TRIES {
            // On a busy machine the function may need more than it reserved. Then the gateway answers.
            if !reply.header("x-request-id").is_empty() {
                break;
            }
            assert_eq!(reply.status, 503, "{}: {}", route.name, reply.text);
            reply = call(&stack, &fixtures, route).await;
        }
        assert_unavailable(&reply, route.name);
    });
    futures::future::join_all(calls).await;
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn success_after_the_deadline_is_answered_503_and_may_be_retried() {
    let (stack, faults, fixtures) = stack().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let body = json!({"phone": "+33 4 77"});
    assert_eq!(update(&stack, &fixtures, &json!({})).await.status, 200, "the use of the key is noted");
    let stored = async || stack.stored(&fixtures.manager_1.id).await.expect("the user").user;
    for _ in 0..TRIES {
        // Calls: the key, the user, and then the transaction, which is applied at once and answered too late.
        faults.restart(Plan::At { call: 3, kind: FaultKind::Delay(TIMEOUT * 2), times: 1 });
        assert_unavailable(&stack.post(&path, &fixtures.admin_1.key, &body).await, "late");
        if stored().await.phone.is_some() {
            break;
        }
    }
    let done = stored().await;
    assert_eq!(done.phone.as_ref().map(presence_domain::user::Phone::as_str), Some("+33 4 77"), "it was applied");
    faults.set_plan(Plan::None);
    assert_eq!(update(&stack, &fixtures, &body).await.status, 200);
    assert_eq!(stored().await, done, "it is not applied twice");
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn hanging_call_ends_with_the_timeout_of_the_operation() {
    let faults = FaultConnector::new();
    let http_client = Some(faults.over(in_process_client()));
    let stack = TestStack::with(Options { http_client, ..short_timeouts() }).await;
    let fixtures = Fixtures::create(&stack).await;
    for kind in [FaultKind::Hang, FaultKind::Delay(Duration::from_mins(10))] {
        for call in 1..=3 {
            faults.restart(Plan::At { call, kind, times: u64::MAX });
            let path = format!("/user/{}", fixtures.manager_1.id);
            assert_unavailable(&stack.post(&path, &fixtures.admin_1.key, &json!({"phone": "1"})).await, "hanging");
        }
    }
    assert_eq!(stack.audit().await, []);
}
