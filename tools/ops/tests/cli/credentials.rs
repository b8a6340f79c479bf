//! Signs `ops` in by every kind of credentials that the AWS CLI takes, and checks its words when there are none.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::aws::Aws;
use crate::stage::Run;

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

/// The name of the file in which `aws sso login` keeps the token of the session `desk`: SHA-1 of the name.
const SSO_CACHE: &str = ".aws/sso/cache/46e7cfa080913f4dae18d802d041de7d664b10e2.json";

/// A home with the files of the AWS CLI, and what they lead to.
struct Desk {
    home: TempDir,
    aws: Aws,
}

impl Desk {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        let path = home.path().to_str().expect("a path of text").to_owned();
        fs::create_dir_all(home.path().join(".aws/sso/cache")).expect("a folder");
        let desk = Self { home, aws: Aws::start() };
        desk.write(".aws/config", &CONFIG.replace("HOME", &path));
        desk.write("process.json", r#"{"Version": 1, "AccessKeyId": "OFPROCESS", "SecretAccessKey": "s"}"#);
        desk.write("token", "a-token");
        desk
    }

    fn write(&self, name: &str, content: &str) {
        fs::write(self.home.path().join(name), content).expect("the folder can be written");
    }

    fn sso_token(&self, expires_at: &str) {
        let token =
            format!(r#"{{"accessToken": "t", "expiresAt": "{expires_at}", "region": "eu-west-1", "startUrl": "u"}}"#);
        self.write(SSO_CACHE, &token);
    }

    /// `ops key list` of a user that does not exist: one read, and exit code 3, once it is signed in.
    fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ops"));
        command.args(["key", "list", "--user", "7"]).args(words.split_whitespace()).stdin(Stdio::null());
        command.env_clear().env("HOME", self.home.path()).env("AWS_EC2_METADATA_DISABLED", "true");
        for service in ["DYNAMODB", "STS", "SSO", "SSO_OIDC"] {
            command.env(format!("AWS_ENDPOINT_URL_{service}"), &self.aws.url);
        }
        command
    }

    fn ops(&self, words: &str) -> Run {
        self.command(words).output().expect("the binary runs").into()
    }

    /// The calls of a run that was signed in.
    #[track_caller]
    fn signed(&self, command: &mut Command) -> Vec<(String, String)> {
        Run::from(command.output().expect("the binary runs")).exits(3);
        self.aws.calls()
    }
}

fn call(action: &str, key_id: &str) -> (String, String) {
    (action.to_owned(), key_id.to_owned())
}

#[test]
fn a_profile_with_a_process_is_signed_in_with_what_it_prints() {
    let desk = Desk::new();
    assert_eq!(desk.signed(&mut desk.command("--profile process")), [call("GetItem", "OFPROCESS")]);
}

#[test]
fn a_profile_with_a_role_assumes_it_with_the_keys_of_its_source() {
    let desk = Desk::new();
    let expected = [call("AssumeRole", "OFBASE"), call("GetItem", "OFROLE")];
    assert_eq!(desk.signed(&mut desk.command("--profile role")), expected);
}

#[test]
fn web_identity_is_taken_from_a_profile_and_from_the_environment() {
    let expected = [call("AssumeRoleWithWebIdentity", ""), call("GetItem", "OFROLE")];
    let desk = Desk::new();
    assert_eq!(desk.signed(&mut desk.command("--profile web")), expected);
    let desk = Desk::new();
    let mut command = desk.command("--region eu-west-1");
    command.env("AWS_WEB_IDENTITY_TOKEN_FILE", desk.home.path().join("token"));
    command.env("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/ops");
    assert_eq!(desk.signed(&mut command), expected);
}

#[test]
fn an_sso_session_gives_the_credentials_of_its_role() {
    let desk = Desk::new();
    desk.sso_token("2100-01-01T00:00:00Z");
    let expected = [call("GetRoleCredentials", ""), call("GetItem", "OFSSO")];
    assert_eq!(desk.signed(&mut desk.command("--profile desk")), expected);
}

#[test]
fn an_expired_or_missing_sso_session_is_named_with_the_command_that_renews_it() {
    let desk = Desk::new();
    let missing = "error: profile desk has no SSO session: aws sso login --profile desk\n";
    assert_eq!(desk.ops("--profile desk").exits(1).stderr, missing);
    desk.sso_token("2020-01-01T00:00:00Z");
    let expired = "error: the SSO session of profile desk has expired: aws sso login --profile desk\n";
    for profile in ["desk", "role-of-desk"] {
        assert_eq!(desk.ops(&format!("--profile {profile}")).exits(1).stderr, expired, "{profile}");
    }
    assert_eq!(desk.aws.calls(), []);
}

#[test]
fn a_missing_profile_is_named_wherever_it_was_given() {
    let desk = Desk::new();
    let expected = "error: the profile gone is not in ~/.aws/config\n";
    assert_eq!(desk.ops("--profile gone").exits(1).stderr, expected);
    let run = Run::from(desk.command("").env("AWS_PROFILE", "gone").output().expect("the binary runs"));
    assert_eq!(run.exits(1).stderr, expected);
}

#[test]
fn credentials_that_cannot_be_had_are_said_with_their_profile_and_without_secrets() {
    let desk = Desk::new();
    let cases = [
        ("--profile failing", "error: the credentials of profile failing cannot be had: "),
        ("--profile lost", "error: the profile lost has no credentials (profile `nowhere` was not defined"),
        ("--profile empty", "error: the profile empty has no credentials ("),
        // An endpoint on this machine needs none. This address is nobody's, and is never called.
        (
            "--region eu-west-1 --endpoint http://192.0.2.1",
            "error: there are no credentials: none in the environment, ",
        ),
    ];
    for (words, expected) in cases {
        let run = desk.ops(words).exits(1);
        assert!(run.stderr.starts_with(expected), "{words}: {}", run.stderr);
        assert!(!run.stderr.contains("canary-secret"), "{words}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{words}: {}", run.stderr);
    }
}

#[test]
fn a_profile_that_is_asked_for_goes_before_keys_in_the_environment_and_those_before_aws_profile() {
    let keys = [("AWS_ACCESS_KEY_ID", "OFENVIRONMENT"), ("AWS_SECRET_ACCESS_KEY", "s"), ("AWS_PROFILE", "process")];
    let desk = Desk::new();
    assert_eq!(desk.signed(desk.command("").envs(keys)), [call("GetItem", "OFENVIRONMENT")]);
    let desk = Desk::new();
    let asked = desk.signed(desk.command("--profile elsewhere --region eu-west-1").envs(keys));
    assert_eq!(asked, [call("GetItem", "OFELSEWHERE")]);
    let desk = Desk::new();
    assert_eq!(desk.signed(desk.command("").env("AWS_PROFILE", "process")), [call("GetItem", "OFPROCESS")]);
}

#[test]
fn an_endpoint_and_a_prefix_that_are_given_go_before_the_environment() {
    let (desk, other) = (Desk::new(), Aws::start());
    let words = format!("--profile process --endpoint {} --prefix other-", other.url);
    Run::from(desk.command(&words).output().expect("the binary runs")).exits(3);
    assert_eq!((desk.aws.calls(), other.calls()), (vec![], vec![call("GetItem", "OFPROCESS")]));
}
