//! Hostile values in every query parameter of every operation.

use std::collections::BTreeMap;

use presence_api::Body;
use presence_docs::operations;
use presence_tests::{AnyRoute, Fixtures, TestStack, calls_apart, path_of, routes};
use serde_json::Value;

use super::hostile_values::{parameter_names, query_values};
use super::outcomes::Outcomes;
use super::raw_http::{RawRequest, is_valid_target};
use super::{Origin, check_envelope};
use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;
use crate::api::send_all;

/// Parameters that choose how an answer looks. All others are filters.
const OTHERS: [&str; 6] = ["page", "per_page", "order_by", "group_by", "lang", "display_business_ids"];

/// Returns the query parameters of an operation, without the key.
fn parameters(route: &AnyRoute) -> Vec<&'static str> {
    let described =
        operations().into_iter().find(|operation| operation.name == route.name).expect("a described operation");
    described.parameters.iter().filter(|parameter| !parameter.in_path).map(|parameter| parameter.name).collect()
}

/// Returns the kind of an operation. Operations of a kind answer alike to an unknown parameter, and to a wrong key.
fn kind_of(route: &AnyRoute) -> &'static str {
    match (route.name, route.body) {
        // A key that does not exist comes before a mistake.
        ("revoke_key", _) => "revoke_key",
        ("create_user" | "update_user", _) => "operations_with_body",
        (_, Body::Json) => "operations_with_empty_body",
        (_, Body::Ignored) => "operations_without_body",
    }
}

/// Returns all operations by their kind.
fn by_kind(kind: impl Fn(&AnyRoute) -> &'static str) -> BTreeMap<&'static str, Vec<AnyRoute>> {
    let mut kinds: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for route in routes() {
        kinds.entry(kind(&route)).or_default().push(route);
    }
    kinds
}

/// Returns the operations of a kind that get the value with this number: one in eight, but at least one, and others for the next
/// value.
fn sample(kind: &[AnyRoute], number: usize) -> impl Iterator<Item = &AnyRoute> {
    let apart = calls_apart(kind.len().min(8));
    kind.iter().skip(number % apart).step_by(apart)
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
    let (stack, fixtures) = Fixtures::start().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    seed(&stack).await;
    stack.seed_webhook().await;
    (stack, fixtures)
}

/// True if the part of the value that belongs to its parameter is blank: then the parameter counts as not given.
///
/// A tab and a next-line character are both control characters and blanks. Alone, they count as blanks. A list is blank if all its
/// items are.
fn is_blank(name: &str, value: &[u8]) -> bool {
    const BLANKS: [&str; 6] = ["%20", "%E3%80%80", "%09", "%C2%85", "+", "%2C"];
    let is_list = name == "state" || name.ends_with("__in");
    let own = value.split(|byte| *byte == b'&').next().unwrap_or_default();
    let blanks = if is_list { &BLANKS[..] } else { &BLANKS[..5] };
    blanks.iter().fold(String::from_utf8_lossy(own).into_owned(), |text, blank| text.replace(blank, "")).is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_parameters_cause_no_error_and_never_find_everything() {
    let (stack, fixtures) = start_stack().await;
    let key = &fixtures.admin_1.key;
    let before = stack.snapshot().await;
    let (mut calls, stack) = (Vec::new(), &stack);
    let call = |route: &AnyRoute, kind: &'static str, name: &'static str, value: Vec<u8>, everything: Option<Value>| {
        let raw = request(route, &fixtures, &[name.as_bytes(), b"=", &value].concat()).with("x-api-key", key);
        let place = format!("{kind} {name}");
        let route = route.name;
        async move { (route, place, name, value, everything, raw.send(stack).await) }
    };
    for route in routes() {
        let everything = match route.method {
            "GET" => request(&route, &fixtures, b"").with("x-api-key", key).send(stack).await.json()["count"].clone(),
            _ => Value::Null,
        };
        for name in parameters(&route) {
            for value in query_values(name) {
                let everything = (!OTHERS.contains(&name) && everything.is_u64()).then(|| everything.clone());
                calls.push(call(&route, route.name, name, value, everything));
            }
        }
    }
    for (kind, routes) in by_kind(kind_of) {
        for (number, value) in query_values("bogus").into_iter().enumerate() {
            calls.extend(sample(&routes, number).map(|route| call(route, kind, "bogus", value.clone(), None)));
        }
    }
    let mut outcomes = Outcomes::default();
    for (route, place, name, value, everything, reply) in send_all(calls).await {
        let what = format!("{route} {name}={}", String::from_utf8_lossy(&value[..value.len().min(120)]));
        let origin = check_envelope(&reply, &what);
        assert_eq!(origin, if is_valid_target(&value) { Origin::Service } else { Origin::Server }, "{what}");
        if let (200, Some(everything)) = (reply.status, everything) {
            let count = &reply.json()["count"];
            assert!(count.is_u64() && (*count == everything) == is_blank(name, &value), "{what}: {count}");
        }
        outcomes.note(&place, name, &value, &reply);
    }
    outcomes.assert_expected("parameters");
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_keys_in_the_query_give_no_access() {
    let (stack, fixtures) = start_stack().await;
    let before = stack.snapshot().await;
    let (mut calls, stack) = (Vec::new(), &stack);
    for (kind, routes) in by_kind(kind_of) {
        for (number, value) in query_values("api_key").into_iter().enumerate() {
            for route in sample(&routes, number) {
                let raw = request(route, &fixtures, &[b"api_key=", value.as_slice()].concat());
                let (route, value) = (route.name, value.clone());
                calls.push(async move { (kind, route, value, raw.send(stack).await) });
            }
        }
    }
    let mut outcomes = Outcomes::default();
    for (kind, route, value, reply) in send_all(calls).await {
        check_envelope(&reply, route);
        assert!([400, 401].contains(&reply.status), "{route}: {}", reply.status);
        outcomes.note(kind, "api_key", &value, &reply);
    }
    outcomes.assert_expected("keys");
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_an_operation_does_not_have_are_refused_and_the_nearest_one_is_named() {
    let (stack, fixtures) = start_stack().await;
    let before = stack.snapshot().await;
    let (mut calls, stack) = (Vec::new(), &stack);
    let mut kinds = by_kind(|route| if parameters(route).is_empty() { kind_of(route) } else { route.name });
    kinds.remove("revoke_key");
    for (kind, routes) in kinds {
        let known = parameters(&routes[0]);
        for (number, name) in parameter_names().filter(|name| !known.contains(name)).enumerate() {
            for route in sample(&routes, number) {
                let raw = request(route, &fixtures, format!("{name}=1").as_bytes());
                let (route, raw) = (route.name, raw.with("x-api-key", &fixtures.admin_1.key));
                calls.push(async move { (kind, route, name, raw.send(stack).await) });
            }
        }
    }
    let mut outcomes = Outcomes::default();
    for (kind, route, name, reply) in send_all(calls).await {
        assert_eq!(
            (check_envelope(&reply, route), reply.status),
            (Origin::Service, 400),
            "{route} {name}: {}",
            reply.text
        );
        let sent = reply.json()["errors"]["json"].as_object().and_then(|errors| errors.keys().next().cloned());
        outcomes.note(kind, &sent.unwrap_or_default(), name.as_bytes(), &reply);
    }
    outcomes.assert_expected("unknown_parameters");
    assert_eq!(stack.snapshot().await, before);
}
