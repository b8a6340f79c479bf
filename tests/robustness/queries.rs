//! Hostile values in every query parameter of every operation.

use presence_tests::{AnyRoute, Fixtures, TestStack, path_of, routes};
use serde_json::Value;

use super::hostile_values::{UNKNOWN_PARAMETERS, query_values};
use super::raw_http::{RawRequest, is_valid_target};
use super::{Origin, check_envelope};
use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;
use crate::api::send_all;

/// Filters of reviews.
const REVIEW_FILTERS: &[&str] = &[
    "state",
    "rating",
    "rating__in",
    "partner__in",
    "content__isnull",
    "update_date__gte",
    "update_date__lte",
    "business__in",
    "business_city",
];

/// Returns the query parameters of an operation in the interface, without the key: first the filters, then the others.
pub(crate) fn parameters(route: &AnyRoute) -> [&'static [&'static str]; 2] {
    match route.name {
        "get_user" | "get_me" => [&[], &["display_business_ids"]],
        "search_users" => {
            [&["org_id", "last_name", "email", "status", "query"], &["page", "per_page", "display_business_ids"]]
        }
        "get_user_stats" | "create_user" | "update_user" | "delete_user" | "invite_user" | "get_review" => [&[], &[]],
        "search_categories" => [&["name"], &["lang", "page", "per_page"]],
        "get_category" => [&[], &["lang"]],
        "search_reviews" => [REVIEW_FILTERS, &["page", "per_page", "order_by"]],
        "get_review_stats" => [REVIEW_FILTERS, &["group_by"]],
        "search_businesses" => [&["query", "city", "org_id"], &["page", "per_page"]],
        other => panic!("the parameters of {other} are not known here"),
    }
}

/// Returns a request that is valid except for the query.
fn request(route: &AnyRoute, fixtures: &Fixtures, query: &[u8]) -> RawRequest {
    let path = path_of(route, &fixtures.invited_1.id, "c-bank");
    let needs_lang = path.starts_with("/category/") && !query.starts_with(b"lang=");
    let query = [if needs_lang { b"lang=GB&".as_slice() } else { b"" }, query].concat();
    let raw = RawRequest::new(route.method, [path.as_bytes(), b"?", &query].concat());
    match route.name {
        "create_user" => {
            let email = presence_tests::address("newcomer");
            raw.json(format!(r#"{{"email":"{email}","first_name":"New","last_name":"Comer"}}"#))
        }
        "update_user" => raw.json(r#"{"last_name":"Changed"}"#),
        _ => raw,
    }
}

/// Starts a stack with data for every search.
async fn start_stack() -> (TestStack, Fixtures) {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    load(stack.stores(), parse(DIRECTORY)).await;
    seed(&stack).await;
    (stack, fixtures)
}

/// True if the part of the value that belongs to its parameter is blank: then the parameter counts as not given.
///
/// A tab and a next-line character are both control characters and blanks. Alone, they count as blanks.
fn is_blank(value: &[u8]) -> bool {
    const BLANKS: [&str; 5] = ["%20", "%E3%80%80", "%09", "%C2%85", "+"];
    let own = value.split(|byte| *byte == b'&').next().unwrap_or_default();
    BLANKS.iter().fold(String::from_utf8_lossy(own).into_owned(), |text, blank| text.replace(blank, "")).is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_parameters_cause_no_error_and_never_find_everything() {
    let (stack, fixtures) = start_stack().await;
    let key = &fixtures.admin_1.key;
    let before = stack.snapshot().await;
    let (mut calls, stack) = (Vec::new(), &stack);
    for route in routes() {
        let everything = request(&route, &fixtures, b"").with("x-api-key", key);
        let [filters, others] = parameters(&route);
        let everything =
            if filters.is_empty() { Value::Null } else { everything.send(stack).await.json()["count"].clone() };
        for name in filters.iter().chain(others).copied().chain(["bogus"]) {
            for value in query_values() {
                let raw = request(&route, &fixtures, &[name.as_bytes(), b"=", &value].concat()).with("x-api-key", key);
                let what =
                    format!("{} {}", route.name, String::from_utf8_lossy(&raw.target[..raw.target.len().min(120)]));
                let everything = filters.contains(&name).then(|| everything.clone());
                calls.push(async move { (what, name, value, everything, raw.send(stack).await) });
            }
        }
    }
    assert!(calls.len() >= 34 * 30, "{}", calls.len());
    for (what, name, value, everything, reply) in send_all(calls).await {
        let origin = check_envelope(&reply, &what);
        assert_eq!(origin, if is_valid_target(&value) { Origin::Service } else { Origin::Server }, "{what}");
        let statuses: &[u16] = if name == "bogus" { &[400] } else { &[200, 400, 403] };
        assert!(statuses.contains(&reply.status), "{what}: {}", reply.status);
        if let (200, Some(everything)) = (reply.status, everything) {
            let count = &reply.json()["count"];
            assert!(count.is_u64() && (*count == everything) == is_blank(&value), "{what}: {count}");
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_keys_in_the_query_give_no_access() {
    let (stack, fixtures) = start_stack().await;
    let before = stack.snapshot().await;
    let (mut calls, stack) = (Vec::new(), &stack);
    for route in routes() {
        for value in query_values() {
            let raw = request(&route, &fixtures, &[b"api_key=", value.as_slice()].concat());
            let what = format!("{} {}", route.name, String::from_utf8_lossy(&value));
            calls.push(async move { (what, raw.send(stack).await) });
        }
    }
    for (what, reply) in send_all(calls).await {
        check_envelope(&reply, &what);
        assert!([400, 401].contains(&reply.status), "{what}: {}", reply.status);
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_no_operation_has_are_refused_on_every_one() {
    let (stack, fixtures) = start_stack().await;
    let before = stack.snapshot().await;
    let (mut calls, stack) = (Vec::new(), &stack);
    for route in routes() {
        for name in UNKNOWN_PARAMETERS {
            let raw =
                request(&route, &fixtures, format!("{name}=1").as_bytes()).with("x-api-key", &fixtures.admin_1.key);
            let what = format!("{} ?{name}=1", route.name);
            calls.push(async move { (what, raw.send(stack).await) });
        }
    }
    for (what, reply) in send_all(calls).await {
        assert_eq!((check_envelope(&reply, &what), reply.status), (Origin::Service, 400), "{what}: {}", reply.text);
    }
    assert_eq!(stack.snapshot().await, before);
}
