//! `ops import orgs` and `businesses`, and the behaviour that all imports share.

use std::fmt::Write as _;

use crate::cli_env::CliEnv;
use crate::rows::{ORGS, business_row, summary};

#[test]
fn running_an_import_again_changes_nothing() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", ORGS);
    assert_eq!(env.run("import orgs orgs.jsonl --json").expect_exit(0).json(), summary(2, 0, 0, 0));
    let before = env.scan("presence-businesses");
    let again = env.run("import orgs orgs.jsonl").expect_exit(0);
    assert!(again.stdout.is_empty());
    assert_eq!(again.stderr, "orgs: 0 created, 0 updated, 2 unchanged, 0 rejected\n");
    assert_eq!(env.scan("presence-businesses"), before);
}

#[test]
fn changed_row_is_an_update() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", ORGS);
    env.run("import orgs orgs.jsonl").expect_exit(0);
    env.write_file("orgs.jsonl", ORGS.replace("Fast", "Very Fast"));
    assert_eq!(env.run("import orgs orgs.jsonl --json").expect_exit(0).json(), summary(0, 1, 1, 0));
    env.write_file("shops.jsonl", business_row("b1", 42, "Lyon"));
    env.run("import businesses shops.jsonl").expect_exit(0);
    env.write_file("shops.jsonl", business_row("b1", 43, "Paris"));
    assert_eq!(env.run("import businesses shops.jsonl --json").expect_exit(0).json(), summary(0, 1, 0, 0));
}

#[test]
fn dry_run_counts_and_writes_nothing() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", format!("{ORGS}nonsense\n"));
    assert_eq!(env.run("import orgs orgs.jsonl --dry-run --json").expect_exit(4).json(), summary(2, 0, 0, 1));
    assert!(env.scan("presence-businesses").is_empty());
    env.write_file("orgs.jsonl", ORGS);
    env.run("import orgs orgs.jsonl").expect_exit(0);
    let before = env.scan("presence-businesses");
    env.write_file("orgs.jsonl", ORGS.replace("Slow", "Slower"));
    assert_eq!(env.run("import orgs orgs.jsonl --dry-run --json").expect_exit(0).json(), summary(0, 1, 1, 0));
    assert_eq!(env.scan("presence-businesses"), before);
}

#[test]
fn rejected_rows_are_listed_in_order_with_line_reason_and_text() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", ORGS);
    env.run("import orgs orgs.jsonl").expect_exit(0);
    let mut file = business_row("b1", 42, "Saint-Étienne").into_bytes();
    file.extend_from_slice(b"\n{\"id\":\"b2\"\n");
    file.extend(business_row("b3", 99, "Lyon").into_bytes());
    file.extend_from_slice(b"\xff\n");
    file.extend(format!("{{\"id\":\"{}\"}}\n", "x".repeat(2 << 20)).into_bytes());
    file.extend(business_row("b4", 43, "").trim_end().as_bytes());
    env.write_file("shops.jsonl", file);
    let run = env.run("import businesses shops.jsonl --json").expect_exit(4);
    assert_eq!(run.json(), summary(2, 0, 0, 4));
    assert!(run.stderr.contains("shops.jsonl.rejected.jsonl"), "{}", run.stderr);
    let rejected = env.rejected_rows("shops.jsonl.rejected.jsonl").expect("there is a file");
    let lines: Vec<_> = rejected.iter().map(|(line, ..)| *line).collect();
    assert_eq!(lines, [3, 4, 5, 6]);
    let starts =
        ["is not valid JSON: ", "org_id: there is no organisation 99", "is not valid UTF-8", "the line is longer than"];
    for ((_, reason, _), start) in rejected.iter().zip(starts) {
        assert!(reason.starts_with(start), "{reason}");
    }
    assert_eq!(
        (rejected[0].2.as_str(), rejected[1].2.as_str()),
        ("{\"id\":\"b2\"", business_row("b3", 99, "Lyon").trim_end())
    );
    assert!(rejected[3].2.len() < 2_000, "a line that is too long is not copied");
}

#[test]
fn import_without_rejected_rows_removes_the_file_of_an_earlier_run() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", "{\"id\": 42}\n");
    env.run("import orgs orgs.jsonl").expect_exit(4);
    assert_eq!(env.rejected_rows("orgs.jsonl.rejected.jsonl").map(|rows| rows.len()), Some(1));
    env.write_file("orgs.jsonl", ORGS);
    env.run("import orgs orgs.jsonl").expect_exit(0);
    assert_eq!(env.rejected_rows("orgs.jsonl.rejected.jsonl"), None);
}

#[test]
fn rows_are_read_from_standard_input() {
    let env = CliEnv::new();
    let run = env.run_with_stdin("import orgs - --json", format!("{ORGS}{{}}\n").as_bytes()).expect_exit(4);
    assert_eq!(run.json(), summary(2, 0, 0, 1));
    let rejected = env.rejected_rows("stdin.rejected.jsonl").expect("there is a file");
    assert_eq!(rejected, [(3, "missing field `id`".to_owned(), "{}".to_owned())]);
}

#[test]
fn last_row_of_an_id_wins() {
    let env = CliEnv::new();
    let mut orgs = String::new();
    for round in 0..40 {
        for id in 1..=3 {
            writeln!(orgs, "{{\"id\": {id}, \"name\": \"Round {round}\"}}").expect("text grows");
        }
    }
    env.write_file("orgs.jsonl", orgs);
    assert_eq!(env.run("import orgs orgs.jsonl --json").expect_exit(0).json(), summary(3, 117, 0, 0));
    for org in env.scan("presence-businesses") {
        assert_eq!(org["name"].as_s().map(String::as_str), Ok("Round 39"));
    }
}

#[test]
fn two_thousand_businesses_are_created_then_unchanged() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", ORGS);
    env.run("import orgs orgs.jsonl").expect_exit(0);
    let rows: String = (0..2_000).map(|n| business_row(&format!("b{n}"), 42 + n % 2, "Saint-Étienne")).collect();
    env.write_file("shops.jsonl", rows);
    assert_eq!(env.run("import businesses shops.jsonl --json").expect_exit(0).json(), summary(2_000, 0, 0, 0));
    assert_eq!(env.run("import businesses shops.jsonl --json").expect_exit(0).json(), summary(0, 0, 2_000, 0));
}

#[test]
fn unreadable_file_and_missing_tables_fail() {
    let env = CliEnv::without_tables();
    let run = env.run("import orgs nowhere.jsonl").expect_exit(1);
    assert!(run.stderr.starts_with("error: cannot read nowhere.jsonl: "), "{}", run.stderr);
    assert!(env.run("import orgs .").expect_exit(1).stderr.contains("is a folder"));
    env.write_file("orgs.jsonl", ORGS);
    let run = env.run("import orgs orgs.jsonl --json").expect_exit(1);
    assert!(run.stderr.contains("simply run it again"), "{}", run.stderr);
    let summary = run.json();
    assert_eq!(
        (&summary["created"], &summary["stopped"]),
        (&0.into(), &true.into()),
        "the counts, and that the import stopped"
    );
}

#[test]
fn empty_file_is_imported() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", "\n");
    assert_eq!(env.run("import orgs orgs.jsonl --json").expect_exit(0).json(), summary(0, 0, 0, 0));
}
