//! `ops restore plan`: its command line. `tests/restore` rehearses it.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::cli_env::{CliEnv, CliOutput};
use crate::fake_aws::FakeAws;

const PLAN: &str = "restore plan --at 2026-03-01T12:00:00Z";

#[test]
fn aws_program_is_looked_up_and_asked_about_account_and_stack_before_anything_else() {
    let (env, aws) = (CliEnv::new(), FakeAws::start());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/restore/fake_aws.sh");
    symlink(script, folder.path().join("aws")).expect("a link");
    let parameters = r#"[{"ParameterKey":"ActiveTables","ParameterValue":""}]"#;
    std::fs::write(folder.path().join("parameters"), parameters).expect("the folder can be written");
    let in_aws = |path: &str| {
        let mut command: Command = env.command(&format!("{PLAN} --execute --yes --region eu-west-3"));
        command
            .env("AWS_ENDPOINT_URL_STS", &aws.url)
            .env("AWS_ACCESS_KEY_ID", "OFADA")
            .env("AWS_SECRET_ACCESS_KEY", "s");
        CliOutput::from(command.env("PATH", path).output().expect("the binary runs")).expect_exit(1)
    };
    let missing = in_aws("/nowhere");
    assert!(missing.stderr.contains("install the AWS CLI"), "{}", missing.stderr);
    let found = in_aws(&format!("{}:/usr/bin:/bin", folder.path().display()));
    let place =
        format!("account 123456789012, region eu-west-3, endpoint {}, tables presence-r202603011200-*", env.url());
    assert_eq!(found.target, Some(place));
    assert!(found.stderr.contains("point-in-time recovery of presence-users is off"), "{}", found.stderr);
    let calls = std::fs::read_to_string(folder.path().join("calls")).expect("calls");
    let calls: Vec<_> = calls.lines().map(str::trim_end).collect();
    let stack = "cloudformation describe-stacks --stack-name presence";
    assert_eq!(calls, ["--version", "sts get-caller-identity", stack]);
    assert_eq!(env.run("tables create").expect_exit(0).stdout.matches("already there").count(), 7, "no other table");
}
