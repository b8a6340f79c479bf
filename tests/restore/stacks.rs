//! Steps of a restore that `CloudFormation` does, through a fake of the AWS CLI.

use std::os::unix::fs::symlink;
use std::path::Path;

use presence_ops::{AwsProgram, Exit};
use presence_tests::OpsOutput;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::restore_env::RestoreEnv;

/// Folder of the bucket in which SAM put the templates of the nested stacks.
const TEMPLATES: &str = "https://s3.eu-west-1.amazonaws.com/packages/presence";

/// Folder of a fake of the AWS CLI, with the parameters of the stack.
struct FakeAws(TempDir);

impl FakeAws {
    /// Returns a fake with these parameters of the stack, before its next update and after it.
    fn new(parameters: &[(&str, &str)], switched: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("restore/fake_aws.sh");
        symlink(script, folder.path().join("aws")).expect("a link");
        let fake = Self(folder);
        fake.set_parameters("parameters", parameters);
        fake.set_parameters("parameters.switched", switched);
        fake.write("template", &json!({ "TemplateBody": deployed_template() }).to_string());
        fake
    }

    fn set_parameters(&self, name: &str, parameters: &[(&str, &str)]) {
        let list = parameters.iter().map(|(key, value)| json!({ "ParameterKey": key, "ParameterValue": value }));
        self.write(name, &list.collect::<Value>().to_string());
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("the folder can be written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).expect("the file")
    }

    /// Returns the calls so far, without the program.
    fn calls(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(self.0.path().join("calls")).unwrap_or_default();
        calls.lines().map(|line| line.trim_end().to_owned()).collect()
    }

    async fn restore(&self, env: &RestoreEnv, more: &str) -> OpsOutput {
        let program = AwsProgram::new(self.0.path().join("aws"));
        let words = env.restore_words(&format!("--stack presence {more}"));
        env.ops_with(&words, |context| context.with_aws_program(program)).await
    }
}

/// Returns the template of the repository with the places of the nested templates, as SAM deploys it.
fn deployed_template() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../template.yaml");
    let template = std::fs::read_to_string(path).expect("the template");
    let deployed = template.lines().map(|line| match line.split_once("TemplateURL: ") {
        Some((indent, _)) => format!("{indent}TemplateURL: {TEMPLATES}/0a1b2c3d.template\n"),
        None => format!("{line}\n"),
    });
    deployed.collect::<Vec<_>>().concat()
}

/// Returns the parameters of a stack that uses tables with this prefix.
fn parameters<'a>(own: &'a str, active: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("ActiveTables", active),
        ("ActiveTablesStream", ""),
        ("ActiveReviewsTable", ""),
        ("ActiveReviewsStream", ""),
        ("Release", "Canary10Percent5Minutes"),
        ("TablePrefix", own),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_tables_are_taken_in_and_used_by_all_functions_at_once() {
    let env = RestoreEnv::new().await;
    let (own, prefix) = (env.stack.table_prefix(), env.restored_prefix());
    let aws = FakeAws::new(&parameters(own, ""), &parameters(own, &prefix));
    let report = aws.restore(&env, "--execute --yes --json").await.expect(Exit::Done).json();
    assert_eq!(report["is_in_use"], true);
    let calls = aws.calls();
    let place =
        |part: &str| calls.iter().position(|call| call.contains(part)).unwrap_or_else(|| panic!("{part}: {calls:?}"));
    let suffix = env.at.strftime("r%Y%m%d%H%M").to_string();
    let import = &calls[place("--change-set-type IMPORT")];
    assert!(import.contains(&format!("--stack-name presence-tables-{suffix}")), "{import}");
    let order = [
        "create-change-set --stack-name presence-tables-",
        "execute-change-set --stack-name presence-tables-",
        "wait stack-import-complete",
        "s3api put-object --bucket packages --key presence/restore-",
        "--change-set-type UPDATE",
        "execute-change-set --stack-name presence --change-set-name",
        "wait stack-update-complete --stack-name presence",
    ];
    let places: Vec<_> = order.iter().map(|part| place(part)).collect();
    assert!(places.is_sorted(), "{calls:?}");
    let put = &calls[place("s3api put-object")];
    let (name, _) = put.split_once("--key presence/").expect("a key").1.split_once(".template ").expect("a file");
    assert!(name.starts_with(&format!("restore-{suffix}-")), "{put}");
    let marked = deployed_template().replace("SETTINGS: none", &format!("SETTINGS: {name}"));
    assert_eq!(aws.read("body"), marked.replace("Settings: none", &format!("Settings: {name}")));
    let update = &calls[place("--change-set-type UPDATE")];
    for part in [
        format!("--template-url {TEMPLATES}/{name}.template "),
        format!(r#""ParameterKey":"ActiveTables","ParameterValue":"{prefix}""#),
        r#""ParameterKey":"ActiveTablesStream","ParameterValue":"arn:aws:dynamodb:"#.to_owned(),
        r#""ParameterKey":"ActiveReviewsStream","ParameterValue":"arn:aws:dynamodb:"#.to_owned(),
        r#""ParameterKey":"ActiveReviewsTable","ParameterValue":"""#.to_owned(),
        r#""ParameterKey":"Release","ParameterValue":"AllAtOnce""#.to_owned(),
        r#""ParameterKey":"TablePrefix","UsePreviousValue":true"#.to_owned(),
        "CAPABILITY_AUTO_EXPAND".to_owned(),
    ] {
        assert!(update.contains(&part), "{part}: {update}");
    }
    // Run again, it has nothing to do.
    let before = aws.calls().len();
    let again = aws.restore(&env, "--execute --yes").await.expect(Exit::Done);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    assert!(aws.calls()[before..].iter().all(|call| !call.contains("change-set")));
    // After the way back, it switches again.
    aws.set_parameters("parameters", &parameters(own, ""));
    let report = aws.restore(&env, "--execute --yes --json").await.expect(Exit::Done).json();
    assert_eq!(report["is_in_use"], true);
    assert!(aws.calls()[before..].iter().any(|call| call.contains("--change-set-type UPDATE")));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_until_the_switch_are_repeated_after_it() {
    let env = RestoreEnv::new().await;
    let (own, prefix) = (env.stack.table_prefix(), env.restored_prefix());
    // The update of the stack does not take effect at first: the run ends between switch and end.
    let unchanged = FakeAws::new(&parameters(own, ""), &parameters(own, ""));
    let stopped = unchanged.restore(&env, "--execute --yes --json").await.expect(Exit::Failed);
    assert!(stopped.stderr.contains("after its update"), "{}", stopped.stderr);
    assert_eq!(stopped.json()["held_mails"].as_array().map(Vec::len), Some(1), "the report is not lost");
    let late = &env.fixtures.manager_1;
    assert_eq!(env.stack.delete(&format!("/user/{}", late.id), &env.fixtures.provider.key).await.status, 200);
    let switched = FakeAws::new(&parameters(own, &prefix), &[]);
    switched.write("status", "UPDATE_IN_PROGRESS");
    let report = switched.restore(&env, "--execute --yes --json").await.expect(Exit::Done).json();
    assert_eq!(report["deleted_users"], json!([late.id]));
    let waits = switched.calls().into_iter().filter(|call| call.contains("wait stack-update-complete"));
    assert_eq!(waits.count(), 1, "the functions of before may write until the end of the update");
    let stack = env.restored_stack().await;
    assert_eq!(stack.get(&format!("/user/{}", late.id), &env.fixtures.provider.key).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_whose_import_was_taken_back_are_not_used() {
    let env = RestoreEnv::at_copy().await;
    let own = env.stack.table_prefix();
    let aws = FakeAws::new(&parameters(own, ""), &parameters(own, &env.restored_prefix()));
    for (status, advice) in [
        ("IMPORT_ROLLBACK_COMPLETE", "delete this stack, which keeps the tables, and run this again"),
        ("IMPORT_ROLLBACK_IN_PROGRESS", "wait for its end, and run this again"),
    ] {
        aws.write("imported", status);
        let stopped = aws.restore(&env, "--execute --yes").await.expect(Exit::Failed);
        assert!(stopped.stderr.contains(&format!("is {status}: {advice}")), "{}", stopped.stderr);
        assert!(aws.calls().iter().all(|call| !call.contains("change-set")));
    }
    aws.write("imported", "UPDATE_ROLLBACK_COMPLETE");
    aws.restore(&env, "--execute --yes").await.expect(Exit::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_stops_before_the_stacks_leaves_them_alone() {
    let env = RestoreEnv::at_copy().await;
    let own = env.stack.table_prefix();
    let aws = FakeAws::new(&parameters(own, ""), &[]);
    let report = aws.restore(&env, "--execute --yes --json --until audits").await.expect(Exit::Done).json();
    assert_eq!((report["is_in_use"].as_bool(), report["held_mails"].as_array().map(Vec::len)), (Some(false), Some(1)));
    assert!(aws.calls().iter().all(|call| !call.contains("change-set")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stack_that_cannot_use_restored_tables_stops_the_restore_before_it_begins() {
    let env = RestoreEnv::at_copy().await;
    let own = env.stack.table_prefix();
    let mut loaded = parameters(own, "");
    loaded.retain(|(name, _)| *name != "ActiveReviewsTable");
    loaded.push(("ActiveReviewsTable", "presence-reviews-1"));
    for (parameters, expected) in [
        (vec![("TablePrefix", own)], "deploy this version first"),
        (loaded, "uses the reviews of presence-reviews-1, not of"),
        (parameters("other-", ""), "uses the tables other-*"),
        (parameters(own, "elsewhere-"), "uses the tables elsewhere-*"),
    ] {
        let aws = FakeAws::new(&parameters, &[]);
        let refused = aws.restore(&env, "--execute --yes").await.expect(Exit::Failed);
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
        assert!(aws.calls().iter().all(|call| !call.contains("change-set")));
    }
    let missing = AwsProgram::new("/nowhere/aws");
    let words = env.restore_words("--execute --yes");
    let refused = env.ops_with(&words, |context| context.with_aws_program(missing)).await.expect(Exit::Failed);
    assert!(refused.stderr.contains("install the AWS CLI"), "{}", refused.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_names_the_commands_of_cloudformation() {
    let env = RestoreEnv::at_copy().await;
    let own = env.stack.table_prefix();
    let aws = FakeAws::new(&parameters(own, ""), &[]);
    let steps = aws.restore(&env, "--json").await.expect(Exit::Done).json();
    let names: Vec<_> = steps.as_array().expect("a list").iter().map(|step| step["name"].clone()).collect();
    assert_eq!(names[6..], ["import", "switch", "again-since"]);
    let commands = steps.to_string();
    for part in ["--change-set-type IMPORT", "tools/ci/deploy", "shared/stacks/restored-tables.yaml"] {
        assert!(commands.contains(part), "{part}");
    }
    assert!(aws.calls().iter().all(|call| !call.contains("change-set")));
}
