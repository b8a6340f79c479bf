//! The invocation's deadline: an answer comes before it, and what comes after it is no success.

use std::time::Duration;

use aws_sdk_dynamodb::config::SharedHttpClient;
use presence_local::Options;
use presence_tests::{Cast, FaultKind, Faults, Plan, Reply, World, address, patient, plain_http, send};
use serde_json::{Value, json};

/// What the functions are given. They keep 300 ms of it back, to answer in.
const TIMEOUT: Duration = Duration::from_millis(1500);

async fn world() -> (World, Faults, Cast) {
    let faults = Faults::over(plain_http());
    let http_client = Some(SharedHttpClient::new(faults.clone()));
    let world = World::with(Options { http_client, function_timeout: TIMEOUT, ..patient() }).await;
    let cast = Cast::enter(&world).await;
    (world, faults, cast)
}

fn assert_unavailable(reply: &Reply, what: &str) {
    assert_eq!(reply.status, 503, "{what}: {}", reply.text);
    assert_eq!(reply.header("retry-after"), "1", "{what}");
    // The gateway's own answer to a function that is too late has another body and no id.
    assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}), "{what}");
    assert!(!reply.header("x-request-id").is_empty(), "{what}");
}

/// A call of the route, and the key's owner may make it.
async fn call(world: &World, cast: &Cast, method: &str, route: &str) -> Reply {
    let path = route.trim_start_matches("/api/v2").replace("{user_id}", &cast.invited_1.id);
    let body: Value = match route {
        "/api/v2/user" => json!({"email": address("late"), "first_name": "Ada", "last_name": "L"}),
        _ => json!({"phone": "1"}),
    };
    let request = world.request(method, &path).header("x-api-key", &cast.admin_1.key);
    send(request.header("content-type", "application/json").body(body.to_string())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_database_that_hangs_every_operation_answers_503_before_its_deadline() {
    let (world, faults, cast) = world().await;
    let before = world.snapshot().await;
    faults.set_plan(Plan::EveryAttempt(FaultKind::Hang));
    let of_users = presence_users::ROUTES.map(|route| (route.name, route.method, route.path));
    let of_reviews = presence_reviews::ROUTES.map(|route| (route.name, route.method, route.path));
    let calls = of_users.iter().chain(&of_reviews).map(async |(name, method, path)| {
        let reply = call(&world, &cast, method, path).await;
        assert_unavailable(&reply, name);
    });
    futures::future::join_all(calls).await;
    assert_eq!(world.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_that_comes_after_the_deadline_is_answered_503_and_may_be_tried_again() {
    let (world, faults, cast) = world().await;
    let path = format!("/user/{}", cast.manager_1.id);
    let body = json!({"phone": "+33 4 77"});
    assert_eq!(world.post(&path, &cast.admin_1.key, &json!({})).await.status, 200, "the use of the key is noted");
    // The key, the user, and then the transaction: done at once, and answered too late.
    faults.restart(Plan::At { call: 3, kind: FaultKind::Delay(TIMEOUT * 2), times: 1 });
    assert_unavailable(&world.post(&path, &cast.admin_1.key, &body).await, "late");
    let stored = world.stored(&cast.manager_1.id).await.expect("the user").user;
    assert_eq!(
        stored.phone.as_ref().map(presence::domain::user::Phone::as_str),
        Some("+33 4 77"),
        "it was done all the same"
    );
    faults.set_plan(Plan::None);
    assert_eq!(world.post(&path, &cast.admin_1.key, &body).await.status, 200);
    assert_eq!(world.stored(&cast.manager_1.id).await.expect("the user").user, stored, "and is not done twice");
    assert_eq!(world.audit().await, []);
}
