//! Sign-in of `ops`: every kind of credentials that the AWS CLI accepts, and the errors if there are none.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::cli_env::CliOutput;
use crate::fake_aws::FakeAws;

const CONFIG: &str = r#"
[default]
region = eu-west-1

[profile process]
region = eu-west-1
credential_process = cat "HOME/process.json"

[profile failing]
region = eu-west-1
credential_process = echo canary-secret; exit 3

[profile base]
aws_access_key_id = OFBASE
aws_secret_access_key = s

[profile role]
region = eu-west-1
role_arn = arn:aws:iam::123456789012:role/ops
source_profile = base

[profile web]
region = eu-west-1
role_arn = arn:aws:iam::123456789012:role/ops
web_identity_token_file = HOME/token

[profile desk]
region = eu-west-1
sso_session = desk
sso_account_id = 123456789012
sso_role_name = ops

[profile role-of-desk]
region = eu-west-1
role_arn = arn:aws:iam::123456789012:role/ops
source_profile = desk

[profile lost]
region = eu-west-1
role_arn = arn:aws:iam::123456789012:role/ops
source_profile = nowhere

[profile empty]
region = eu-west-1

[profile elsewhere]
aws_access_key_id = OFELSEWHERE
aws_secret_access_key = s

[sso-session desk]
sso_region = eu-west-1
sso_start_url = https://desk.awsapps.example/start
"#;

/// File in which `aws sso login` stores the token of the session `desk`. Its name is the SHA-1 hash of the session's name.
const SSO_CACHE: &str = ".aws/sso/cache/46e7cfa080913f4dae18d802d041de7d664b10e2.json";

/// Home folder with the files of the AWS CLI, and the fake AWS that they lead to.
struct SignInEnv {
    home: TempDir,
    aws: FakeAws,
}

impl SignInEnv {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let path = home.path().to_str().expect("a path of text").to_owned();
        fs::create_dir_all(home.path().join(".aws/sso/cache")).expect("a folder");
        let env = Self { home, aws: FakeAws::start() };
        env.write_file(".aws/config", &CONFIG.replace("HOME", &path));
        env.write_file("process.json", r#"{"Version": 1, "AccessKeyId": "OFPROCESS", "SecretAccessKey": "s"}"#);
        env.write_file("token", "a-token");
        env
    }

    fn write_file(&self, name: &str, content: &str) {
        fs::write(self.home.path().join(name), content).expect("the folder can be written");
    }

    fn write_sso_token(&self, expires_at: &str) {
        let token =
            format!(r#"{{"accessToken": "t", "expiresAt": "{expires_at}", "region": "eu-west-1", "startUrl": "u"}}"#);
        self.write_file(SSO_CACHE, &token);
    }

    /// Returns the command `ops key list` for a user that does not exist. Once signed in, it makes one read and exits with 3.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ops"));
        command.args(["key", "list", "--user", "7"]).args(arguments.split_whitespace()).stdin(Stdio::null());
        command.env_clear().env("HOME", self.home.path()).env("AWS_EC2_METADATA_DISABLED", "true");
        for service in ["DYNAMODB", "STS", "SSO", "SSO_OIDC"] {
            command.env(format!("AWS_ENDPOINT_URL_{service}"), &self.aws.url);
        }
        command
    }

    fn run(&self, arguments: &str) -> CliOutput {
        self.command(arguments).output().expect("the binary runs").into()
    }
}

fn call(action: &str, key_id: &str) -> (String, String) {
    (action.to_owned(), key_id.to_owned())
}

#[test]
fn credentials_come_from_the_option_then_from_the_environment_and_each_kind_signs_the_calls() {
    let keys = [("AWS_ACCESS_KEY_ID", "OFENVIRONMENT"), ("AWS_SECRET_ACCESS_KEY", "s"), ("AWS_PROFILE", "process")];
    let role = ("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/ops");
    let web = [call("AssumeRoleWithWebIdentity", ""), call("GetItem", "OFROLE")];
    for (arguments, variables, expected) in [
        ("--profile process", &[][..], &[call("GetItem", "OFPROCESS")][..]),
        ("--profile role", &[], &[call("AssumeRole", "OFBASE"), call("GetItem", "OFROLE")]),
        ("--profile web", &[], &web),
        ("--region eu-west-1", &[("AWS_WEB_IDENTITY_TOKEN_FILE", "token"), role], &web),
        ("--profile desk", &[], &[call("GetRoleCredentials", ""), call("GetItem", "OFSSO")]),
        ("", &keys, &[call("GetItem", "OFENVIRONMENT")]),
        ("--profile elsewhere --region eu-west-1", &keys, &[call("GetItem", "OFELSEWHERE")]),
        ("", &keys[2..], &[call("GetItem", "OFPROCESS")]),
    ] {
        let env = SignInEnv::new();
        env.write_sso_token("2100-01-01T00:00:00Z");
        let mut command = env.command(arguments);
        command.current_dir(env.home.path()).envs(variables.iter().copied());
        CliOutput::from(command.output().expect("the binary runs")).expect_exit(3);
        assert_eq!(env.aws.calls(), expected, "{arguments} {variables:?}");
    }
}

#[test]
fn error_for_an_expired_or_missing_sso_session_names_the_command_that_renews_it() {
    let env = SignInEnv::new();
    let missing = "error: profile desk has no SSO session: aws sso login --profile desk\n";
    assert_eq!(env.run("--profile desk").expect_exit(1).stderr, missing);
    env.write_sso_token("2020-01-01T00:00:00Z");
    let expired = "error: the SSO session of profile desk has expired: aws sso login --profile desk\n";
    for profile in ["desk", "role-of-desk"] {
        assert_eq!(env.run(&format!("--profile {profile}")).expect_exit(1).stderr, expired, "{profile}");
    }
    assert_eq!(env.aws.calls(), []);
}

#[test]
fn error_for_a_missing_profile_names_it() {
    let env = SignInEnv::new();
    let expected = "error: the profile gone is not in ~/.aws/config\n";
    assert_eq!(env.run("--profile gone").expect_exit(1).stderr, expected);
    let run = CliOutput::from(env.command("").env("AWS_PROFILE", "gone").output().expect("the binary runs"));
    assert_eq!(run.expect_exit(1).stderr, expected);
}

#[test]
fn error_for_missing_credentials_names_the_profile_and_no_secret() {
    let env = SignInEnv::new();
    let cases = [
        ("--profile failing", "error: the credentials of profile failing cannot be had: "),
        ("--profile lost", "error: the profile lost has no credentials (profile `nowhere` was not defined"),
        ("--profile empty", "error: the profile empty has no credentials ("),
        // The address is reserved for documentation, and is never called. An endpoint on this machine needs no credentials.
        (
            "--region eu-west-1 --endpoint http://192.0.2.1",
            "error: there are no credentials: none in the environment, ",
        ),
    ];
    for (arguments, expected) in cases {
        let run = env.run(arguments).expect_exit(1);
        assert!(run.stderr.starts_with(expected), "{arguments}: {}", run.stderr);
        assert!(!run.stderr.contains("canary-secret"), "{arguments}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{arguments}: {}", run.stderr);
    }
}

#[test]
fn endpoint_and_prefix_options_override_the_environment() {
    let (env, other) = (SignInEnv::new(), FakeAws::start());
    let arguments = format!("--profile process --endpoint {} --prefix other-", other.url);
    CliOutput::from(env.command(&arguments).output().expect("the binary runs")).expect_exit(3);
    assert_eq!((env.aws.calls(), other.calls()), (vec![], vec![call("GetItem", "OFPROCESS")]));
}
