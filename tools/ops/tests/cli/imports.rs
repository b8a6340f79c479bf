//! Bar of an import on a terminal.

use crate::cli_env::CliEnv;
use crate::rows::{ORGS, business_row, review_row};

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
