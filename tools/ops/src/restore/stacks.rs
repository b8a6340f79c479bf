//! Steps `import` and `switch`: the stack that takes the restored tables in, and the parameters of the main stack.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail, ensure};
use jiff::Timestamp;
use presence_store::Database;
use presence_store::restore::restored_tables;
use presence_store::schema::{REVIEWS, Table};
use serde_json::{Value, json};

use super::names::{change_set, tables_stack};
use crate::aws_program::AwsProgram;

/// Template of the stack that takes the restored tables in.
const TEMPLATE: &str = include_str!("../../../../shared/stacks/restored-tables.yaml");
/// Largest template in bytes that `CloudFormation` accepts in a request.
const LARGEST_TEMPLATE: usize = 51_200;
/// Variable of the functions, and parameter of the stacks inside, whose value tools/ci/deploy changes with each setting.
const MARKS: [&str; 2] = ["SETTINGS:", "Settings:"];
/// Parameter of the stack that names a table of reviews which was made from a build.
const REVIEWS_TABLE: &str = "ActiveReviewsTable";
/// Parameters that both stacks have, with the same meaning.
const SHARED_PARAMETERS: [&str; 3] = ["TableEncryption", "MaxReadUnits", "MaxWriteUnits"];

/// The stack of the service, and the one that takes the restored tables in.
pub(super) struct Stacks {
    aws: AwsProgram,
    /// Stack of the service.
    pub(super) service: String,
    /// Stack of the restored tables.
    pub(super) tables: String,
    /// Prefix of the restored tables.
    prefix: String,
}

/// Parameters of a stack by name.
type Parameters = BTreeMap<String, String>;

/// ARNs of the streams of restored tables.
#[derive(Clone, Debug)]
pub(super) struct RestoredStreams {
    /// Stream of the users table, for the mailer and the publisher.
    pub(super) users: String,
    /// Stream of the reviews table, for the publisher.
    pub(super) reviews: String,
}

impl Stacks {
    pub(super) fn new(service: String, prefix: &str, aws: &AwsProgram) -> Self {
        Self { aws: aws.clone(), tables: tables_stack(&service, prefix), service, prefix: prefix.to_owned() }
    }

    /// Checks that the stack of the service can use restored tables, and uses the running tables or the restored ones.
    pub(super) async fn check(&self, account: Option<&str>, running: &Database) -> anyhow::Result<()> {
        self.aws.check(account).await?;
        let parameters = self.parameters().await?;
        let active = parameters.get("ActiveTables").with_context(|| {
            format!("the stack {} has no parameter ActiveTables: deploy this version first", self.service)
        })?;
        let own = parameters.get("TablePrefix").filter(|prefix| !prefix.is_empty());
        let own = own.cloned().unwrap_or_else(|| format!("{}-", self.service));
        let used = if active.is_empty() { &own } else { active };
        if *used == self.prefix {
            return Ok(());
        }
        ensure!(
            used == running.prefix(),
            "the stack {} uses the tables {used}*, not {}*: set TABLE_PREFIX, or name another --stack",
            self.service,
            running.prefix()
        );
        self.check_reviews_table(&parameters, running)
    }

    /// Checks that the stack uses the table of reviews that is to be restored. Otherwise a restore would bring old reviews back.
    fn check_reviews_table(&self, parameters: &Parameters, running: &Database) -> anyhow::Result<()> {
        let loaded = parameters.get(REVIEWS_TABLE).filter(|name| !name.is_empty());
        let used = loaded.cloned().unwrap_or_else(|| format!("{}{}", running.prefix(), REVIEWS.name));
        let restored = running.name(&REVIEWS);
        ensure!(
            used == restored,
            "the stack {} uses the reviews of {used}, not of {restored}: set REVIEWS_TABLE={}",
            self.service,
            loaded.map(String::as_str).unwrap_or_default()
        );
        Ok(())
    }

    /// True if the stack of the service uses the restored tables.
    pub(super) async fn uses_restored(&self) -> anyhow::Result<bool> {
        Ok(self.parameters().await?.get("ActiveTables") == Some(&self.prefix))
    }

    /// Takes the restored tables into a stack of their own, by a change set of type IMPORT.
    pub(super) async fn import(&self, restored: &Database, now: Timestamp) -> anyhow::Result<()> {
        const END: &str = "stack-import-complete";
        match self.status(&self.tables).await? {
            Some(status) if status == "IMPORT_IN_PROGRESS" => return self.wait(&self.tables, END).await,
            // Another change set of an import was not executed.
            Some(status) if status != "REVIEW_IN_PROGRESS" => return Ok(()),
            _ => {}
        }
        let parameters = self.import_parameters(&self.parameters().await?).to_string();
        let resources = Self::resources_to_import(restored);
        let template = ["--template-body", TEMPLATE, "--resources-to-import", &resources, "--parameters", &parameters];
        self.change(&self.tables, &[&["--change-set-type", "IMPORT"], &template[..]].concat(), now).await?;
        self.wait(&self.tables, END).await
    }

    /// Returns the restored tables as resources of the template, in JSON.
    pub(super) fn resources_to_import(restored: &Database) -> String {
        let resource = |table: &Table| {
            json!({
                "ResourceType": "AWS::DynamoDB::Table",
                "LogicalResourceId": logical_id(table),
                "ResourceIdentifier": { "TableName": restored.name(table) },
            })
        };
        restored_tables().map(resource).collect::<Value>().to_string()
    }

    /// Lets the stack of the service use the restored tables, all functions at once.
    pub(super) async fn switch(&self, streams: &RestoredStreams, now: Timestamp) -> anyhow::Result<()> {
        const END: &str = "stack-update-complete";
        let is_updating =
            self.status(&self.service).await?.is_some_and(|status| status.starts_with("UPDATE_IN_PROGRESS"));
        if !is_updating {
            let parameters = self.switch_parameters(&self.parameters().await?, streams).to_string();
            let template = self.template_of_new_versions(now).await?;
            let template = ["--template-body", &template, "--parameters", &parameters];
            let rights = ["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"];
            let options = [&["--change-set-type", "UPDATE"], &template[..], &rights].concat();
            self.change(&self.service, &options, now).await?;
        }
        self.wait(&self.service, END).await?;
        ensure!(
            self.uses_restored().await?,
            "the stack {} does not use {}* after its update",
            self.service,
            self.prefix
        );
        Ok(())
    }

    /// Returns the template of the stack with another mark of its settings. SAM makes a new version of a function only if a text in it
    /// changes, and the alias that is invoked names a version.
    async fn template_of_new_versions(&self, now: Timestamp) -> anyhow::Result<String> {
        let of_stack = ["--stack-name", &self.service, "--template-stage", "Original"];
        let answer = self.aws.run(&[&["cloudformation", "get-template"], &of_stack[..]].concat()).await?;
        let template = answer["TemplateBody"].as_str().context("the template of the stack is no text")?;
        let template = with_mark(template, &format!("{}-{}", change_set(&self.prefix), now.as_second()));
        let template =
            template.context("the template has no variable SETTINGS of the functions: deploy this version first")?;
        ensure!(template.len() <= LARGEST_TEMPLATE, "the template is too large for a change set: use tools/ci/deploy");
        Ok(template)
    }

    /// Creates a change set, checks it and executes it. One that an interrupted run left behind is not executed.
    async fn change(&self, stack: &str, options: &[&str], now: Timestamp) -> anyhow::Result<()> {
        let name = format!("{}-{}", change_set(&self.prefix), now.as_second());
        let of_set = ["--stack-name", stack, "--change-set-name", &name];
        self.aws.run(&call(&["create-change-set"], &of_set, options)).await?;
        // The waiter fails with the change set, whose description tells why.
        let waited = self.aws.run(&call(&["wait", "change-set-create-complete"], &of_set, &[])).await;
        check_change_set(&self.aws.run(&call(&["describe-change-set"], &of_set, &[])).await?)?;
        waited?;
        self.aws.run(&call(&["execute-change-set"], &of_set, &[])).await.map(drop)
    }

    async fn wait(&self, stack: &str, end: &str) -> anyhow::Result<()> {
        self.aws.run(&["cloudformation", "wait", end, "--stack-name", stack]).await.map(drop)
    }

    async fn status(&self, stack: &str) -> anyhow::Result<Option<String>> {
        let stack = self.describe(stack).await?;
        Ok(stack.and_then(|stack| stack["StackStatus"].as_str().map(str::to_owned)))
    }

    /// Returns the description of a stack; `None` if it does not exist.
    async fn describe(&self, stack: &str) -> anyhow::Result<Option<Value>> {
        match self.aws.run(&["cloudformation", "describe-stacks", "--stack-name", stack]).await {
            Ok(answer) => Ok(Some(answer["Stacks"][0].clone())),
            Err(error) if error.to_string().contains("does not exist") => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn parameters(&self) -> anyhow::Result<Parameters> {
        let stack = self.describe(&self.service).await?;
        let stack = stack.with_context(|| format!("there is no stack {}: name it by --stack", self.service))?;
        let parameters = stack["Parameters"].as_array().into_iter().flatten().filter_map(|one| {
            Some((one["ParameterKey"].as_str()?.to_owned(), one["ParameterValue"].as_str()?.to_owned()))
        });
        Ok(parameters.collect())
    }

    fn import_parameters(&self, of_service: &Parameters) -> Value {
        let shared = SHARED_PARAMETERS.iter().filter_map(|name| Some(parameter(name, of_service.get(*name)?)));
        std::iter::once(parameter("TablePrefix", &self.prefix)).chain(shared).collect()
    }

    /// Returns the parameters of the stack with the restored tables. A release in parts would write to both tables for minutes.
    fn switch_parameters(&self, of_service: &Parameters, streams: &RestoredStreams) -> Value {
        let new = [
            ("ActiveTables", self.prefix.as_str()),
            ("ActiveTablesStream", &streams.users),
            ("ActiveReviewsStream", &streams.reviews),
            // The restored table of reviews has the name that follows from the prefix.
            (REVIEWS_TABLE, ""),
            ("Release", "AllAtOnce"),
        ];
        let parameters = of_service.keys().map(|name| match new.iter().find(|(new, _)| new == name) {
            Some((_, value)) => parameter(name, value),
            None => json!({ "ParameterKey": name, "UsePreviousValue": true }),
        });
        parameters.collect()
    }
}

/// Returns the arguments of a call of `CloudFormation`.
fn call<'a>(action: &[&'a str], of: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [&["cloudformation"], action, of, options].concat()
}

fn parameter(name: &str, value: &str) -> Value {
    json!({ "ParameterKey": name, "ParameterValue": value })
}

/// Returns the name of a table in the templates: `api-keys` is `ApiKeysTable`.
fn logical_id(table: &Table) -> String {
    let words = table.name.split('-').map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..]));
    words.chain(["Table".to_owned()]).collect()
}

/// Returns a template with another value of the settings: of the variable of its functions, and of the parameters of the stacks inside,
/// whose functions would otherwise keep the old tables. `None` if it has no such variable.
fn with_mark(template: &str, mark: &str) -> Option<String> {
    let marked = |line: &str| {
        let name = MARKS.into_iter().find(|name| line.trim_start().starts_with(name));
        match name {
            Some(name) => format!("{}{name} {mark}\n", &line[..line.len() - line.trim_start().len()]),
            None => line.to_owned(),
        }
    };
    let has_variable = template.lines().any(|line| line.trim_start().starts_with(MARKS[0]));
    has_variable.then(|| template.split_inclusive('\n').map(marked).collect())
}

/// Checks that a change set can be executed, and that it neither replaces nor removes a table.
fn check_change_set(set: &Value) -> anyhow::Result<()> {
    if set["Status"] == "FAILED" {
        bail!("the change set failed: {}", set["StatusReason"].as_str().unwrap_or("no reason is given"));
    }
    for change in set["Changes"].as_array().into_iter().flatten().map(|change| &change["ResourceChange"]) {
        let is_table = change["ResourceType"] == "AWS::DynamoDB::Table";
        let loses_it = change["Action"] == "Remove" || change["Replacement"] == "True";
        ensure!(
            !(is_table && loses_it),
            "the change set replaces or removes {}: nothing was executed",
            change["LogicalResourceId"]
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stacks() -> Stacks {
        Stacks::new("presence".to_owned(), "presence-r202611221200-", &AwsProgram::new("aws"))
    }

    #[test]
    fn each_restored_table_is_a_resource_of_the_template() {
        for table in restored_tables() {
            let name = logical_id(table);
            let resource = TEMPLATE.split_once(&format!("\n  {name}:\n")).expect("a resource").1;
            assert!(resource.contains(&format!(r#"TableName: !Sub "${{TablePrefix}}{}""#, table.name)), "{name}");
        }
    }

    #[test]
    fn only_the_tables_and_the_way_of_the_release_change_in_the_stack_of_the_service() {
        let parameters = [
            "ActiveReviewsStream",
            "ActiveReviewsTable",
            "ActiveTables",
            "ActiveTablesStream",
            "MailDomain",
            "MaxReadUnits",
            "Release",
            "TableEncryption",
        ];
        let of_service = parameters.map(|name| (name.to_owned(), format!("old {name}"))).into();
        let previous = |name| json!({ "ParameterKey": name, "UsePreviousValue": true });
        let expected = json!([
            parameter("ActiveReviewsStream", "arn:2"),
            parameter("ActiveReviewsTable", ""),
            parameter("ActiveTables", "presence-r202611221200-"),
            parameter("ActiveTablesStream", "arn:1"),
            previous("MailDomain"),
            previous("MaxReadUnits"),
            parameter("Release", "AllAtOnce"),
            previous("TableEncryption"),
        ]);
        let streams = RestoredStreams { users: "arn:1".to_owned(), reviews: "arn:2".to_owned() };
        assert_eq!(stacks().switch_parameters(&of_service, &streams), expected);
        let imported = json!([
            parameter("TablePrefix", "presence-r202611221200-"),
            parameter("TableEncryption", "old TableEncryption"),
            parameter("MaxReadUnits", "old MaxReadUnits"),
        ]);
        assert_eq!(stacks().import_parameters(&of_service), imported);
    }

    #[test]
    fn a_change_set_that_loses_a_table_is_not_executed() {
        let set = |kind: &str, action: &str, replacement: &str| {
            let change =
                json!({ "ResourceType": kind, "Action": action, "Replacement": replacement, "LogicalResourceId": "T" });
            json!({ "Status": "CREATE_COMPLETE", "Changes": [{ "ResourceChange": change }] })
        };
        let table = "AWS::DynamoDB::Table";
        assert!(check_change_set(&set(table, "Import", "")).is_ok());
        assert!(check_change_set(&set(table, "Modify", "False")).is_ok());
        assert!(check_change_set(&set("AWS::Lambda::EventSourceMapping", "Modify", "True")).is_ok());
        for wrong in [set(table, "Modify", "True"), set(table, "Remove", "False"), json!({ "Status": "FAILED" })] {
            assert!(check_change_set(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn functions_get_new_versions_by_another_mark_those_of_stacks_inside_too() {
        let template = include_str!("../../../../template.yaml");
        let marked = with_mark(template, "restore-1").expect("a mark");
        let changed: Vec<_> = template.lines().zip(marked.lines()).filter(|(before, after)| before != after).collect();
        let expected = [
            ("        SETTINGS: none", "        SETTINGS: restore-1"),
            ("        Settings: none", "        Settings: restore-1"),
            ("        Settings: none", "        Settings: restore-1"),
        ];
        assert_eq!(changed, expected);
        assert_eq!(marked.lines().count(), template.lines().count());
        assert!(marked.ends_with('\n'));
        assert_eq!(with_mark(&marked, "none").as_deref(), Some(template));
        assert_eq!(with_mark("Tags: { Service: presence }", "restore-1"), None);
    }
}
