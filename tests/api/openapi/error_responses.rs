//! The answers that operations have in common are given by each of them that is described with them, to the byte.

use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    AnyRoute, FaultConnector, FaultKind, Plan, Reply, TestStack, long_timeouts, path_of, plain_http, route, routes,
    send,
};
use serde_json::{Value, json};

use super::description::Description;
use presence_tests::PauseConnector;

/// A user and a category of the sample.
const USER: &str = "1008";
const CATEGORY: &str = "5a45214f0d526ae15e54381f";

/// Just over 128 KiB.
const TOO_LARGE: usize = 128 * 1024 + 1;

/// The example of a common answer, found by its status.
fn example(description: &Description, status: u16) -> (String, Value) {
    let name = match status {
        401 => "Unauthenticated",
        404 => "NotFound",
        405 => "MethodNotAllowed",
        413 => "TooLarge",
        415 => "UnsupportedMediaType",
        409 => "Conflict",
        429 => "TooSoon",
        500 => "Internal",
        _ => "Unavailable",
    };
    let response = &description.json["components"]["responses"][name];
    (name.to_owned(), response["content"]["application/json"]["examples"]["refused"]["value"].clone())
}

/// The request of an operation, well-formed as far as its path goes.
fn request(stack: &TestStack, route: &AnyRoute, user: &str, category: &str) -> reqwest::RequestBuilder {
    let lang = if route.path.contains("/category/") { "?lang=FR" } else { "" };
    stack.request(route.method, &format!("{}{lang}", path_of(route, user, category)))
}

fn keyed(stack: &TestStack, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
    request.header("x-api-key", &stack.local.keys()["PROVIDER"])
}

/// Holds an answer against the description: whether the operation has it, its body, and the headers that it is described with.
fn check(description: &Description, route: &AnyRoute, status: u16, reply: &Reply) {
    let (name, expected) = example(description, status);
    assert_eq!((reply.status, reply.json()), (status, expected), "{}", route.name);
    let headers = description.json["components"]["responses"][&name]["headers"].as_object().expect("headers");
    for header in headers.keys() {
        assert!(!reply.header(&header.to_lowercase()).is_empty(), "{header} of {status} of {}", route.name);
    }
    if status != 405 {
        assert_eq!(description.objection_to_answer(route.name, status, &reply.json()), None, "{}", route.name);
    }
}

fn has(description: &Description, route: &AnyRoute, status: u16) -> bool {
    description.response(route.name, status).is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_operations_refuse_alike_is_as_described() {
    let faults = FaultConnector::new();
    let options = Options { sample: true, http_client: Some(faults.over(plain_http())), ..long_timeouts() };
    let stack = TestStack::with(options).await;
    let description = Description::read();
    for route in routes() {
        let json = if route.body == presence_api::Body::Json { "{}" } else { "" };
        let plain = || request(&stack, &route, USER, CATEGORY).header("content-type", "application/json").body(json);
        check(&description, &route, 401, &send(plain()).await);
        check(&description, &route, 413, &send(keyed(&stack, plain().body("x".repeat(TOO_LARGE)))).await);
        check(&description, &route, 405, &send(stack.request("PATCH", &path_of(&route, USER, CATEGORY))).await);
        let text =
            keyed(&stack, request(&stack, &route, USER, CATEGORY).header("content-type", "text/plain").body("{}"));
        if has(&description, &route, 415) {
            check(&description, &route, 415, &send(text).await);
        } else {
            assert_eq!(route.body, presence_api::Body::Ignored, "{}", route.name);
        }
        assert_eq!(has(&description, &route, 404), route.path.contains('{'), "{}", route.name);
        if has(&description, &route, 404) {
            let nobody = request(&stack, &route, "7", "nothing").header("content-type", "application/json").body(json);
            check(&description, &route, 404, &send(keyed(&stack, nobody)).await);
        }
        faults.restart(Plan::At { call: 1, kind: FaultKind::ServerError, times: u64::MAX });
        check(&description, &route, 503, &send(keyed(&stack, plain())).await);
        faults.restart(Plan::None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn haste_and_a_stored_user_that_does_not_fit_are_answered_as_described() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let description = Description::read();
    a_second_invitation_at_once_is_refused(&stack, &description).await;
    what_does_not_fit_in_the_store_is_an_error(&stack, &description).await;
}

async fn a_second_invitation_at_once_is_refused(stack: &TestStack, description: &Description) {
    let invite = || stack.invite(USER, &stack.local.keys()["ORG_ADMIN"]);
    assert_eq!(invite().await.status, 200);
    let reply = invite().await;
    check(description, &route("invite_user"), 429, &reply);
    let header = &description.json["components"]["responses"]["TooSoon"]["headers"]["Retry-After"];
    assert_eq!(reply.header("retry-after"), header["example"].to_string());
}

async fn what_does_not_fit_in_the_store_is_an_error(stack: &TestStack, description: &Description) {
    stack.corrupt(USER, "not a list").await;
    for route in routes().iter().filter(|route| route.path.contains("{user_id}")) {
        let request = request(stack, route, USER, CATEGORY).header("content-type", "application/json").body("{}");
        check(description, route, 500, &send(keyed(stack, request)).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_others_always_win_is_refused_as_described() {
    let pause = PauseConnector::new();
    let options = Options { sample: true, http_client: Some(pause.over(plain_http())), ..long_timeouts() };
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
    check(&description, &route("update_user"), 409, &reply);
}
