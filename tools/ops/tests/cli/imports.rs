//! `ops import orgs` and `businesses`, and the behaviour that all imports share.

use std::fmt::Write as _;

use crate::cli_env::CliEnv;
use crate::rows::{ORGS, business_row, review_row, summary};

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
fn file_of_rejected_rows_is_that_of_the_last_run_and_earlier_ones_are_kept_under_their_time() {
    let env = CliEnv::new();
    for (number, rows) in ["{\"id\": 42}\n", "{\"id\": 43}\n{\"id\": 44}\n", ORGS].into_iter().enumerate() {
        env.write_file("orgs.jsonl", rows);
        let rejected = rows.lines().filter(|row| !row.contains("name")).count();
        env.run("import orgs orgs.jsonl").expect_exit(if rejected == 0 { 0 } else { 4 });
        let last = env.rejected_rows("orgs.jsonl.rejected.jsonl").map(|rows| rows.len());
        assert_eq!(last, (rejected > 0).then_some(rejected), "run {number}");
        let kept = env.list_files(|name| name.starts_with("orgs.jsonl.rejected.2"));
        assert_eq!(kept.len(), number, "{kept:?}");
        for name in kept {
            let time = &name["orgs.jsonl.rejected.".len()..][.."20261120T101500Z".len()];
            assert!(time.ends_with('Z') && time[..8].parse::<u32>().is_ok(), "{name}");
            assert!(env.rejected_rows(&name).is_some_and(|rows| !rows.is_empty()), "{name}");
        }
    }
}

#[test]
fn import_stops_when_the_first_hundred_rows_are_all_rejected() {
    let env = CliEnv::new();
    let rejected = (0..150).map(|id| serde_json::json!({ "id": id.to_string(), "name": "x" }).to_string() + "\n");
    let rejected = rejected.collect::<String>();
    env.write_file("orgs.jsonl", format!("{rejected}{ORGS}"));
    let run = env.run("import orgs orgs.jsonl --json").expect_exit(1);
    assert_eq!((&run.json()["rejected"], &run.json()["stopped"]), (&100.into(), &true.into()));
    assert!(run.stderr.contains("orgs.jsonl.rejected.jsonl"), "{}", run.stderr);
    let error = run.json_error();
    assert_eq!(error["code"], "too_many_rejected");
    let message = error["message"].as_str().expect("a text");
    for part in ["all of the first 100 rows", "--max-errors", "line 1: id: invalid type: string"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(!message.contains("simply run it again"), "{message}");
    assert!(env.scan("presence-businesses").is_empty());
    let all = env.run("import orgs orgs.jsonl --json --max-errors 1000").expect_exit(4);
    assert_eq!(all.json(), summary(2, 0, 0, 150));
    env.write_file("late.jsonl", format!("{ORGS}{rejected}"));
    assert_eq!(env.run("import orgs late.jsonl --json").expect_exit(4).json(), summary(0, 0, 2, 150));
}

#[test]
fn import_of_any_kind_stops_at_the_row_that_max_errors_names() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    for kind in ["orgs", "businesses", "categories", "reviews"] {
        let file = format!("{kind}.jsonl");
        env.write_file(&file, "{}\n{}\n{}\n{}\n{}\n");
        let run = env.run(&format!("import {kind} {file} --max-errors 3 --json")).expect_exit(1);
        assert_eq!((&run.json()["rejected"], &run.json()["stopped"]), (&3.into(), &true.into()), "{kind}");
        assert_eq!(run.json_error()["code"], "too_many_rejected", "{kind}");
        let rejected = env.rejected_rows(&format!("{file}.rejected.jsonl")).expect("there is a file");
        assert_eq!(rejected.len(), 3, "{kind}");
    }
    env.run("import orgs orgs.jsonl --max-errors 0").expect_exit(2);
}

#[test]
fn file_of_another_type_or_kind_is_named_before_anything_is_written() {
    let env = CliEnv::new();
    env.write_file("orgs.jsonl", "{\"id\": 42}\n");
    env.run("import orgs orgs.jsonl").expect_exit(4);
    let utf_16: Vec<u8> = ORGS.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let array = format!("[{}]", ORGS.trim_end().replace('\n', ",\n"));
    let cases: [(&str, &[u8], &str); 8] = [
        ("orgs", b"id,name\n42,Fast Retailer\n", "CSV"),
        ("orgs", array.as_bytes(), "a JSON array"),
        ("orgs", b"\x1f\x8b\x08\x00\x00\x00", "a gzip file"),
        ("orgs", &utf_16, "UTF-16 text"),
        ("orgs", b"{\n\"id\": 42,\n\"name\": \"x\"\n}\n", "JSON objects of several lines each"),
        ("businesses", ORGS.as_bytes(), "rows of organisations"),
        ("orgs", b"{\"id\":\"b1\",\"org_id\":42,\"name\":\"x\",\"city\":\"y\"}\n", "rows of businesses"),
        ("reviews", b"{\"id\":\"c1\",\"code\":\"x\",\"names\":{}}\n", "rows of categories"),
    ];
    for (kind, content, looks_like) in cases {
        env.write_file("orgs.jsonl", content);
        let run = env.run(&format!("import {kind} orgs.jsonl --json")).expect_exit(1);
        let error = run.json_error();
        assert_eq!(error["code"], "wrong_file", "{looks_like}");
        let message = error["message"].as_str().expect("a text");
        assert!(message.starts_with(&format!("orgs.jsonl looks like {looks_like}: ")), "{message}");
        assert!(
            message.contains(&format!("`ops import {kind}` expects JSON Lines")) && message.contains("{\""),
            "{message}"
        );
        let stdin = env.run_with_stdin(&format!("import {kind} -"), content).expect_exit(1);
        assert!(stdin.stderr.contains(&format!("- looks like {looks_like}: ")), "{}", stdin.stderr);
    }
    assert!(env.scan("presence-businesses").is_empty());
    assert_eq!(
        env.rejected_rows("orgs.jsonl.rejected.jsonl").map(|rows| rows.len()),
        Some(1),
        "as the last import left it"
    );
}

#[test]
fn bar_moves_with_every_batch_and_only_on_a_terminal() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    env.run_with_stdin("import businesses -", business_row("b1", 42, "Lyon").as_bytes()).expect_exit(0);
    let rows: String = (0..4_000).map(|number| review_row("b1", number)).collect();
    env.write_file("reviews.jsonl", rows);
    let (code, drawn) = env.run_on_terminal("import reviews reviews.jsonl", "");
    assert_eq!(code, 0, "{drawn}");
    let percentages: Vec<u32> = percentages(&drawn);
    // A worker writes 500 of the reviews, in transactions of 98: whole jobs would move the bar by 12 % at least.
    assert!(percentages.iter().any(|percent| (1..12).contains(percent)), "{percentages:?}");
    assert!(percentages.iter().any(|percent| (13..24).contains(percent)), "{percentages:?}");
    assert!(percentages.is_sorted(), "{percentages:?}");
    assert!(drawn.contains("rows · ") && drawn.contains("/s") && drawn.contains(" left"), "{drawn}");
    assert!(drawn.contains("reviews: 4000 created"), "{drawn}");
    let quiet = env.run("import reviews reviews.jsonl").expect_exit(0);
    assert!(!quiet.stderr.contains('%') && quiet.stderr.lines().count() <= 2, "{}", quiet.stderr);
}

/// Returns the percentages of a bar, in the order in which it was drawn.
fn percentages(drawn: &str) -> Vec<u32> {
    let parts: Vec<_> = drawn.split('%').collect();
    let before = parts.iter().take(parts.len().saturating_sub(1));
    let digits =
        before.map(|part| part.rsplit(|character: char| !character.is_ascii_digit()).next().unwrap_or_default());
    digits.filter_map(|digits| digits.parse().ok()).collect()
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
