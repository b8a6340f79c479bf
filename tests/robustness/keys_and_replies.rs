//! Hostile values in every field of the bodies about keys, states and replies.

use std::collections::BTreeMap;

use presence_tests::{Fixtures, SEEDED_REVIEW, TestStack, send};
use serde_json::Value;
use serde_json::value::RawValue;

use super::bodies::{accepted, fields, values};
use super::outcomes::Outcomes;
use crate::api::reviews::fixtures::seed;

/// Operations, each with its method, its path, the schema of its body, and a body that is right.
const CHANGES: [(&str, &str, &str, &str, &str); 5] = [
    ("create_key", "POST", "/user/{user_id}/keys", "KeyCreation", r#"{"label":"till"}"#),
    ("rotate_key", "POST", "/user/{user_id}/keys/{key_id}/rotate", "KeyRotation", "{}"),
    ("set_review_state", "PUT", "/reviews/{review_id}", "ReviewChange", r#"{"state":"treated"}"#),
    ("put_reply", "PUT", "/reviews/{review_id}/reply", "ReplyRequest", r#"{"content":"Merci"}"#),
    (
        "report_reply_outcome",
        "POST",
        "/reviews/{review_id}/reply/outcome",
        "OutcomeReport",
        r#"{"version":1,"outcome":"rejected"}"#,
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_in_bodies_of_keys_and_replies_are_refused_or_stored_exactly() {
    let (stack, fixtures) = &Fixtures::start().await;
    seed(stack).await;
    let (key, owner) = (&fixtures.provider.key, &fixtures.manager_1);
    let first_key = stack.newest_key(&owner.id).await;
    let mut outcomes = Outcomes::default();
    for (operation, method, path, schema, body) in CHANGES {
        let path = path.replace("{user_id}", &owner.id).replace("{key_id}", &first_key);
        let path = path.replace("{review_id}", SEEDED_REVIEW);
        for field in &fields(schema) {
            for (text, value) in values(field) {
                let mut fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(body).expect("an object");
                fields.remove(field);
                let rest = serde_json::to_string(&fields).expect("JSON");
                let separator = if fields.is_empty() { "" } else { "," };
                let sent = format!("{{{field:?}:{text}{separator}{}", &rest[1..]);
                let request = stack.request(method, &path).header("x-api-key", key);
                let reply = send(request.header("content-type", "application/json").body(sent)).await;
                let place = (operation, field.as_str());
                if accepted(&mut outcomes, place, &(text, value.clone()), &reply).is_some() {
                    assert_kept(&reply.json(), field, &value.expect("JSON"));
                    revoke_if_new(stack, key, &owner.id, &reply.json()).await;
                }
            }
        }
    }
    assert_eq!(stack.audit().await, []);
    let audit = stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!(audit.findings, []);
    outcomes.assert_expected("bodies_of_keys_and_replies");
}

/// Asserts that an accepted text is in the answer, without control characters and trimmed.
fn assert_kept(answer: &Value, field: &str, value: &Value) {
    let Some(text) = value.as_str().filter(|_| ["label", "content"].contains(&field)) else { return };
    let is_kept = |it: &char| !it.is_control() || (field != "label" && ['\t', '\n', '\r'].contains(it));
    let kept: String = text.chars().filter(is_kept).collect();
    assert_eq!(answer[field].as_str().unwrap_or_default(), kept.trim(), "{field}: {text:?}");
}

async fn revoke_if_new(stack: &TestStack, key: &str, owner: &str, answer: &Value) {
    if answer["key"].is_string() {
        let path = format!("/user/{owner}/keys/{}", answer["id"].as_str().expect("an id"));
        assert_eq!(stack.delete(&path, key).await.status, 200);
    }
}
