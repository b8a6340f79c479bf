//! Error answers that operations share: each operation that is described with one gives exactly that one.

use presence_domain::rate_limit::RateLimit;
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    AnyRoute, FaultConnector, FaultKind, Plan, Reply, TestStack, in_process_client, long_timeouts, path_of, route,
    routes, send,
};
use serde_json::{Value, json};

use super::description::Description;
use presence_tests::PauseConnector;

/// User of the sample.
const USER: &str = "1008";
const CATEGORY: &str = "5a45214f0d526ae15e54381f";

/// Size of a body over the limit of 128 KiB.
const TOO_LARGE: usize = 128 * 1024 + 1;

/// Returns the name and the example of the shared answer with this status.
fn example(description: &Description, operation: &str, status: u16) -> (String, Value) {
    let name = match status {
        401 => "Unauthenticated",
        404 => "NotFound",
        413 => "TooLarge",
        415 => "UnsupportedMediaType",
        409 => "Conflict",
        422 => "KeyReused",
        429 if operation == "invite_user" => "TooSoon",
        429 => "TooManyRequests",
        500 => "Internal",
        _ => "Unavailable",
    };
    let response = &description.json["components"]["responses"][name];
    (name.to_owned(), response["content"]["application/json"]["examples"]["refused"]["value"].clone())
}

/// Returns the request of an operation, with a valid path.
fn request(stack: &TestStack, route: &AnyRoute, user: &str, category: &str) -> reqwest::RequestBuilder {
    let lang = if route.path.contains("/category/") { "?lang=FR" } else { "" };
    stack.request(route.method, &format!("{}{lang}", path_of(route, user, category)))
}

fn with_key(stack: &TestStack, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
    request.header("x-api-key", &stack.local.keys()["PROVIDER"])
}

/// Asserts that the answer has the described body and headers, and that the operation is described with it.
fn assert_described(description: &Description, route: &AnyRoute, status: u16, reply: &Reply) {
    let (name, expected) = example(description, route.name, status);
    assert_eq!((reply.status, reply.json()), (status, expected), "{}", route.name);
    let headers = description.json["components"]["responses"][&name]["headers"].as_object().expect("headers");
    assert_eq!(reply.header("x-error-code"), headers["x-error-code"]["example"], "{}", route.name);
    for header in headers.keys() {
        assert!(!reply.header(&header.to_lowercase()).is_empty(), "{header} of {status} of {}", route.name);
    }
    assert_eq!(description.objection_to_answer(route.name, status, &reply.json()), None, "{}", route.name);
}

fn is_described(description: &Description, route: &AnyRoute, status: u16) -> bool {
    description.response(route.name, status).is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_error_answers_are_as_described() {
    let faults = FaultConnector::new();
    let options = Options {
        sample: true,
        rate_limit: RateLimit::new(1_000_000),
        http_client: Some(faults.over(in_process_client())),
        ..long_timeouts()
    };
    let stack = TestStack::with(options).await;
    let description = Description::read();
    for route in routes() {
        let json = if route.body == presence_api::Body::Json { "{}" } else { "" };
        let plain = || request(&stack, &route, USER, CATEGORY).header("content-type", "application/json").body(json);
        assert_described(&description, &route, 401, &send(plain()).await);
        assert_described(&description, &route, 413, &send(with_key(&stack, plain().body("x".repeat(TOO_LARGE)))).await);
        // No operation has this answer: the introduction describes it.
        let other_method = send(stack.request("PATCH", &path_of(&route, USER, CATEGORY))).await;
        let expected = json!({"errors": {"json": "method not allowed"}});
        assert_eq!((other_method.status, other_method.json()), (405, expected), "{}", route.name);
        assert!(other_method.header("allow").split(", ").any(|method| method == route.method), "{}", route.name);
        let text =
            with_key(&stack, request(&stack, &route, USER, CATEGORY).header("content-type", "text/plain").body("{}"));
        if is_described(&description, &route, 415) {
            assert_described(&description, &route, 415, &send(text).await);
        } else {
            assert_eq!(route.body, presence_api::Body::Ignored, "{}", route.name);
        }
        assert_eq!(is_described(&description, &route, 404), route.path.contains('{'), "{}", route.name);
        if is_described(&description, &route, 404) {
            let nobody = request(&stack, &route, "7", "nothing").header("content-type", "application/json").body(json);
            assert_described(&description, &route, 404, &send(with_key(&stack, nobody)).await);
        }
        faults.restart(Plan::At { call: 1, kind: FaultKind::ServerError, times: u64::MAX });
        assert_described(&description, &route, 503, &send(with_key(&stack, plain())).await);
        faults.restart(Plan::None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_429_and_500_are_as_described() {
    let options = Options { sample: true, rate_limit: RateLimit::new(120), ..long_timeouts() };
    let stack = TestStack::with(options).await;
    let description = Description::read();
    assert_too_soon_is_as_described(&stack, &description).await;
    assert_corrupt_user_is_as_described(&stack, &description).await;
    assert_too_many_requests_are_as_described(&stack, &description).await;
}

async fn assert_too_soon_is_as_described(stack: &TestStack, description: &Description) {
    let key = &stack.local.keys()["ORG_ADMIN"];
    assert_eq!(stack.invite(USER, key).await.status, 200);
    let reply = stack.invite(USER, key).await;
    assert_described(description, &route("invite_user"), 429, &reply);
    let header = &description.json["components"]["responses"]["TooSoon"]["headers"]["Retry-After"];
    assert_eq!(reply.header("retry-after"), header["example"].to_string());
}

/// Asserts the answer of every operation to a key without a request left. An invitation is described with another text.
async fn assert_too_many_requests_are_as_described(stack: &TestStack, description: &Description) {
    let key = &stack.local.keys()["BUSINESS_MANAGER"];
    while stack.get("/user/me", key).await.status == 200 {}
    for route in routes() {
        let request = request(stack, &route, USER, CATEGORY).header("x-api-key", key);
        let reply = send(request.header("content-type", "application/json").body("{}")).await;
        if route.name == "invite_user" {
            assert_eq!(description.objection_to_answer(route.name, 429, &reply.json()), None);
        } else {
            assert_described(description, &route, 429, &reply);
        }
    }
}

async fn assert_corrupt_user_is_as_described(stack: &TestStack, description: &Description) {
    stack.corrupt(USER, "not a list").await;
    for route in routes().iter().filter(|route| route.path.contains("{user_id}")) {
        let request = request(stack, route, USER, CATEGORY).header("content-type", "application/json").body("{}");
        assert_described(description, route, 500, &send(with_key(stack, request)).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_always_loses_to_another_is_refused_as_described() {
    let pause = PauseConnector::new();
    let options = Options {
        sample: true,
        rate_limit: RateLimit::new(1_000_000),
        http_client: Some(pause.over(in_process_client())),
        ..long_timeouts()
    };
    let stack = TestStack::with(options).await;
    let description = Description::read();
    pause.arm();
    let key = stack.local.keys()["PROVIDER"].clone();
    let change = json!({"last_name": "Duval"});
    let path = format!("/user/{USER}");
    let reply = tokio::select! {
        reply = stack.post(&path, &key, &change) => reply,
        () = pause.rename_before_each_change(&stack, USER, "Martin") => unreachable!("it never ends"),
    };
    assert_described(&description, &route("update_user"), 409, &reply);
}
