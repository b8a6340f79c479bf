//! "When counts of reviews are wrong": a damaged tree is found and built again.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_ledger::tree::{decode_root, encode_root};
use presence_local::{Stack, sdk_config};
use serde_json::Value;

use super::rehearsal::Rehearsal;

const TABLE: &str = "presence-reviews";

/// Changes the bytes of the root of a tree.
pub(super) async fn damage(stack: &Stack, tree: &str, change: impl FnOnce(&[u8]) -> Vec<u8>) {
    let client = Client::new(&sdk_config(stack.dynamodb_url()));
    let key = [("pk", format!("TREE#{tree}")), ("sk", "ROOT".to_owned())];
    let key = HashMap::from(key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value))));
    let read = client.get_item().table_name(TABLE).set_key(Some(key)).send().await.expect("an answer");
    let mut item = read.item.expect("a root");
    let bytes = change(item["v"].as_b().expect("bytes").as_ref());
    item.insert("v".to_owned(), AttributeValue::B(Blob::new(bytes)));
    client.put_item().table_name(TABLE).set_item(Some(item)).send().await.expect("a put");
}

/// Returns a root without its recent reviews but one.
pub(super) fn forget_recent(bytes: &[u8]) -> Vec<u8> {
    let mut root = decode_root(bytes).expect("a root");
    assert!(root.recent.len() > 1, "recent reviews");
    root.recent.truncate(1);
    encode_root(&root)
}

async fn count(rehearsal: &Rehearsal, query: &str) -> (u16, Value) {
    let answer = rehearsal.get_cold(&format!("/reviews?{query}"), rehearsal.key("ORG_ADMIN")).await;
    (answer.status, answer.json()["count"].clone())
}

#[tokio::test(flavor = "multi_thread")]
pub(super) async fn damaged_trees_of_reviews_are_found_and_built_again() {
    let rehearsal = Rehearsal::of("When counts of reviews are wrong").await;
    let org = &[("N", "42")];
    // Imports leave changes in the log; the auditor folds them into the trees.
    rehearsal.follow("cargo ops reviews rebuild --org N", org).expect_exit(0);
    let right = count(&rehearsal, "per_page=1").await;
    assert_eq!(right.0, 200);

    damage(&rehearsal.stack, "o:42", forget_recent).await;
    let wrong = count(&rehearsal, "per_page=1").await;
    assert_ne!(wrong, right, "the fault shows");
    let found = rehearsal.follow("cargo ops reviews audit --org N", org).expect_exit(1).stdout;
    assert!(found.starts_with("tree o:42: "), "{found}");
    rehearsal.follow("cargo ops reviews rebuild --org N", org).expect_exit(0);
    assert_eq!(count(&rehearsal, "per_page=1").await, right);

    damage(&rehearsal.stack, "o:42", |_| vec![1, 2, 3]).await;
    assert_eq!(count(&rehearsal, "per_page=2").await.0, 500, "a tree that cannot be read");
    rehearsal.follow("cargo ops reviews rebuild --org N", org).expect_exit(0);
    rehearsal.follow("cargo ops reviews audit --org N", org).expect_exit(0);
    assert_eq!(count(&rehearsal, "per_page=1").await, right);
    rehearsal.end().await;
}
