//! `ops reviews audit` and `rebuild`: damaged items are found and corrected.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use super::{TABLE, assert_no_findings, changed, env_with_businesses, lines, row, table_content};
use crate::cli_env::{CliEnv, Item};
use crate::rows::summary;

/// Returns the first item whose keys begin with these texts.
fn find_item(env: &CliEnv, pk: &str, sk: &str) -> Item {
    let starts_with = |item: &Item, name: &str, start: &str| item[name].as_s().is_ok_and(|key| key.starts_with(start));
    let mut items = env.scan(TABLE).into_iter();
    items.find(|item| starts_with(item, "pk", pk) && starts_with(item, "sk", sk)).expect("an item")
}

/// Returns the first name of an attribute that holds a number: a count, or a posting.
fn first_number_attribute(item: &Item) -> String {
    let names = item.iter().filter(|(name, value)| value.as_n().is_ok() && *name != "version");
    names.map(|(name, _)| name.clone()).min().expect("a number")
}

fn is_review(item: &Item) -> bool {
    item["sk"].as_s().is_ok_and(|sk| sk == "R")
}

#[test]
fn audit_finds_damaged_items_and_rebuild_corrects_them() {
    let env = env_with_businesses();
    env.run_with_stdin("import reviews -", lines((0..90).map(row)).as_bytes()).expect_exit(0);
    let before = table_content(&env);
    let mut day = find_item(&env, "T#c:42:lyon", "D#2024-02-29");
    day.insert(first_number_attribute(&day), AttributeValue::N("7".to_owned()));
    env.put_item(TABLE, day);
    let mut month = find_item(&env, "T#o:42", "M#2023-07");
    month.remove(&first_number_attribute(&month));
    env.put_item(TABLE, month);
    let mut postings = find_item(&env, "L#o:42#2024-03", "");
    let lost = first_number_attribute(&postings);
    postings.remove(&lost);
    postings.insert("zzzzzzzzzzzz".to_owned(), AttributeValue::N("1".to_owned()));
    env.put_item(TABLE, postings);

    let audit = env.run("reviews audit").expect_exit(1);
    let found: Vec<_> = audit.stdout.lines().collect();
    assert_eq!(found.len(), 3, "{}", audit.stdout);
    assert!(found[0].starts_with("slips L#o:42#2024-03 "), "{}", found[0]);
    assert!(found[0].ends_with(&format!(": lack {lost}; name without a reason zzzzzzzzzzzz")), "{}", found[0]);
    assert!(found[1].starts_with("tally T#c:42:lyon D#2024-02-29: counts 7 where there are "), "{}", found[1]);
    assert!(found[2].starts_with("tally T#o:42 M#2023-07: counts 0 where there are "), "{}", found[2]);
    assert_eq!(audit.stderr, "orgs: 2, reviews: 90, findings: 3\n");
    assert_eq!(env.run("reviews audit --org 43").expect_exit(0).stderr, "orgs: 1, reviews: 30, findings: 0\n");

    let rebuilt = env.run("reviews rebuild --org 42 --json").expect_exit(0).json();
    assert_eq!(rebuilt, json!({ "reviews": 60, "moved": 0, "rewritten": 3 }));
    assert_no_findings(&env);
    assert_eq!(table_content(&env), before);
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
    item.insert("partner_id".to_owned(), AttributeValue::S("a third".to_owned()));
    for name in ["pk", "id", "effective_listing"] {
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

#[test]
fn review_stored_under_the_day_before_is_found_and_corrected() {
    // An earlier version stored reviews of the last day under the day before.
    let env = env_with_businesses();
    let last = changed(&row(1), &json!({ "date": "9999-12-31T21:30:00Z" }));
    env.run_with_stdin("import reviews -", lines([last, row(4)]).as_bytes()).expect_exit(0);
    assert_no_findings(&env);
    let before = table_content(&env);
    let mut moved = 0;
    for mut item in env.scan(TABLE) {
        let text = |name: &str| item[name].as_s().cloned().unwrap_or_default();
        let (pk, sk) = (text("pk"), text("sk"));
        let old_sk = match sk.strip_prefix("31") {
            Some(rest) if pk.starts_with("L#") && pk.ends_with("#9999-12") => format!("30{rest}"),
            _ if sk == "D#9999-12-31" => "D#9999-12-30".to_owned(),
            _ => continue,
        };
        env.delete_item(TABLE, &item);
        item.insert("sk".to_owned(), AttributeValue::S(old_sk));
        env.put_item(TABLE, item);
        moved += 1;
    }
    assert_eq!(moved, 4, "counts and postings of the organisation and of its city");

    let audit = env.run("reviews audit").expect_exit(1);
    assert_eq!(audit.stdout.lines().count(), 8, "findings at the wrong day and at the right one: {}", audit.stdout);
    assert!(audit.stdout.contains("tally T#o:42 D#9999-12-31: counts 0 where there are 1"), "{}", audit.stdout);
    let rebuilt = env.run("reviews rebuild --org 42 --json").expect_exit(0).json();
    assert_eq!(rebuilt, json!({ "reviews": 2, "moved": 0, "rewritten": 8 }));
    assert_no_findings(&env);
    assert_eq!(table_content(&env), before);
}
