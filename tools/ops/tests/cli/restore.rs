//! `ops restore plan`: its command line. `tests/restore` rehearses it.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::cli_env::{CliEnv, CliOutput};
use crate::fake_aws::FakeAws;

const PLAN: &str = "restore plan --at 2026-03-01T12:00:00Z";

#[test]
fn plan_is_printed_even_if_the_tables_cannot_be_restored() {
    let env = CliEnv::new();
    let text = env.run(PLAN).expect_exit(1);
    assert!(text.stdout.starts_with("1. check: "), "{}", text.stdout);
    assert!(text.stderr.contains("point-in-time recovery of presence-users is off"), "{}", text.stderr);
    let mut command = env.command(&format!("{PLAN} --json --prefix other-"));
    let json = CliOutput::from(command.env("TABLE_PREFIX", "presence-").output().expect("the binary runs"));
    let steps = json.expect_exit(1).json().to_string();
    let restore = "restore-table-to-point-in-time --source-table-name presence-users --target-table-name other-users";
    assert!(steps.contains(restore), "{steps}");
    assert!(steps.contains("TABLE_PREFIX=other- AUDIT_TABLE=presence-audit"), "{steps}");
}

#[test]
fn reviews_that_were_loaded_are_restored_from_their_table_under_the_name_of_the_others() {
    let env = CliEnv::new();
    let mut command = env.command(&format!("{PLAN} --json --prefix other-"));
    command.env("TABLE_PREFIX", "presence-").env("REVIEWS_TABLE", "presence-reviews-1");
    let steps = CliOutput::from(command.output().expect("the binary runs")).expect_exit(1).json().to_string();
    assert!(steps.contains("--source-table-name presence-reviews-1 --target-table-name other-reviews"), "{steps}");
    // The variable is empty afterwards: it would still name the table of before.
    assert!(steps.contains("TABLE_PREFIX=other- AUDIT_TABLE=presence-audit REVIEWS_TABLE= ops"), "{steps}");
}

#[test]
fn instant_must_be_a_whole_second_with_a_time_zone() {
    let env = CliEnv::new();
    for arguments in [
        "restore",
        "restore plan",
        "restore plan --at yesterday",
        "restore plan --at 2026-03-01T12:00:00",
        "restore plan --at 2026-03-01T12:00:00.5Z",
        "restore plan --at 2026-03-01T12:00:00Z --yes",
    ] {
        env.run(arguments).expect_exit(2);
    }
}

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
    assert_eq!(env.run("tables create").expect_exit(0).stdout.matches("already there").count(), 6, "no other table");
}
