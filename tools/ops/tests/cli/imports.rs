//! Bar of an import on a terminal, and its end by Ctrl-C.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::cli_env::{CliEnv, CliOutput};
use crate::rows::{ORGS, business_row, review_row};

#[test]
fn bar_moves_with_every_batch_and_only_on_a_terminal() {
    let env = CliEnv::new();
    env.run_with_stdin("import orgs -", ORGS.as_bytes()).expect_exit(0);
    env.run_with_stdin("import businesses -", business_row("b1", 42, "Lyon").as_bytes()).expect_exit(0);
    let rows: String = (0..12_000).map(|number| review_row("b1", number)).collect();
    env.write_file("reviews.jsonl", rows);
    let (code, drawn) = env.run_on_terminal("import reviews reviews.jsonl", "");
    assert_eq!(code, 0, "{drawn}");
    let percentages: Vec<u32> = percentages(&drawn);
    // Whole lanes would move the bar by 12 % at least. It is drawn twenty times a second, so that the import takes more than a second.
    assert!(percentages.iter().any(|percent| (1..12).contains(percent)), "{percentages:?}");
    assert!(percentages.iter().any(|percent| (13..24).contains(percent)), "{percentages:?}");
    assert!(percentages.is_sorted(), "{percentages:?}");
    assert!(drawn.contains("rows · ") && drawn.contains("/s") && drawn.contains(" left"), "{drawn}");
    assert!(drawn.contains("reviews: 12000 created"), "{drawn}");
    env.write_file("few.jsonl", review_row("b1", 0));
    let quiet = env.run("import reviews few.jsonl").expect_exit(0);
    assert!(!quiet.stderr.contains('%') && quiet.stderr.lines().count() <= 2, "{}", quiet.stderr);
}

#[test]
fn import_that_is_interrupted_says_what_it_stored_and_rejected() {
    let env = CliEnv::new();
    let rows: Vec<String> = (1..=40).map(|id| format!("{{\"id\": {id}, \"name\": \"Org\"}}\n")).collect();
    let [stdin, stdout, stderr] = [(); 3].map(|()| Stdio::piped());
    let mut command = env.command("import orgs - --json");
    let mut child = command.stdin(stdin).stdout(stdout).stderr(stderr).spawn().expect("the binary runs");
    // It stays open: the import waits for further rows.
    let mut input = child.stdin.take().expect("stdin is piped");
    input.write_all(format!("{}{{\"id\": 41}}\n", rows.concat()).as_bytes()).expect("the binary reads its input");
    while env.run("orgs list --json").expect_exit(0).stdout.lines().count() < 40 {}
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success(), "it still runs");
    let run = CliOutput::from(child.wait_with_output().expect("it ends")).expect_exit(130);
    drop(input);
    let counts = run.json();
    assert_eq!((&counts["created"], &counts["rejected"], &counts["stopped"]), (&40.into(), &1.into(), &true.into()));
    assert!(run.stderr.contains("interrupted: run the same command to go on"), "{}", run.stderr);
    let rejected = env.read_file("stdin.rejected.jsonl");
    assert!(rejected.starts_with("{\"line\":41,") && rejected.ends_with("}\n"), "{rejected}");
}

/// Returns the percentages of a bar, in the order in which it was drawn.
fn percentages(drawn: &str) -> Vec<u32> {
    let parts: Vec<_> = drawn.split('%').collect();
    let before = parts.iter().take(parts.len().saturating_sub(1));
    let digits =
        before.map(|part| part.rsplit(|character: char| !character.is_ascii_digit()).next().unwrap_or_default());
    digits.filter_map(|digits| digits.parse().ok()).collect()
}
