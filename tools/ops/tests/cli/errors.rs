//! Errors: as JSON, as text, and without anybody who reads.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::cli_env::{CliEnv, CliOutput};

/// Runs `ops --json`, and returns the exit code and the error on stderr.
fn json_error(env: &CliEnv, arguments: &str) -> (i32, Value) {
    let run = env.run(&format!("{arguments} --json"));
    assert_eq!(run.stdout, "", "{arguments}");
    let error = serde_json::from_str(&run.stderr).unwrap_or_else(|error| panic!("{error}: {}", run.stderr));
    (run.code, error)
}

fn error(code: &str, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

#[test]
fn errors_are_objects_with_a_code_and_a_message() {
    let env = CliEnv::new();
    let no_mail = "there is no mail 7 that failed or is held";
    assert_eq!(json_error(&env, "outbox retry 7"), (3, error("not_found", no_mail)));
    assert_eq!(json_error(&env, "key list --user 7"), (3, error("not_found", "there is no user 7")));
    let taken = env.create_user("zoe@example.org", "--role PROVIDER");
    let create = "user create --email zoe@example.org --first-name A --last-name B --role PROVIDER";
    let message = format!("the e-mail address already exists: user {taken} has it");
    assert_eq!(json_error(&env, create), (1, error("failed", &message)));
}

#[test]
fn wrong_usage_is_an_object_too() {
    let env = CliEnv::without_tables();
    let message = "the following required arguments were not provided: --org <N>";
    assert_eq!(json_error(&env, "reviews rebuild"), (2, error("usage", message)));
    let message = "invalid value '0' for '--org <N>': must be an integer from 1 to 9007199254740991";
    assert_eq!(json_error(&env, "reviews rebuild --org 0"), (2, error("usage", message)));
    let message = "'ops key' requires a subcommand but one was not provided";
    let (code, incomplete) = json_error(&env, "key");
    assert_eq!((code, &incomplete["error"]["code"]), (2, &json!("usage")));
    assert!(incomplete["error"]["message"].as_str().expect("text").starts_with(message), "{incomplete}");
    let (code, unknown) = json_error(&env, "reviewz");
    assert_eq!((code, &unknown["error"]["code"]), (2, &json!("usage")));
    assert!(unknown["error"]["message"].as_str().expect("text").starts_with("unrecognized subcommand 'reviewz'"));
    let (code, question) = json_error(&env, "migrate --finish");
    assert_eq!((code, &question["error"]["code"]), (2, &json!("usage")));
}

#[test]
fn wrong_usage_is_text_without_the_option() {
    let env = CliEnv::without_tables();
    let run = env.run("reviews rebuild").expect_exit(2);
    assert!(run.stderr.starts_with("error: the following required arguments"), "{}", run.stderr);
    assert!(env.run("--help").expect_exit(0).stdout.contains("Exit codes:"));
}

#[test]
fn codes_name_what_the_operator_must_mend() {
    let env = CliEnv::without_tables();
    let (code, no_tables) = json_error(&env, "users audit");
    assert_eq!((code, &no_tables["error"]["code"]), (1, &json!("no_tables")), "{no_tables}");
    let (code, no_profile) = json_error(&env, "users audit --profile gone");
    assert_eq!((code, &no_profile["error"]["code"]), (1, &json!("credentials")), "{no_profile}");
}

#[test]
fn missing_tables_are_named_without_the_words_of_the_sdk() {
    let env = CliEnv::without_tables();
    let message = "the tables do not exist: is the prefix right (--prefix, TABLE_PREFIX)? `ops tables create` makes them at \
                   a local endpoint, the template on AWS";
    assert_eq!(json_error(&env, "users audit"), (1, error("no_tables", message)));
    env.write_file("orgs.jsonl", "{\"id\": 42, \"name\": \"x\"}\n");
    let import = env.run("import orgs orgs.jsonl").expect_exit(1).stderr;
    let stopped = "error: stopped after 0 rows (0 created, 0 updated, 0 unchanged, 0 rejected); simply run it again";
    assert_eq!(import, format!("{stopped}: {message}\n"));
}

#[test]
fn refusal_of_dynamodb_is_told_in_its_own_words() {
    let env = CliEnv::without_tables();
    let refused = env.run("users list --prefix no?").expect_exit(1).stderr;
    assert!(refused.contains("no?users"), "{refused}");
    assert!(!refused.contains("Error {") && !refused.contains("request_id"), "{refused}");
}

#[test]
fn endpoint_that_is_no_url_of_http_is_wrong_usage() {
    let env = CliEnv::without_tables();
    for endpoint in ["127.0.0.1:8000", "localhost:8000", "http://", "ftp://127.0.0.1", "x"] {
        let mut command = env.command("users list --json");
        let run = command.env("AWS_ENDPOINT_URL_DYNAMODB", endpoint).output().expect("the binary runs");
        let named = format!("AWS_ENDPOINT_URL_DYNAMODB: must be a URL such as http://127.0.0.1:8000, not {endpoint}");
        assert_eq!(CliOutput::from(run).expect_exit(2).json_error(), error("usage", &named)["error"], "{endpoint}");
        let option = env.run(&format!("users list --json --endpoint {endpoint}")).expect_exit(2);
        assert_eq!(option.json_error()["code"], "usage", "{endpoint}");
    }
}

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
    let rows = (1..=6_000).map(|id| format!("{{\"id\": {id}, \"name\": \"An organisation with a name\"}}\n"));
    env.write_file("orgs.jsonl", rows.collect::<String>());
    env.run("import orgs orgs.jsonl").expect_exit(0);
    for arguments in ["orgs list", "orgs list --json", "export orgs", "completions bash"] {
        let run = read_one_line(&env, arguments).expect_exit(1);
        assert_eq!(run.stderr, "", "{arguments}");
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
