//! Steps of a restore that `CloudFormation` does, through a fake of the AWS CLI.

use std::os::unix::fs::symlink;
use std::path::Path;

use presence_ops::{AwsProgram, Exit};
use presence_tests::OpsOutput;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::restore_env::RestoreEnv;

/// Folder of a fake of the AWS CLI, with the parameters of the stack.
struct FakeAws(TempDir);

impl FakeAws {
    fn new(parameters: &[(&str, &str)], switched: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("restore/fake_aws.sh");
        symlink(script, folder.path().join("aws")).expect("a link");
        let list = |parameters: &[(&str, &str)]| {
            let list = parameters.iter().map(|(key, value)| json!({ "ParameterKey": key, "ParameterValue": value }));
            list.collect::<Value>().to_string()
        };
        let body = "Globals:\n  SETTINGS: s1\nResources:\n  IngestStack:\n    Settings: s1\n";
        let template = json!({ "TemplateBody": body }).to_string();
        let files = [("parameters", list(parameters)), ("parameters.switched", list(switched)), ("template", template)];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("the folder can be written");
        }
        Self(folder)
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
        "--change-set-type UPDATE",
        "execute-change-set --stack-name presence --change-set-name",
        "wait stack-update-complete --stack-name presence",
    ];
    let places: Vec<_> = order.iter().map(|part| place(part)).collect();
    assert!(places.is_sorted(), "{calls:?}");
    let update = &calls[place("--change-set-type UPDATE")];
    for part in [
        format!("SETTINGS: restore-{suffix}-"),
        format!("    Settings: restore-{suffix}-"),
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
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_until_the_switch_are_repeated_after_it() {
    let env = RestoreEnv::new().await;
    let (own, prefix) = (env.stack.table_prefix(), env.restored_prefix());
    // The update of the stack does not take effect at first: the run ends between switch and end.
    let unchanged = FakeAws::new(&parameters(own, ""), &parameters(own, ""));
    let stopped = unchanged.restore(&env, "--execute --yes").await.expect(Exit::Failed);
    assert!(stopped.stderr.contains("after its update"), "{}", stopped.stderr);
    let late = &env.fixtures.manager_1;
    assert_eq!(env.stack.delete(&format!("/user/{}", late.id), &env.fixtures.provider.key).await.status, 200);
    let switched = FakeAws::new(&parameters(own, &prefix), &[]);
    let report = switched.restore(&env, "--execute --yes --json").await.expect(Exit::Done).json();
    assert_eq!(report["deleted_users"], json!([late.id]));
    let stack = env.restored_stack().await;
    assert_eq!(stack.get(&format!("/user/{}", late.id), &env.fixtures.provider.key).await.status, 404);
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
