//! `ops reviews`: what is planted is found and mended.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;

use super::{Item, TABLE, changed, clean, content, lines, row, stage, tally};

#[test]
fn an_audit_finds_what_was_planted_and_a_rebuild_mends_it() {
    let stage = stage();
    stage.ops_reading("import reviews -", lines((0..90).map(row)).as_bytes()).exits(0);
    let before = content(&stage);
    let find = |pk: &str, sk: &str| {
        let is_it = |item: &Item| {
            let starts = |name: &str, start: &str| item[name].as_s().is_ok_and(|text| text.starts_with(start));
            starts("pk", pk) && starts("sk", sk)
        };
        stage.items(TABLE).into_iter().find(is_it).expect("there is one")
    };
    let number = |item: &Item| {
        let names = item.iter().filter(|(name, value)| value.as_n().is_ok() && *name != "version");
        names.map(|(name, _)| name.clone()).min().expect("there is a number")
    };
    let mut day = find("T#c:42:lyon", "D#2024-02-29");
    day.insert(number(&day), AttributeValue::N("7".to_owned()));
    stage.put(TABLE, day);
    let mut month = find("T#o:42", "M#2023-07");
    month.remove(&number(&month));
    stage.put(TABLE, month);
    let mut slips = find("L#o:42#2024-03", "");
    let lost = number(&slips);
    slips.remove(&lost);
    slips.insert("zzzzzzzzzzzz".to_owned(), AttributeValue::N("1".to_owned()));
    stage.put(TABLE, slips);

    let audit = stage.ops("reviews audit").exits(1);
    let found: Vec<_> = audit.stdout.lines().collect();
    assert_eq!(found.len(), 3, "{}", audit.stdout);
    assert!(found[0].starts_with("slips L#o:42#2024-03 "), "{}", found[0]);
    assert!(found[0].ends_with(&format!(": lack {lost}; name without a reason zzzzzzzzzzzz")), "{}", found[0]);
    assert!(found[1].starts_with("tally T#c:42:lyon D#2024-02-29: counts 7 where there are "), "{}", found[1]);
    assert!(found[2].starts_with("tally T#o:42 M#2023-07: counts 0 where there are "), "{}", found[2]);
    assert_eq!(audit.stderr, "orgs: 2, reviews: 90, findings: 3\n");
    assert_eq!(stage.ops("reviews audit --org 43").exits(0).stderr, "orgs: 1, reviews: 30, findings: 0\n");

    let rebuilt = stage.ops("reviews rebuild --org 42 --json").exits(0).json();
    assert_eq!(rebuilt, json!({ "reviews": 60, "moved": 0, "rewritten": 3 }));
    clean(&stage);
    assert_eq!(content(&stage), before);
}

#[test]
fn a_rebuild_makes_a_whole_ledger_out_of_reviews_alone() {
    let stage = stage();
    stage.ops_reading("import reviews -", lines((0..90).map(row)).as_bytes()).exits(0);
    let before = content(&stage);
    for item in stage.items(TABLE) {
        if !item["pk"].as_s().is_ok_and(|pk| pk.starts_with("R#")) {
            let key = ["pk", "sk"].into_iter().map(|name| (name.to_owned(), item[name].clone())).collect();
            stage.delete(TABLE, key);
        }
    }
    stage.ops("reviews audit --org 43").exits(1);
    stage.ops("reviews rebuild --org 42").exits(0);
    stage.ops("reviews rebuild --org 43").exits(0);
    clean(&stage);
    assert_eq!(content(&stage), before);
}

#[test]
fn reviews_whose_ids_collide_live_side_by_side() {
    let (first, second) = (row(1), changed(&row(1), &json!({ "partner_id": "another" })));
    let stage = stage();
    stage.ops_reading("import reviews -", lines([first.clone()]).as_bytes()).exits(0);
    // The item of the first, as if the digest of the second were the same.
    let mut item = stage.items(TABLE).into_iter().find(|item| item["sk"].as_s().is_ok_and(|sk| sk == "R")).expect("it");
    let other = super::stage();
    other.ops_reading("import reviews -", lines([second.clone()]).as_bytes()).exits(0);
    let theirs = other.items(TABLE).into_iter().find(|item| item["sk"].as_s().is_ok_and(|sk| sk == "R")).expect("it");
    item.insert("partner_id".to_owned(), AttributeValue::S("a third".to_owned()));
    for name in ["pk", "id", "effective_listing"] {
        item.insert(name.to_owned(), theirs[name].clone());
    }
    stage.put(TABLE, item);
    let import = || stage.ops_reading("import reviews - --json", lines([second.clone()]).as_bytes()).exits(0).json();
    assert_eq!(import(), tally(1, 0, 0, 0));
    assert_eq!(import(), tally(0, 0, 1, 0));
    assert_eq!(stage.items(TABLE).iter().filter(|item| item["sk"].as_s().is_ok_and(|sk| sk == "R")).count(), 3);
    stage.ops("reviews rebuild --org 42").exits(0);
    clean(&stage);
}

/// Reviews of the last day that an earlier version wrote under the day before.
#[test]
fn a_review_that_is_filed_under_the_day_before_is_found_and_mended() {
    let stage = stage();
    let last = changed(&row(1), &json!({ "date": "9999-12-31T21:30:00Z" }));
    stage.ops_reading("import reviews -", lines([last, row(4)]).as_bytes()).exits(0);
    clean(&stage);
    let before = content(&stage);
    let mut moved = 0;
    for mut item in stage.items(TABLE) {
        let text = |name: &str| item[name].as_s().cloned().unwrap_or_default();
        let (pk, sk) = (text("pk"), text("sk"));
        let filed = match sk.strip_prefix("31") {
            Some(rest) if pk.starts_with("L#") && pk.ends_with("#9999-12") => format!("30{rest}"),
            _ if sk == "D#9999-12-31" => "D#9999-12-30".to_owned(),
            _ => continue,
        };
        let key = ["pk", "sk"].into_iter().map(|name| (name.to_owned(), item[name].clone())).collect();
        stage.delete(TABLE, key);
        item.insert("sk".to_owned(), AttributeValue::S(filed));
        stage.put(TABLE, item);
        moved += 1;
    }
    assert_eq!(moved, 4, "tally and slips of the organisation and of its city");

    let audit = stage.ops("reviews audit").exits(1);
    assert_eq!(audit.stdout.lines().count(), 8, "where it is, and where it is not: {}", audit.stdout);
    assert!(audit.stdout.contains("tally T#o:42 D#9999-12-31: counts 0 where there are 1"), "{}", audit.stdout);
    let rebuilt = stage.ops("reviews rebuild --org 42 --json").exits(0).json();
    assert_eq!(rebuilt, json!({ "reviews": 2, "moved": 0, "rewritten": 8 }));
    clean(&stage);
    assert_eq!(content(&stage), before);
}
