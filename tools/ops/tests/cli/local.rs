//! `--local`, and organisations that several commands create at once.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use presence_runtime::local_stack::{RunningStack, StackFile};
use serde_json::json;

use crate::cli_env::{CliEnv, CliOutput};

/// Runs `ops` without any setting but the folder for state.
fn run(env: &CliEnv, arguments: &str) -> CliOutput {
    let mut command = env.command(arguments);
    command.env_remove("AWS_ENDPOINT_URL_DYNAMODB").env("XDG_STATE_HOME", env.path(""));
    command.stdin(Stdio::null()).output().expect("the binary runs").into()
}

#[test]
fn running_local_stack_is_found_and_one_that_ended_is_named() {
    let env = CliEnv::without_tables();
    let error = run(&env, "--local status").expect_exit(1).stderr;
    assert_eq!(error, "error: no local stack runs: start one with `cargo run`\n");
    env.run("tables create --prefix mine-").expect_exit(0);
    let stack = RunningStack {
        base_url: "http://127.0.0.1:3000/api/v2".to_owned(),
        dynamodb_url: env.url(),
        table_prefix: "mine-".to_owned(),
        audit_table: None,
        reviews_table: None,
    };
    let file = StackFile::write_below(&env.path(""), &stack).expect("a file");
    let found = "the local stack at http://127.0.0.1:3000/api/v2\n";
    let created = run(&env, "orgs create Cafés --local --json").expect_exit(0);
    assert_eq!(created.stderr, format!("{found}endpoint {}, tables mine-*\n", env.url()));
    assert_eq!(created.json(), json!({"id": 1, "name": "Cafés"}));
    // A command that only reads finds it by itself, and one that writes names it.
    let status = run(&env, "status --json").expect_exit(0);
    assert_eq!((status.stderr.as_str(), &status.json()["endpoint"]), (found, &json!(env.url())));
    let list = run(&env, "orgs list --json").expect_exit(0);
    assert_eq!((list.stderr.lines().next(), list.json()), (Some(found.trim_end()), json!({"id": 1, "name": "Cafés"})));
    for writing in ["orgs create Bars", "doctor --fix --yes"] {
        let mut command = env.command(writing);
        // The metadata of a machine of AWS, of which not even the refusal comes.
        command.env_remove("AWS_ENDPOINT_URL_DYNAMODB").env("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1");
        let refused = CliOutput::from(command.env("XDG_STATE_HOME", env.path("")).output().expect("the binary runs"));
        assert!(refused.stdout.contains("--local") || refused.stderr.contains("--local"), "{}", refused.stderr);
        assert_eq!(refused.code, 1, "{writing}");
    }
    run(&env, "status --local --endpoint http://127.0.0.1:1").expect_exit(2);
    drop(file);
    let folder = env.path("presence/stacks");
    fs::write(folder.join("1.json"), serde_json::to_string(&stack).expect("JSON")).expect("a file");
    let error = run(&env, "--local status").expect_exit(1).stderr;
    let expected = format!(
        "error: no local stack runs (the last one was killed: its file is {}): start one with `cargo run`\n",
        folder.join("1.json").display()
    );
    assert_eq!(error, expected);
}

#[test]
fn endpoint_where_nothing_listens_is_answered_with_what_to_start() {
    let error = CliEnv::without_tables().run("users audit --endpoint http://127.0.0.1:1").expect_exit(1).stderr;
    assert!(error.contains("`cargo run` starts a local stack, and --local finds it"), "{error}");
}

#[test]
fn organisations_that_are_created_at_once_get_different_ids() {
    let env = CliEnv::new();
    env.run("orgs create First --id 41").expect_exit(0);
    let start = |_| {
        let mut command = env.command("orgs create Same");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs")
    };
    let running: Vec<_> = (0..6).map(start).collect();
    let ids: BTreeSet<String> = running
        .into_iter()
        .map(|child| CliOutput::from(child.wait_with_output().expect("it ends")).expect_exit(0).stdout)
        .collect();
    assert_eq!(ids, (42..48).map(|id| format!("{id}\n")).collect());
    let refused = env.run("orgs create Other --id 41").expect_exit(1).stderr;
    assert_eq!(refused, "error: organisation 41 exists already: ops orgs list\n");
    assert!(env.run("orgs list").expect_exit(0).stdout.contains("First"), "its name is what it was");
    env.run("users audit").expect_exit(0);
}
