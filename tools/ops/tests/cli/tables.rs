//! `ops tables`, and the behaviour that all commands share.

use crate::cli_env::CliEnv;

#[test]
fn existing_tables_are_listed_apart_from_created_ones() {
    let env = CliEnv::without_tables();
    let first = env.run("tables create").expect_exit(0);
    assert_eq!(first.stdout.lines().count(), presence_store::schema::TABLES.len());
    assert!(first.stdout.lines().any(|line| line == "presence-api-keys created"), "{}", first.stdout);
    let again = env.run("--json tables create").expect_exit(0).json();
    assert_eq!(again["created"].as_array().map(Vec::len), Some(0));
    assert_eq!(again["existing"][0], "presence-users");
}

#[test]
fn prefix_of_table_names_comes_from_the_environment() {
    let env = CliEnv::without_tables();
    let output = env.command("tables create --json").env("TABLE_PREFIX", "test-").output().expect("runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("\"test-reviews\""), "{text}");
    let audit = env.run("users audit").expect_exit(1);
    assert!(audit.stderr.starts_with("error: ") && audit.stderr.contains("TABLE_PREFIX"), "{}", audit.stderr);
    assert_eq!(audit.stderr.lines().count(), 1);
}

#[test]
fn endpoint_that_does_not_answer_is_one_line_on_stderr() {
    let env = CliEnv::without_tables();
    let output = env.command("outbox list").env("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:1").output();
    let output = output.expect("runs");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.starts_with("error: a dependency does not answer: "), "{stderr}");
    assert_eq!((stderr.lines().count(), output.stdout.len()), (1, 0));
}

#[test]
fn wrong_usage_exits_with_2_and_help_with_0() {
    let env = CliEnv::without_tables();
    for wrong in
        ["", "fly", "tables", "tables drop", "import orgs", "import orgs a b", "key issue", "key revoke", "--nope"]
    {
        let run = env.run(wrong).expect_exit(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{wrong:?}");
    }
    for help in ["--help", "help import", "import businesses --help", "user create --help", "key rotate --help"] {
        let run = env.run(help).expect_exit(0);
        assert!(run.stdout.contains("Usage: ops"), "{help:?}: {}", run.stdout);
    }
    assert!(env.run("--help").stdout.contains("Exit codes:"));
}
