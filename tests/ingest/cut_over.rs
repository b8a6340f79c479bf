//! Cut-over to a new table of reviews, which is made from a build while messages wait in the queue, as the operator's guide has it.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_ops::Exit;
use presence_runtime::clock::ManualClock;
use presence_store::schema::REVIEWS;
use presence_tests::ops::{self, run_ops};
use presence_tests::{CrashPoint, Fixtures, send};
use serde_json::{Value, json};

use super::deliveries::without_stamp;
use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};
use super::outside::StoredMessage;
use crate::imports::import_env::rows;

/// Number of rows of an object.
const ROWS: usize = 60;

/// Behind the times of all objects: a row of the far future is rejected.
fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-06-01T12:00:00Z".parse().expect("an instant")))
}

/// Runs a command of the operator on the tables that ingest uses. Panics unless it is done.
async fn operate(env: &IngestEnv, words: &str) {
    run_ops(&env.stores(), clock(), words, |context| context).await.expect(Exit::Done);
}

fn attribute(typed: &Value) -> AttributeValue {
    let (kind, value) = typed.as_object().and_then(|typed| typed.iter().next()).expect("a typed value");
    let text = value.as_str().expect("a text");
    match kind.as_str() {
        "S" => AttributeValue::S(text.to_owned()),
        "N" => AttributeValue::N(text.to_owned()),
        "B" => AttributeValue::B(aws_smithy_types::base64::decode(text).expect("base64").into()),
        other => panic!("{other} is a type that no item has"),
    }
}

/// Does what `DynamoDB`'s import does: makes a table with this name, and fills it from the parts.
async fn import_table(env: &IngestEnv, name: &str, folder: &Path) {
    let client = env.stack.dynamodb_client();
    REVIEWS.create(&client, name).send().await.expect("a new table");
    for part in std::fs::read_dir(folder).expect("a folder") {
        let part = std::fs::File::open(part.expect("a part").path()).expect("a part");
        let mut text = String::new();
        flate2::read::GzDecoder::new(part).read_to_string(&mut text).expect("gzip");
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let item = line["Item"].as_object().expect("an item").iter();
            let item: HashMap<_, _> = item.map(|(name, typed)| (name.clone(), attribute(typed))).collect();
            client.put_item().table_name(name).set_item(Some(item)).send().await.expect("a put");
        }
    }
}

/// Does to reviews what people and a connector do, so that a reply is in each state, and a state is set by hand.
async fn act(env: &IngestEnv) {
    let key = Fixtures::create(&env.stack).await.provider.key;
    let listed = env.stack.get("/reviews?per_page=100", &key).await.json();
    let id_of = |title: &str| {
        let found = listed["reviews"].as_array().expect("a list").iter().find(|review| review["title"] == title);
        found.expect("a review")["id"].as_str().expect("an id").to_owned()
    };
    for (title, method, path, body) in [
        ("pending", "PUT", "/reply", json!({ "content": "Merci" })),
        ("published", "PUT", "/reply", json!({ "content": "Merci" })),
        ("published", "POST", "/reply/outcome", json!({ "version": 1, "outcome": "published" })),
        ("removing", "PUT", "/reply", json!({ "content": "Merci" })),
        ("removing", "POST", "/reply/outcome", json!({ "version": 1, "outcome": "published" })),
        ("removing", "DELETE", "/reply", Value::Null),
        ("rejected", "PUT", "/reply", json!({ "content": "Merci" })),
        ("rejected", "POST", "/reply/outcome", json!({ "version": 1, "outcome": "rejected", "reason": "no links" })),
        ("state", "PUT", "", json!({ "state": "treated" })),
    ] {
        let request = env.stack.request(method, &format!("/reviews/{}{path}", id_of(title)));
        let request = request.header("x-api-key", &key);
        let answer = send(if body.is_null() { request } else { request.json(&body) }).await;
        assert_eq!(answer.status, 200, "{title}: {}", answer.text);
    }
}

/// Exports the reviews, builds them with these rows behind them, makes a new table of the parts, and lets ingest use it.
async fn cut_over(env: &mut IngestEnv, more: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("a path in UTF-8").to_owned();
    operate(env, &format!("export reviews --out {}", path("stored.jsonl"))).await;
    let all = std::fs::read_to_string(path("stored.jsonl")).expect("the export") + more;
    std::fs::write(path("all.jsonl"), all).expect("the folder can be written");
    operate(env, &format!("reviews build {} --out {}", path("all.jsonl"), path("load"))).await;
    let built = env.stores().database.name(&REVIEWS);
    let name = format!("{built}-1");
    import_table(env, &name, &folder.path().join("load").join(&built)).await;
    env.use_reviews_table(&name);
    operate(env, &format!("reviews copy-progress --from {built}")).await;
}

/// Imports rows as an operator does.
async fn import(env: &IngestEnv, rows: &str) {
    ops::import(&env.stores(), clock(), "reviews", rows).await.expect(Exit::Done);
}

/// Uploads an object that is split, and whose messages wait.
async fn split_only(env: &IngestEnv, object: &str, rows: String) -> Vec<StoredMessage> {
    env.outside.upload(&format!("inbox/{object}"), rows.into_bytes());
    assert!(env.invoke(&uploaded(object), None).await.is_some(), "the object is split");
    env.outside.messages()
}

/// Returns all reviews without their stamps: those of a build have no line numbers.
async fn reviews(env: &IngestEnv) -> Vec<String> {
    env.content().await.values().map(|review| without_stamp(review)).collect()
}

/// Returns the rows of an operator: other reviews than those that arrive, and one that arrives, too.
fn loaded_rows() -> String {
    let other = (0..40).map(|n| titled_row(["s1", "s2", "s3"][n % 3], &format!("loaded {n}"), "loaded"));
    json_lines(&other.collect::<Vec<_>>())
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_wait_during_a_cut_over_are_written_to_the_new_table() {
    let (mut env, twin) = (IngestEnv::new().await, IngestEnv::new().await);
    for env in [&env, &twin] {
        env.arrive("before.jsonl", rows(ROWS, 0)).await;
        let waiting = split_only(env, "waiting.jsonl", rows(2 * ROWS, 1)).await;
        // Some of its rows are written before.
        assert!(waiting.len() > 2 && env.deliver(&waiting[..1], None).await.is_empty());
    }
    import(&twin, &loaded_rows()).await;
    twin.drain().await;

    cut_over(&mut env, &loaded_rows()).await;
    assert!(reviews(&env).await.len() < 2 * ROWS + 40, "what waits is in neither table");
    assert_eq!(env.summary("waiting.jsonl"), None);
    env.drain().await;
    assert_eq!(reviews(&env).await, reviews(&twin).await);
    assert_eq!(env.summary("waiting.jsonl"), twin.summary("waiting.jsonl"));
    assert!(env.summary("waiting.jsonl").is_some(), "the file has a report");
    assert_eq!(reviews(&env).await.len(), 2 * ROWS + 40);
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_are_older_than_those_of_the_build_do_not_win_after_a_cut_over() {
    let mut env = IngestEnv::new().await;
    let seen = |title: &str, at: &str| {
        let mut row = titled_row("s1", "review", title);
        row["seen_at"] = json!(at);
        row
    };
    env.arrive("new.jsonl", json_lines(&[seen("new", "2026-02-01T00:00:00Z")])).await;
    split_only(&env, "old.jsonl", json_lines(&[seen("old", "2026-01-01T00:00:00Z")])).await;
    cut_over(&mut env, "").await;
    env.drain().await;
    assert_eq!(env.titles().await["review"], "new");
    env.arrive("newest.jsonl", json_lines(&[seen("newest", "2026-02-02T00:00:00Z")])).await;
    assert_eq!(env.titles().await["review"], "newest");
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_one_instant_keep_their_order_over_a_cut_over() {
    let mut env = IngestEnv::new().await;
    let rows = |title: &str| {
        let mut row = titled_row("s1", "review", title);
        row["seen_at"] = json!("2026-01-01T00:00:00Z");
        json_lines(&[row])
    };
    let old = split_only(&env, "old.jsonl", rows("old")).await;
    let both = split_only(&env, "new.jsonl", rows("new")).await;
    assert_eq!((old.len(), both.len()), (1, 2));
    assert_eq!(env.deliver(&both[1..], None).await, Vec::<String>::new());
    split_only(&env, "newest.jsonl", rows("newest")).await;
    cut_over(&mut env, "").await;
    assert_eq!(env.deliver(&old, None).await, Vec::<String>::new());
    assert_eq!(env.titles().await["review"], "new", "the row of the older object comes late");
    env.drain().await;
    assert_eq!(env.titles().await["review"], "newest", "the row of the newer object waited");
    assert_eq!(env.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn object_that_was_split_in_part_before_a_cut_over_is_written_whole_and_reported() {
    let (mut env, twin) = (IngestEnv::new().await, IngestEnv::new().await);
    // The first segment has one row, and lines that are rejected up to its size. The process dies when it sends the second one.
    let nonsense = ("x".repeat(1_500_000) + "\n").repeat(6);
    let file = json_lines(&[titled_row("s1", "first", "first")]) + &nonsense + &rows(2 * ROWS, 1);
    env.outside.upload("inbox/parts.jsonl", file.clone().into_bytes());
    env.outside.crash_at(Some((4, CrashPoint::Before)));
    assert!(env.invoke(&uploaded("parts.jsonl"), None).await.is_none(), "the process dies");
    env.outside.crash_at(None);
    assert_eq!(env.outside.messages().len(), 1, "the first segment was sent");
    cut_over(&mut env, &loaded_rows()).await;
    assert!(env.invoke(&uploaded("parts.jsonl"), None).await.is_some(), "the notification comes again");
    env.drain().await;
    import(&twin, &loaded_rows()).await;
    twin.arrive("parts.jsonl", file).await;
    assert_eq!(reviews(&env).await, reviews(&twin).await);
    assert_eq!(env.summary("parts.jsonl"), twin.summary("parts.jsonl"));
    assert!(env.summary("parts.jsonl").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_did_stays_in_an_export_that_is_imported_again_and_in_a_cut_over() {
    let mut env = IngestEnv::new().await;
    let titles = ["pending", "published", "removing", "rejected", "state"];
    import(&env, &json_lines(&titles.map(|title| titled_row("s1", title, title)))).await;
    act(&env).await;
    let before = reviews(&env).await;

    let folder = tempfile::tempdir().expect("a temporary folder");
    let export = folder.path().join("export.jsonl");
    operate(&env, &format!("export reviews --out {}", export.display())).await;
    import(&env, &std::fs::read_to_string(export).expect("the export")).await;
    assert_eq!(reviews(&env).await, before);
    cut_over(&mut env, "").await;
    assert_eq!(reviews(&env).await, before);
    assert_eq!(env.audit().await, []);
}
