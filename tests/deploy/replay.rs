//! Replay of each event of `events/`: the answer of the handler is the one in `events/expected/`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fixture::{names, replayed};
use super::template::root;

/// Returns the answer without random values: the id of the request, that of a new user, and a new key with its id.
fn without_random_ids(function: &str, name: &str, answer: &Value) -> Value {
    let mut answer = answer.clone();
    if let Some(id) = answer.pointer_mut("/headers/x-request-id") {
        assert_eq!(id.as_str().map(str::len), Some(36), "an id of a request");
        *id = json!("<id of the request>");
    }
    if answer["status"] == 200 && name == "get_openapi" {
        let description: Value = serde_json::from_str(presence_categories::OPENAPI).expect("JSON");
        assert_eq!(answer["body"], description, "the description as it is committed");
        answer["body"] = json!("<shared/docs/openapi.json>");
        assert!(answer["headers"]["etag"].as_str().is_some_and(|tag| tag.starts_with("W/\"")), "a weak tag");
        answer["headers"]["etag"] = json!("<digest of the description>");
    }
    if function == "users"
        && name.starts_with("create_user")
        && let Some(id) = answer.pointer_mut("/body/id")
    {
        assert!(id.as_str().is_some_and(|id| id.parse::<u64>().is_ok()), "an id of a user");
        *id = json!("<id of the user>");
    }
    if ["create_key", "rotate_key"].contains(&name) {
        for (member, length) in [("/body/id", 17), ("/body/key", 39)] {
            let random = answer.pointer_mut(member).expect("a new key");
            assert_eq!(random.as_str().map(str::len), Some(length), "{member}");
            *random = json!(format!("<{}>", &member[6..]));
        }
    }
    if ["create_webhook", "rotate_webhook"].contains(&name) {
        for (member, length) in [("/body/id", 15), ("/body/secret", 50)] {
            let random = answer.pointer_mut(member).expect("a new secret");
            assert_eq!(random.as_str().map(str::len), Some(length), "{member}");
            *random = json!(format!("<{}>", &member[6..]));
        }
    }
    if name == "test_webhook" {
        assert_eq!(answer["body"]["attempts"][0]["status"], Value::Null, "nobody is at the address");
        answer["body"]["event_id"] = json!("<id of the event>");
        answer["body"]["attempts"] = json!("<one attempt>");
    }
    answer
}

/// Removes the style of a page, which other tests cover.
fn remove_style(answer: &mut Value) {
    let Some(page) = answer["body"].as_str().filter(|body| body.starts_with("<!doctype html>")) else { return };
    let (_, content) = page.split_once("<body>").expect("a body");
    answer["body"] = json!(content);
    let policy = answer["headers"]["content-security-policy"].as_str().expect("a policy");
    let (before, digest) = policy.split_once("'sha256-").expect("the digest of the style");
    let (_, after) = digest.split_once('\'').expect("its end");
    answer["headers"]["content-security-policy"] = json!(format!("{before}'<digest of the style>'{after}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_is_answered_as_expected() {
    for (function, name, answer) in &replayed().await.answers {
        let mut answer = without_random_ids(function, name, answer);
        remove_style(&mut answer);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(root().join("events/expected").join(function));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_json_snapshot!(name.as_str(), answer));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_status_in_the_name_of_an_event_is_that_of_its_answer() {
    let answers = &replayed().await.answers;
    for (function, name, answer) in
        answers.iter().filter(|(function, ..)| !["mailer", "auditor", "publisher", "ingest"].contains(function))
    {
        let named = name.rsplit('_').next().and_then(|word| word.parse().ok()).unwrap_or(200);
        assert_eq!(answer["status"], named, "{function}/{name}: {}", answer["body"]);
    }
    let statuses: BTreeSet<_> = answers.iter().filter_map(|(.., answer)| answer["status"].as_u64()).collect();
    assert_eq!(statuses, [200, 400, 401, 403, 404, 405, 410, 413, 415, 422, 429].into());
}

#[test]
fn every_expected_answer_has_its_event() {
    for function in ["users", "categories", "feed", "reviews", "mailer", "auditor", "publisher", "ingest"] {
        let expected = names(&root().join("events/expected").join(function), "snap");
        assert_eq!(expected, names(&root().join("events").join(function), "json"), "{function}");
    }
}
