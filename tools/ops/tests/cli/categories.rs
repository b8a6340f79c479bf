//! `ops import categories`

use serde_json::{Value, json};

use crate::stage::Stage;

const TABLE: &str = "presence-categories";

fn tally(created: u64, updated: u64, unchanged: u64, rejected: u64) -> Value {
    json!({ "created": created, "updated": updated, "unchanged": unchanged, "rejected": rejected })
}

fn category(id: &str, name: &str) -> String {
    let row = json!({ "id": id, "code": format!("code_{id}"), "names": { "GB": name, "FR": "Nom" },
        "ancestors": { "GB": ["Shop"] }, "partners": { "partner_4": [{ "id": "a1", "name": name }] } });
    format!("{row}\n")
}

fn many(name: &str) -> String {
    (0..250).map(|n| category(&format!("c{n}"), &format!("{name} {n}"))).collect()
}

/// The version of the directory; 0 without one.
fn version(stage: &Stage) -> u64 {
    let head = stage.items(TABLE).into_iter().find(|item| item["pk"].as_s().is_ok_and(|pk| pk == "DIRECTORY"));
    head.and_then(|head| head["version"].as_n().ok()?.parse().ok()).unwrap_or_default()
}

#[test]
fn running_an_import_again_changes_nothing_and_keeps_the_version() {
    let stage = Stage::new();
    stage.write("categories.jsonl", many("Shop"));
    assert_eq!(stage.ops("import categories categories.jsonl --json").exits(0).json(), tally(250, 0, 0, 0));
    let before = stage.items(TABLE);
    assert_eq!((before.len(), version(&stage)), (251, 1));
    let again = stage.ops("import categories categories.jsonl").exits(0);
    assert_eq!(again.stderr, "categories: 0 created, 0 updated, 250 unchanged, 0 rejected\n");
    assert_eq!(stage.items(TABLE), before);
    stage.write("one.jsonl", category("c7", "Renamed"));
    assert_eq!(stage.ops("import categories one.jsonl --json").exits(0).json(), tally(0, 1, 0, 0));
    assert_eq!((stage.items(TABLE).len(), version(&stage)), (251, 2));
}

#[test]
fn a_dry_run_counts_and_writes_nothing() {
    let stage = Stage::new();
    stage.write("categories.jsonl", format!("{}nonsense\n", many("Shop")));
    assert_eq!(stage.ops("import categories categories.jsonl --dry-run --json").exits(4).json(), tally(250, 0, 0, 1));
    assert!(stage.items(TABLE).is_empty());
    stage.ops("import categories categories.jsonl").exits(4);
    let before = stage.items(TABLE);
    stage.write("categories.jsonl", many("Shop").replacen("Shop 7\"", "Shop seven\"", 2) + &category("new", "New"));
    assert_eq!(stage.ops("import categories categories.jsonl --dry-run --json").exits(0).json(), tally(1, 1, 249, 0));
    assert_eq!(stage.items(TABLE), before);
}

#[test]
fn rejected_rows_have_their_reasons_and_the_others_count() {
    let stage = Stage::new();
    let rows = [
        category("c1", "Bank"),
        "{\"id\":\"c2\"\n".to_owned(),
        category("a/b", "Bank"),
        category("c3", ""),
        "{\"id\":\"c4\",\"code\":\"x\",\"names\":{\"en\":\"Bank\"}}\n".to_owned(),
        "{\"id\":\"c5\",\"code\":\"x\",\"names\":{},\"partners\":{\"partner_13\":[]}}\n".to_owned(),
        "{\"id\":\"c6\",\"code\":\"x\",\"names\":{},\"partners\":{\"partner_4\":[\"a\"]}}\n".to_owned(),
        category("c7", "School"),
    ];
    let run = stage.ops_reading("import categories - --json", rows.concat().as_bytes()).exits(4);
    assert_eq!(run.json(), tally(2, 0, 0, 6));
    let rejected = stage.rejected("stdin.rejected.jsonl").expect("there is a file");
    let found: Vec<_> = rejected.iter().map(|(line, reason, _)| (*line, reason.as_str())).collect();
    let starts = [
        (2, "is not valid JSON"),
        (3, "id: must have 1 to 64"),
        (4, "names.GB: must have 1 to 255 characters"),
        (5, "names: the key `en` is not an ISO 3166"),
        (6, "partners.partner_13: unknown field"),
        (7, "partners.partner_4[0]: invalid type"),
    ];
    for ((line, reason), (expected_line, start)) in found.into_iter().zip(starts) {
        assert!(line == expected_line && reason.starts_with(start), "line {line}: {reason}");
    }
    assert_eq!((stage.items(TABLE).len(), version(&stage)), (3, 1));
}

#[test]
fn the_last_row_of_an_id_wins() {
    let stage = Stage::new();
    let rows: String = (0..40).flat_map(|n| [category("c1", &format!("One {n}")), category("c2", "Two")]).collect();
    stage.write("categories.jsonl", rows);
    assert_eq!(stage.ops("import categories categories.jsonl --json").exits(0).json(), tally(2, 39, 39, 0));
    let stored = format!("{:?}", stage.items(TABLE));
    assert!(stored.contains("One 39") && !stored.contains("One 38"), "{stored}");
}

#[test]
fn an_import_killed_at_any_time_is_simply_run_again() {
    let stage = Stage::new();
    stage.write("categories.jsonl", many("Shop"));
    // As if the process had died: what came through the pipe is not the whole file, and its end never comes.
    for rows in [0, 1, 98, 99, 100, 198, 230] {
        let part: String = many("Other").split_inclusive('\n').take(rows).collect();
        stage.killed("import categories -", part.as_bytes());
        assert_eq!(version(&stage), 0, "{rows} rows of an import count for nothing");
    }
    assert_eq!(stage.ops("import categories categories.jsonl --json").exits(0).json(), tally(250, 0, 0, 0));
    assert_eq!((stage.items(TABLE).len(), version(&stage)), (251, 1));
    assert!(!format!("{:?}", stage.items(TABLE)).contains("Other"));
}

#[test]
fn help_says_that_nothing_is_removed() {
    let help = Stage::bare().ops("import categories --help").exits(0).stdout;
    assert!(help.contains("Categories that are not in the file stay as they are"), "{help}");
}
