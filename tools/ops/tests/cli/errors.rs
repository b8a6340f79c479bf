//! Codes of errors, and output that nobody reads.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::cli_env::{CliEnv, CliOutput};

/// Runs `ops` until it has written one line, and then closes its stdout. Returns the exit code and stderr.
fn read_one_line(env: &CliEnv, arguments: &str) -> CliOutput {
    let piped = env.command(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("the binary runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    child.wait_with_output().expect("the binary ends").into()
}

#[test]
fn reader_that_has_enough_ends_a_command_without_a_word() {
    let env = CliEnv::new();
    // More than a pipe holds, so that the command always meets the closed end.
    let rows = (1..=400).map(|id| format!("{{\"id\": {id}, \"name\": \"{:x<250}\"}}\n", "A long name"));
    env.write_file("orgs.jsonl", rows.collect::<String>());
    env.run("import orgs orgs.jsonl").expect_exit(0);
    for arguments in ["orgs list", "orgs list --json", "export orgs", "completions bash"] {
        let run = read_one_line(&env, arguments).expect_exit(1);
        assert_eq!(run.stderr, "", "{arguments}");
    }
}

#[test]
fn what_a_rule_forbids_has_the_code_refused() {
    let env = CliEnv::new();
    let [zoe, ann, bob] = ["zoe", "ann", "bob"].map(|name| {
        let status = if name == "ann" { "invited" } else { "active" };
        env.create_user(&format!("{name}@example.org"), &format!("--role PROVIDER --status {status}"))
    });
    env.run("orgs create First --id 41").expect_exit(0);
    for _ in 0..5 {
        env.run(&format!("key issue --user {zoe}")).expect_exit(0);
    }
    let issued = env.run(&format!("key issue --user {bob} --json")).expect_exit(0).json();
    let dead = issued["id"].as_str().expect("an id");
    env.run(&format!("key revoke {dead}")).expect_exit(0);
    let create = "users create --first-name Zoe --last-name Martin";
    for forbidden in [
        format!("{create} --email zoe@example.org --role PROVIDER"),
        format!("{create} --email cyd@example.org --role ORG_ADMIN --org 42"),
        format!("{create} --email cyd@example.org --role BUSINESS_MANAGER --org 41 --business-id b1"),
        "orgs create Second --id 41".to_owned(),
        format!("key issue --user {ann}"),
        format!("key issue --user {zoe}"),
        format!("key rotate {dead}"),
    ] {
        let error = env.run(&format!("{forbidden} --json")).expect_exit(1).json_error();
        assert_eq!(error["code"], "refused", "{forbidden}: {error}");
    }
}

#[test]
fn key_that_nobody_read_is_an_error() {
    let env = CliEnv::new();
    let id = env.create_user("zoe@example.org", "--role PROVIDER");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = env.command(&format!("key issue --user {id}"));
    let run = CliOutput::from(command.stdout(writer).stderr(Stdio::piped()).output().expect("the binary runs"));
    let run = run.expect_exit(1);
    assert!(run.stderr.contains("error: cannot write to stdout: Broken pipe"), "{}", run.stderr);
    assert!(run.stderr.contains("issued key "), "it can be revoked: {}", run.stderr);
}
