//! The place where a command writes.

use std::process::{Command, Stdio};

use crate::cli_env::{CliEnv, CliOutput};
use crate::fake_aws::FakeAws;

#[test]
fn account_of_the_credentials_is_asked_once_and_only_by_commands_that_write() {
    let aws = FakeAws::start();
    let run = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ops"));
        command.args(arguments.split_whitespace()).stdin(Stdio::null()).env_clear();
        command.env("AWS_ACCESS_KEY_ID", "OFADA").env("AWS_SECRET_ACCESS_KEY", "s").env("AWS_REGION", "eu-west-3");
        command.env("AWS_ENDPOINT_URL_DYNAMODB", &aws.url).env("AWS_ENDPOINT_URL_STS", &aws.url);
        CliOutput::from(command.output().expect("the binary runs"))
    };
    let caller_questions = || aws.calls().iter().filter(|(action, _)| action == "GetCallerIdentity").count();
    run("key list --user 7").expect_exit(3);
    assert_eq!(caller_questions(), 0);
    let target = format!("account 123456789012, region eu-west-3, endpoint {}, tables presence-*", aws.url);
    assert_eq!(run("tables create").expect_exit(0).target, Some(target));
    assert_eq!(caller_questions(), 1);
    let by_option = run("tables create --region us-east-1").expect_exit(0).target.expect("the place");
    assert!(by_option.starts_with("account 123456789012, region us-east-1, "), "{by_option}");
}

#[test]
fn nothing_is_written_if_the_account_is_unknown() {
    let (env, aws) = (CliEnv::without_tables(), FakeAws::refusing("GetCallerIdentity"));
    for writing in ["tables create", "businesses move --finish"] {
        let run = env.run_signed_in(writing, &aws.url).expect_exit(1);
        assert!(run.stderr.starts_with("error: STS does not tell whose credentials these are: "), "{}", run.stderr);
    }
    // The tables are not there: an audit fails.
    env.run("users audit").expect_exit(1);
}
