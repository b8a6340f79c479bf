//! Errors as JSON.

use serde_json::{Value, json};

use crate::cli_env::CliEnv;

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
