//! "Updating from the first edition of the ledger": an index that is missing is found and made, and reviews get their trees.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, CreateGlobalSecondaryIndexAction, DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndexUpdate, KeySchemaElement, KeyType, Projection, ProjectionType, PutRequest, ScalarAttributeType,
    WriteRequest,
};
use presence_local::{Stack, sdk_config};
use serde_json::{Value, json};

use super::log;
use super::page::read;
use super::rehearsal::Rehearsal;

const REVIEWS: &str = "presence-reviews";
const INDEX: &str = "listing-index";
/// Number of reviews in the files of the first edition.
const REVIEW_COUNT: u64 = 300;
/// Number of counts and postings in them.
const FIRST_EDITION_ITEMS: usize = 809;
/// Number of puts in one `BatchWriteItem`: the limit of DynamoDB.
const BATCH: usize = 25;

type Item = HashMap<String, AttributeValue>;

fn client(stack: &Stack) -> Client {
    Client::new(&sdk_config(stack.dynamodb_url()))
}

/// Returns the items of a file that an earlier version wrote.
fn items_of(name: &str) -> Vec<Item> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stored/first_ledger").join(name);
    let text = fs::read_to_string(path).expect("a file");
    let attribute = |(name, value): (&String, &Value)| {
        let (kind, value) = value.as_object().and_then(|value| value.iter().next()).expect("a kind and a value");
        let text = value.as_str().expect("a text").to_owned();
        (name.clone(), if kind == "N" { AttributeValue::N(text) } else { AttributeValue::S(text) })
    };
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.map(|line| line.as_object().expect("an item").iter().map(attribute).collect()).collect()
}

async fn put(stack: &Stack, table: &str, items: &[Item]) {
    for chunk in items.chunks(BATCH) {
        let put = |item: &Item| PutRequest::builder().set_item(Some(item.clone())).build().expect("an item");
        let writes = chunk.iter().map(|item| WriteRequest::builder().put_request(put(item)).build()).collect();
        client(stack).batch_write_item().request_items(table, writes).send().await.expect("an answer");
    }
}

async fn update_indexes(stack: &Stack, update: GlobalSecondaryIndexUpdate) {
    let attribute = |name: &str, kind| {
        let definition = AttributeDefinition::builder().attribute_name(name).attribute_type(kind);
        definition.build().expect("both are set")
    };
    let update = client(stack).update_table().table_name(REVIEWS).global_secondary_index_updates(update);
    let update = update.attribute_definitions(attribute("org_id", ScalarAttributeType::N));
    let update = update.attribute_definitions(attribute("effective_listing", ScalarAttributeType::S));
    let failed = update.send().await.err();
    // A repeated attempt finds what the first one has done.
    let is_done = |text: &str| text.contains("Index already exists");
    assert!(failed.as_ref().is_none_or(|error| error.message().is_some_and(is_done)), "{failed:?}");
}

async fn delete_index(stack: &Stack) {
    let delete = DeleteGlobalSecondaryIndexAction::builder().index_name(INDEX).build().expect("a name");
    update_indexes(stack, GlobalSecondaryIndexUpdate::builder().delete(delete).build()).await;
}

/// Makes the index that the page adds to the template.
async fn create_index(stack: &Stack) {
    let page = read("shared/docs/deploy.md");
    let section = page.split("\n## ").find(|section| section.starts_with("Updating from")).expect("the section");
    let key = |name: &str, kind: KeyType| {
        assert!(section.contains(&format!("{{ AttributeName: {name}, KeyType: {} }}", kind.as_str())), "{name}");
        KeySchemaElement::builder().attribute_name(name).key_type(kind).build().expect("both are set")
    };
    assert!(section.contains("IndexName: listing-index") && section.contains("ProjectionType: ALL"));
    let create = CreateGlobalSecondaryIndexAction::builder().index_name(INDEX);
    let create = create.key_schema(key("org_id", KeyType::Hash)).key_schema(key("effective_listing", KeyType::Range));
    let create = create.projection(Projection::builder().projection_type(ProjectionType::All).build());
    let create = create.build().expect("all is set");
    update_indexes(stack, GlobalSecondaryIndexUpdate::builder().create(create).build()).await;
}

/// Returns the findings of `doctor`, each with its command.
fn findings(rehearsal: &Rehearsal) -> Vec<String> {
    let report: Value = rehearsal.run("ops doctor --json").expect_exit(1).json();
    let findings = report["findings"].as_array().expect("a list").iter();
    findings.map(|one| format!("{}: {} -> {}", one["subject"], one["problem"], one["mend"]).replace('"', "")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_of_the_first_edition_are_counted_once_their_index_is_there() {
    let rehearsal = Rehearsal::of("Updating from the first edition of the ledger").await;
    let (stack, provider) = (&rehearsal.stack, rehearsal.key("PROVIDER"));
    let all = "/reviews?per_page=1";
    let before = rehearsal.get_cold(all, provider).await.json()["count"].as_u64().expect("a count");
    put(stack, "presence-businesses", &items_of("businesses.jsonl")).await;
    put(stack, REVIEWS, &items_of("reviews.jsonl")).await;
    delete_index(stack).await;

    // Step 2 without step 1: it refuses, and writes nothing.
    let found = findings(&rehearsal);
    let index = format!("index {INDEX} of {REVIEWS}: does not exist");
    assert!(found.iter().any(|finding| finding.starts_with(&index)), "{found:?}");
    let refused = rehearsal.run("ops migrate").expect_exit(1).stderr;
    assert!(refused.contains("has no listing-index: deploy the table first"), "{refused}");

    // Step 1, then step 2.
    create_index(stack).await;
    let found = findings(&rehearsal);
    assert!(found.iter().all(|finding| finding.ends_with("-> ops migrate")), "{found:?}");
    let refused = rehearsal.get_cold(all, provider).await;
    assert_eq!(refused.status, 503, "an organisation without trees: {}", refused.text);
    let line = log::query("request", &refused.request_id).remove(0);
    assert!(line["causes"].as_str().is_some_and(|text| text.contains("run `ops migrate`")), "{line}");
    let refused = rehearsal.run("ops migrate --finish --yes").expect_exit(1).stderr;
    assert!(refused.contains("migrate"), "nothing is deleted before step 2: {refused}");
    let dry_run = rehearsal.follow("cargo ops migrate --dry-run", &[]).expect_exit(0).stderr;
    assert!(dry_run.contains("1 to be rewritten"), "{dry_run}");
    rehearsal.run(rehearsal.command_exactly("cargo ops migrate")).expect_exit(0);

    // Step 4: imports may run again.
    rehearsal.follow("cargo ops reviews audit", &[]).expect_exit(0);
    rehearsal.run("ops reviews rebuild --org 43").expect_exit(0);
    let after = rehearsal.get_cold(all, provider).await;
    assert_eq!((after.status, &after.json()["count"]), (200, &json!(before + REVIEW_COUNT)));

    // Step 5.
    let finished = rehearsal.follow("cargo ops migrate --finish --yes", &[]).expect_exit(0).stderr;
    assert!(finished.contains(&format!("{FIRST_EDITION_ITEMS} items deleted")), "{finished}");
    let after = rehearsal.get_cold(all, provider).await;
    assert_eq!((after.status, &after.json()["count"]), (200, &json!(before + REVIEW_COUNT)));
    rehearsal.end().await;
}
