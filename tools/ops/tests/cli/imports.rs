//! `ops import`

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::stage::Stage;

const ORGS: &str = "{\"id\": 42, \"name\": \"Fast Retailer\"}\n{\"id\": 43, \"name\": \"Slow Retailer\"}\n";

fn tally(created: u64, updated: u64, unchanged: u64, rejected: u64) -> Value {
    json!({ "created": created, "updated": updated, "unchanged": unchanged, "rejected": rejected })
}

fn business(id: &str, org_id: u64, city: &str) -> String {
    format!("{}\n", json!({ "id": id, "org_id": org_id, "name": "Corner shop", "city": city }))
}

#[test]
fn running_an_import_again_changes_nothing() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", ORGS);
    assert_eq!(stage.ops("import orgs orgs.jsonl --json").exits(0).json(), tally(2, 0, 0, 0));
    let before = stage.items("presence-businesses");
    let again = stage.ops("import orgs orgs.jsonl").exits(0);
    assert!(again.stdout.is_empty());
    assert_eq!(again.stderr, "orgs: 0 created, 0 updated, 2 unchanged, 0 rejected\n");
    assert_eq!(stage.items("presence-businesses"), before);
}

#[test]
fn a_changed_row_is_an_update() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", ORGS);
    stage.ops("import orgs orgs.jsonl").exits(0);
    stage.write("orgs.jsonl", ORGS.replace("Fast", "Very Fast"));
    assert_eq!(stage.ops("import orgs orgs.jsonl --json").exits(0).json(), tally(0, 1, 1, 0));
    stage.write("shops.jsonl", business("b1", 42, "Lyon"));
    stage.ops("import businesses shops.jsonl").exits(0);
    stage.write("shops.jsonl", business("b1", 43, "Paris"));
    assert_eq!(stage.ops("import businesses shops.jsonl --json").exits(0).json(), tally(0, 1, 0, 0));
}

#[test]
fn a_dry_run_counts_and_writes_nothing() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", format!("{ORGS}nonsense\n"));
    assert_eq!(stage.ops("import orgs orgs.jsonl --dry-run --json").exits(4).json(), tally(2, 0, 0, 1));
    assert!(stage.items("presence-businesses").is_empty());
    stage.write("orgs.jsonl", ORGS);
    stage.ops("import orgs orgs.jsonl").exits(0);
    let before = stage.items("presence-businesses");
    stage.write("orgs.jsonl", ORGS.replace("Slow", "Slower"));
    assert_eq!(stage.ops("import orgs orgs.jsonl --dry-run --json").exits(0).json(), tally(0, 1, 1, 0));
    assert_eq!(stage.items("presence-businesses"), before);
}

#[test]
fn rejected_rows_are_listed_in_order_with_line_reason_and_text() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", ORGS);
    stage.ops("import orgs orgs.jsonl").exits(0);
    let mut file = business("b1", 42, "Saint-Étienne").into_bytes();
    file.extend_from_slice(b"\n{\"id\":\"b2\"\n");
    file.extend(business("b3", 99, "Lyon").into_bytes());
    file.extend_from_slice(b"\xff\n");
    file.extend(format!("{{\"id\":\"{}\"}}\n", "x".repeat(2 << 20)).into_bytes());
    file.extend(business("b4", 43, "").trim_end().as_bytes());
    stage.write("shops.jsonl", file);
    let run = stage.ops("import businesses shops.jsonl --json").exits(4);
    assert_eq!(run.json(), tally(2, 0, 0, 4));
    assert!(run.stderr.contains("shops.jsonl.rejected.jsonl"), "{}", run.stderr);
    let rejected = stage.rejected("shops.jsonl.rejected.jsonl").expect("there is a file");
    let lines: Vec<_> = rejected.iter().map(|(line, ..)| *line).collect();
    assert_eq!(lines, [3, 4, 5, 6]);
    let starts =
        ["is not valid JSON: ", "org_id: there is no organisation 99", "is not valid UTF-8", "the line is longer than"];
    for ((_, reason, _), start) in rejected.iter().zip(starts) {
        assert!(reason.starts_with(start), "{reason}");
    }
    assert_eq!(
        (rejected[0].2.as_str(), rejected[1].2.as_str()),
        ("{\"id\":\"b2\"", business("b3", 99, "Lyon").trim_end())
    );
    assert!(rejected[3].2.len() < 2_000, "a line without end is not copied");
}

#[test]
fn the_rejected_rows_of_an_earlier_run_are_gone_after_a_good_one() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", "{\"id\": 42}\n");
    stage.ops("import orgs orgs.jsonl").exits(4);
    assert_eq!(stage.rejected("orgs.jsonl.rejected.jsonl").map(|rows| rows.len()), Some(1));
    stage.write("orgs.jsonl", ORGS);
    stage.ops("import orgs orgs.jsonl").exits(0);
    assert_eq!(stage.rejected("orgs.jsonl.rejected.jsonl"), None);
}

#[test]
fn rows_come_from_standard_input_too() {
    let stage = Stage::new();
    let run = stage.ops_reading("import orgs - --json", format!("{ORGS}{{}}\n").as_bytes()).exits(4);
    assert_eq!(run.json(), tally(2, 0, 0, 1));
    let rejected = stage.rejected("stdin.rejected.jsonl").expect("there is a file");
    assert_eq!(rejected, [(3, "missing field `id`".to_owned(), "{}".to_owned())]);
}

#[test]
fn the_last_row_of_an_id_wins() {
    let stage = Stage::new();
    let mut orgs = String::new();
    for round in 0..40 {
        for id in 1..=3 {
            writeln!(orgs, "{{\"id\": {id}, \"name\": \"Round {round}\"}}").expect("text grows");
        }
    }
    stage.write("orgs.jsonl", orgs);
    assert_eq!(stage.ops("import orgs orgs.jsonl --json").exits(0).json(), tally(3, 117, 0, 0));
    for org in stage.items("presence-businesses") {
        assert_eq!(org["name"].as_s().map(String::as_str), Ok("Round 39"));
    }
}

#[test]
fn two_thousand_businesses_are_created_then_unchanged() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", ORGS);
    stage.ops("import orgs orgs.jsonl").exits(0);
    let rows: String = (0..2_000).map(|n| business(&format!("b{n}"), 42 + n % 2, "Saint-Étienne")).collect();
    stage.write("shops.jsonl", rows);
    assert_eq!(stage.ops("import businesses shops.jsonl --json").exits(0).json(), tally(2_000, 0, 0, 0));
    assert_eq!(stage.ops("import businesses shops.jsonl --json").exits(0).json(), tally(0, 0, 2_000, 0));
}

#[test]
fn a_file_that_cannot_be_read_or_tables_that_are_missing_fail() {
    let stage = Stage::bare();
    let run = stage.ops("import orgs nowhere.jsonl").exits(1);
    assert!(run.stderr.starts_with("error: cannot read nowhere.jsonl: "), "{}", run.stderr);
    assert!(stage.ops("import orgs .").exits(1).stderr.contains("is a folder"));
    stage.write("orgs.jsonl", ORGS);
    let run = stage.ops("import orgs orgs.jsonl --json").exits(1);
    assert!(run.stderr.contains("simply run it again"), "{}", run.stderr);
    let summary = run.json();
    assert_eq!(
        (&summary["created"], &summary["stopped"]),
        (&0.into(), &true.into()),
        "what was written, and that it stopped"
    );
}

#[test]
fn an_empty_file_is_done() {
    let stage = Stage::new();
    stage.write("orgs.jsonl", "\n");
    assert_eq!(stage.ops("import orgs orgs.jsonl --json").exits(0).json(), tally(0, 0, 0, 0));
}
