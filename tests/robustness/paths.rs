//! Hostile segments of paths.

use presence_tests::{Fixtures, SEEDED_REVIEW};

use super::hostile_values::path_segments;
use super::raw_http::{RawRequest, is_valid_target};
use super::{Origin, check_envelope};
use crate::api::reviews::fixtures::seed;
use crate::api::send_all;

const NOT_FOUND: &str = r#"{"errors":{"json":"not found"}}"#;

/// Routes of a user and of a review: method, and the path before and after the id.
const ROUTES_WITH_AN_ID: [(&str, &str, &str); 10] = [
    ("GET", "/user/", ""),
    ("POST", "/user/", ""),
    ("DELETE", "/user/", ""),
    ("POST", "/user/", "/invite"),
    ("GET", "/reviews/", ""),
    ("PUT", "/reviews/", ""),
    ("GET", "/reviews/", "/reply"),
    ("PUT", "/reviews/", "/reply"),
    ("DELETE", "/reviews/", "/reply"),
    ("POST", "/reviews/", "/reply/outcome"),
];

/// Returns the bytes with `{id}` replaced.
fn with_id(segment: &[u8], id: &str) -> Vec<u8> {
    match std::str::from_utf8(segment) {
        Ok(text) => text.replace("{id}", id).into_bytes(),
        Err(_) => segment.to_vec(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_path_segments_are_the_id_of_no_user_and_no_review() {
    let (stack, fixtures) = Fixtures::start().await;
    seed(&stack).await;
    let before = stack.snapshot().await;
    let mut calls = Vec::new();
    for (method, start, end) in ROUTES_WITH_AN_ID {
        let id = if start == "/reviews/" { SEEDED_REVIEW } else { &fixtures.invited_1.id };
        for segment in path_segments() {
            let is_http = is_valid_target(&segment);
            let path = [start.as_bytes(), &with_id(&segment, id), end.as_bytes()].concat();
            let what = format!("{method} {}", String::from_utf8_lossy(&path[..path.len().min(120)]));
            let raw = RawRequest::new(method, &path).with("x-api-key", &fixtures.provider.key);
            let raw = if ["POST", "PUT"].contains(&method) { raw.json(r#"{"last_name":"Changed"}"#) } else { raw };
            let stack = &stack;
            calls.push(async move { (what, is_http, raw.send(stack).await) });
        }
    }
    for (what, is_http, reply) in send_all(calls).await {
        match check_envelope(&reply, &what) {
            Origin::Service => assert_eq!((reply.status, reply.text.as_str()), (404, NOT_FOUND), "{what}"),
            Origin::Gateway => assert_eq!(reply.status, 404, "{what}"),
            Origin::Server => assert!(!is_http, "{what}"),
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_operations_are_no_ids() {
    let (stack, fixtures) = Fixtures::start().await;
    let before = stack.snapshot().await;
    for word in ["me", "search", "stats"] {
        for (method, path, status) in [
            ("POST", format!("/user/{word}"), 405),
            ("DELETE", format!("/user/{word}"), 405),
            ("POST", format!("/user/{word}/invite"), 404),
            ("GET", format!("/user/{}", word.to_uppercase()), 404),
            ("GET", format!("/user/{word}/"), 404),
        ] {
            let raw = RawRequest::new(method, &path).with("x-api-key", &fixtures.admin_1.key).json("{}");
            let reply = raw.send(&stack).await;
            check_envelope(&reply, &path);
            assert_eq!(reply.status, status, "{method} {path}");
        }
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_may_be_percent_encoded() {
    let (stack, fixtures) = Fixtures::start().await;
    // ASCII codes of the digits are 30 to 39 in hexadecimal.
    let escaped = fixtures
        .manager_1
        .id
        .split("")
        .filter(|digit| !digit.is_empty())
        .fold(String::new(), |path, digit| path + "%3" + digit);
    for (segment, id) in [(escaped.as_str(), &fixtures.manager_1.id), ("%6de", &fixtures.admin_1.id)] {
        let reply = RawRequest::new("GET", format!("/user/{segment}"))
            .with("x-api-key", &fixtures.admin_1.key)
            .send(&stack)
            .await;
        assert_eq!((reply.status, &reply.json()["id"]), (200, &id.as_str().into()), "{segment}");
    }
}
