//! Calls of `CloudFormation`: descriptions of stacks, and change sets.

use anyhow::{Context as _, bail, ensure};
use jiff::Timestamp;
use serde_json::Value;

use super::{Parameters, Stacks};
use crate::restore::names::change_set;

impl Stacks {
    /// Creates a change set, checks it and executes it. One that an interrupted run left behind is not executed.
    pub(super) async fn change(&self, stack: &str, options: &[&str], now: Timestamp) -> anyhow::Result<()> {
        let name = self.change_name(now);
        let of_set = ["--stack-name", stack, "--change-set-name", &name];
        self.aws.run(&call(&["create-change-set"], &of_set, options)).await?;
        // The waiter fails with the change set, whose description tells why.
        let waited = self.aws.run(&call(&["wait", "change-set-create-complete"], &of_set, &[])).await;
        check_change_set(&self.aws.run(&call(&["describe-change-set"], &of_set, &[])).await?)?;
        waited?;
        self.aws.run(&call(&["execute-change-set"], &of_set, &[])).await.map(drop)
    }

    /// Returns the name of what a run makes for a change at this instant.
    pub(super) fn change_name(&self, now: Timestamp) -> String {
        format!("{}-{}", change_set(&self.prefix), now.as_second())
    }

    /// Waits for the end of a change of a stack. `end` names the waiter of the AWS CLI.
    pub(super) async fn wait(&self, stack: &str, end: &str) -> anyhow::Result<()> {
        self.aws.run(&["cloudformation", "wait", end, "--stack-name", stack]).await.map(drop)
    }

    /// Returns the status of a stack; `None` if it does not exist.
    pub(super) async fn status(&self, stack: &str) -> anyhow::Result<Option<String>> {
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

    /// Returns the parameters of the stack of the service.
    pub(super) async fn parameters(&self) -> anyhow::Result<Parameters> {
        let stack = self.describe(&self.service).await?;
        let stack = stack.with_context(|| format!("there is no stack {}: name it by --stack", self.service))?;
        let parameters = stack["Parameters"].as_array().into_iter().flatten().filter_map(|one| {
            Some((one["ParameterKey"].as_str()?.to_owned(), one["ParameterValue"].as_str()?.to_owned()))
        });
        Ok(parameters.collect())
    }
}

/// Returns the arguments of a call of `CloudFormation`.
fn call<'a>(action: &[&'a str], of: &[&'a str], options: &[&'a str]) -> Vec<&'a str> {
    [&["cloudformation"], action, of, options].concat()
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
    use serde_json::json;

    use super::*;

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
}
