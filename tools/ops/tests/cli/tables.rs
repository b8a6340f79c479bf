//! `ops tables`, and what concerns every command.

use crate::stage::Stage;

#[test]
fn tables_are_created_once_and_told_apart() {
    let stage = Stage::bare();
    let first = stage.ops("tables create").exits(0);
    assert_eq!(first.stdout.lines().count(), 5);
    assert!(first.stdout.lines().any(|line| line == "presence-api-keys created"), "{}", first.stdout);
    let again = stage.ops("--json tables create").exits(0).json();
    assert_eq!(again["created"].as_array().map(Vec::len), Some(0));
    assert_eq!(again["existing"][0], "presence-users");
}

#[test]
fn the_prefix_of_table_names_comes_from_the_environment() {
    let stage = Stage::bare();
    let output = stage.command("tables create --json").env("TABLE_PREFIX", "test-").output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\"test-reviews\""), "{text}");
    let audit = stage.ops("users audit").exits(1);
    assert!(audit.stderr.starts_with("error: ") && audit.stderr.contains("TABLE_PREFIX"), "{}", audit.stderr);
    assert_eq!(audit.stderr.lines().count(), 1);
}

#[test]
fn an_endpoint_that_does_not_answer_is_one_line_on_stderr() {
    let stage = Stage::bare();
    let output = stage.command("outbox list").env("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1").output();
    let output = output.expect("runs");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.starts_with("error: a dependency does not answer: "), "{stderr}");
    assert_eq!((stderr.lines().count(), output.stdout.len()), (1, 0));
}

#[test]
fn wrong_usage_is_2_and_help_is_0() {
    let stage = Stage::bare();
    for wrong in
        ["", "fly", "tables", "tables drop", "import orgs", "import orgs a b", "key issue", "key revoke", "--nope"]
    {
        let run = stage.ops(wrong).exits(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{wrong:?}");
    }
    for help in ["--help", "help import", "import businesses --help", "user create --help", "key rotate --help"] {
        let run = stage.ops(help).exits(0);
        assert!(run.stdout.contains("Usage: ops"), "{help:?}: {}", run.stdout);
    }
    assert!(stage.ops("--help").stdout.contains("Exit codes:"));
}
