//! `ops reviews audit` and `rebuild`: damaged trees are found and corrected.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use presence_domain::review::ReviewId;
use presence_ledger::ReviewNumber;
use presence_ledger::tree::{TreeRoot, decode_root, encode_root};
use serde_json::json;

use super::{TABLE, assert_no_findings, changed, env_with_businesses, lines, row, table_content};
use crate::cli_env::{CliEnv, Item};
use crate::rows::summary;

/// Brings what was imported from the log into the trees of organisation 42.
fn fold(env: &CliEnv) {
    let rebuilt = env.run("reviews rebuild --org 42 --json").expect_exit(0).json();
    assert_eq!(rebuilt["rewritten"], 0, "nothing is wrong");
}

/// Returns the item with the root of a tree. 90 reviews are in roots: no tree has nodes.
fn root_item(env: &CliEnv, set: &str) -> Item {
    let is_root = |item: &Item| item["pk"].as_s().is_ok_and(|pk| *pk == format!("TREE#{set}"));
    env.scan(TABLE).into_iter().find(is_root).expect("a root")
}

/// Changes the root of a tree. No write of the service does this.
fn damage_root(env: &CliEnv, set: &str, damage: impl FnOnce(&mut TreeRoot)) {
    let mut item = root_item(env, set);
    let mut root = decode_root(item["v"].as_b().expect("bytes").as_ref()).expect("a root");
    damage(&mut root);
    item.insert("v".to_owned(), AttributeValue::B(Blob::new(encode_root(&root))));
    env.put_item(TABLE, item);
}

fn is_review(item: &Item) -> bool {
    item["sk"].as_s().is_ok_and(|sk| sk == "R")
}

#[test]
fn audit_finds_damaged_trees_and_rebuild_corrects_them() {
    let env = env_with_businesses();
    env.run_with_stdin("import reviews -", lines((0..90).map(row)).as_bytes()).expect_exit(0);
    fold(&env);
    let before = table_content(&env);
    let mut lost = String::new();
    damage_root(&env, "c:42:lyon", |root| {
        lost = root.recent.remove(3).key.id.to_id().expect("an id").as_str().to_owned();
    });
    damage_root(&env, "o:42", |root| {
        let mut stray = *root.recent.last().expect("a posting");
        stray.key.id = ReviewNumber::of(&ReviewId::parse("zzzzzzzzzzzz").expect("an id"));
        root.recent.push(stray);
    });
    let mut garbled = root_item(&env, "b:42:b1");
    garbled.insert("v".to_owned(), AttributeValue::B(Blob::new([1, 2, 3])));
    env.put_item(TABLE, garbled);

    let audit = env.run("reviews audit").expect_exit(1);
    let found: Vec<_> = audit.stdout.lines().collect();
    assert_eq!(found.len(), 3, "{}", audit.stdout);
    assert!(
        found[0].starts_with("tree b:42:b1: the root: stored bytes of the ledger cannot be read: "),
        "{}",
        found[0]
    );
    assert_eq!(found[1], format!("tree c:42:lyon: lacks {lost}"));
    assert_eq!(found[2], "tree o:42: names without a reason zzzzzzzzzzzz");
    assert_eq!(audit.stderr, "orgs: 2, reviews: 90, findings: 3\nnext: ops reviews rebuild --org N\n");
    assert_eq!(env.run("reviews audit --org 43").expect_exit(0).stderr, "orgs: 1, reviews: 30, findings: 0\n");

    let stored = env.scan(TABLE);
    let plan = env.run("reviews rebuild --org 42 --dry-run").expect_exit(0);
    assert_eq!((plan.stdout.as_str(), plan.target), ("tree b:42:b1\ntree c:42:lyon\ntree o:42\n", None));
    let plan = env.run("reviews rebuild --org 42 --dry-run --json").expect_exit(0).json();
    let trees = ["tree b:42:b1", "tree c:42:lyon", "tree o:42"];
    let expected = json!({ "reviews": 60, "moved": 0, "rewritten": 3, "folded": 0, "unused_nodes": 0, "trees": trees });
    assert_eq!(plan, expected);
    assert_eq!(env.scan(TABLE), stored, "a dry run writes nothing");

    let rebuilt = env.run("reviews rebuild --org 42 --json").expect_exit(0);
    assert_eq!(rebuilt.json(), json!({ "reviews": 60, "moved": 0, "rewritten": 3 }));
    assert_eq!(
        rebuilt.target,
        Some(format!("endpoint {}, tables presence-*", env.url())),
        "it says first where it writes"
    );
    assert_no_findings(&env);
    assert_eq!(table_content(&env), before);
    let plan = env.run("reviews rebuild --org 42 --dry-run --json").expect_exit(0).json();
    assert_eq!((&plan["rewritten"], &plan["trees"]), (&json!(0), &json!([])));
}

#[test]
fn rebuild_creates_the_ledger_from_the_reviews() {
    let env = env_with_businesses();
    env.run_with_stdin("import reviews -", lines((0..90).map(row)).as_bytes()).expect_exit(0);
    let before = table_content(&env);
    for item in env.scan(TABLE) {
        if !item["pk"].as_s().is_ok_and(|pk| pk.starts_with("R#")) {
            env.delete_item(TABLE, &item);
        }
    }
    env.run("reviews audit --org 43").expect_exit(1);
    env.run("reviews rebuild --org 42").expect_exit(0);
    env.run("reviews rebuild --org 43").expect_exit(0);
    assert_no_findings(&env);
    assert_eq!(table_content(&env), before);
}

#[test]
fn reviews_whose_ids_collide_are_both_stored() {
    let (first, second) = (row(1), changed(&row(1), &json!({ "partner_id": "another" })));
    let env = env_with_businesses();
    env.run_with_stdin("import reviews -", lines([first.clone()]).as_bytes()).expect_exit(0);
    // The item of the first review gets the id of the second, as if their digests collided.
    let mut item = env.scan(TABLE).into_iter().find(is_review).expect("the review");
    let other = env_with_businesses();
    other.run_with_stdin("import reviews -", lines([second.clone()]).as_bytes()).expect_exit(0);
    let other_item = other.scan(TABLE).into_iter().find(is_review).expect("the review");
    let mut body = item["body"].as_b().expect("bytes").clone().into_inner();
    let partner_id = b"review 1";
    let at = body.windows(partner_id.len()).position(|bytes| bytes == partner_id).expect("the partner's id");
    body[at..at + partner_id.len()].copy_from_slice(b"review X");
    item.insert("body".to_owned(), AttributeValue::B(Blob::new(body)));
    for name in ["pk", "effective_listing"] {
        item.insert(name.to_owned(), other_item[name].clone());
    }
    env.put_item(TABLE, item);
    let import =
        || env.run_with_stdin("import reviews - --json", lines([second.clone()]).as_bytes()).expect_exit(0).json();
    assert_eq!(import(), summary(1, 0, 0, 0));
    assert_eq!(import(), summary(0, 0, 1, 0));
    assert_eq!(env.scan(TABLE).into_iter().filter(is_review).count(), 3);
    env.run("reviews rebuild --org 42").expect_exit(0);
    assert_no_findings(&env);
}
