//! `ops import categories`

use serde_json::json;

use crate::cli_env::CliEnv;
use crate::rows::summary;

const TABLE: &str = "presence-categories";

fn category_row(id: &str, name: &str) -> String {
    let row = json!({ "id": id, "code": format!("code_{id}"), "names": { "GB": name, "FR": "Nom" },
        "ancestors": { "GB": ["Shop"] }, "partners": { "partner_4": [{ "id": "a1", "name": name }] } });
    format!("{row}\n")
}

fn many_rows(name: &str) -> String {
    (0..250).map(|n| category_row(&format!("c{n}"), &format!("{name} {n}"))).collect()
}

/// Returns the version of the directory, 0 if there is none.
fn version(env: &CliEnv) -> u64 {
    let head = env.scan(TABLE).into_iter().find(|item| item["pk"].as_s().is_ok_and(|pk| pk == "DIRECTORY"));
    head.and_then(|head| head["version"].as_n().ok()?.parse().ok()).unwrap_or_default()
}

#[test]
fn running_an_import_again_changes_nothing_and_keeps_the_version() {
    let env = CliEnv::new();
    env.write_file("categories.jsonl", many_rows("Shop"));
    assert_eq!(env.run("import categories categories.jsonl --json").expect_exit(0).json(), summary(250, 0, 0, 0));
    let before = env.scan(TABLE);
    assert_eq!((before.len(), version(&env)), (251, 1));
    let again = env.run("import categories categories.jsonl").expect_exit(0);
    assert_eq!(again.stderr, "categories: 0 created, 0 updated, 250 unchanged, 0 rejected\n");
    assert_eq!(env.scan(TABLE), before);
    env.write_file("one.jsonl", category_row("c7", "Renamed"));
    assert_eq!(env.run("import categories one.jsonl --json").expect_exit(0).json(), summary(0, 1, 0, 0));
    assert_eq!((env.scan(TABLE).len(), version(&env)), (251, 2));
}

#[test]
fn dry_run_counts_and_writes_nothing() {
    let env = CliEnv::new();
    env.write_file("categories.jsonl", format!("{}nonsense\n", many_rows("Shop")));
    assert_eq!(
        env.run("import categories categories.jsonl --dry-run --json").expect_exit(4).json(),
        summary(250, 0, 0, 1)
    );
    assert!(env.scan(TABLE).is_empty());
    env.run("import categories categories.jsonl").expect_exit(4);
    let before = env.scan(TABLE);
    env.write_file(
        "categories.jsonl",
        many_rows("Shop").replacen("Shop 7\"", "Shop seven\"", 2) + &category_row("new", "New"),
    );
    assert_eq!(
        env.run("import categories categories.jsonl --dry-run --json").expect_exit(0).json(),
        summary(1, 1, 249, 0)
    );
    assert_eq!(env.scan(TABLE), before);
}

#[test]
fn rejected_rows_have_reasons_and_the_others_are_stored() {
    let env = CliEnv::new();
    let rows = [
        category_row("c1", "Bank"),
        "{\"id\":\"c2\"\n".to_owned(),
        category_row("a/b", "Bank"),
        category_row("c3", ""),
        "{\"id\":\"c4\",\"code\":\"x\",\"names\":{\"en\":\"Bank\"}}\n".to_owned(),
        "{\"id\":\"c5\",\"code\":\"x\",\"names\":{},\"partners\":{\"partner_13\":[]}}\n".to_owned(),
        "{\"id\":\"c6\",\"code\":\"x\",\"names\":{},\"partners\":{\"partner_4\":[\"a\"]}}\n".to_owned(),
        category_row("c7", "School"),
    ];
    let run = env.run_with_stdin("import categories - --json", rows.concat().as_bytes()).expect_exit(4);
    assert_eq!(run.json(), summary(2, 0, 0, 6));
    let rejected = env.rejected_rows("stdin.rejected.jsonl").expect("there is a file");
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
    assert_eq!((env.scan(TABLE).len(), version(&env)), (3, 1));
}

#[test]
fn last_row_of_an_id_wins() {
    let env = CliEnv::new();
    let rows: String =
        (0..40).flat_map(|n| [category_row("c1", &format!("One {n}")), category_row("c2", "Two")]).collect();
    env.write_file("categories.jsonl", rows);
    assert_eq!(env.run("import categories categories.jsonl --json").expect_exit(0).json(), summary(2, 39, 39, 0));
    let stored = format!("{:?}", env.scan(TABLE));
    assert!(stored.contains("One 39") && !stored.contains("One 38"), "{stored}");
}

#[test]
fn killed_import_can_be_run_again() {
    let env = CliEnv::new();
    env.write_file("categories.jsonl", many_rows("Shop"));
    // The process dies while it reads: the pipe delivers a part of the file, and its end never comes.
    for rows in [0, 1, 98, 99, 100, 198, 230] {
        let part: String = many_rows("Other").split_inclusive('\n').take(rows).collect();
        env.run_and_kill("import categories -", part.as_bytes());
        assert_eq!(version(&env), 0, "{rows} rows of an unfinished import take no effect");
    }
    assert_eq!(env.run("import categories categories.jsonl --json").expect_exit(0).json(), summary(250, 0, 0, 0));
    assert_eq!((env.scan(TABLE).len(), version(&env)), (251, 1));
    assert!(!format!("{:?}", env.scan(TABLE)).contains("Other"));
}

#[test]
fn help_tells_that_nothing_is_removed() {
    let help = CliEnv::without_tables().run("import categories --help").expect_exit(0).stdout;
    assert!(help.contains("Categories that are not in the file stay as they are"), "{help}");
}
