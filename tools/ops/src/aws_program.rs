//! The AWS CLI as a program: `CloudFormation` through `aws`, so that this program needs no client of it.

use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use tokio::process::Command;

/// Program `aws` with the region and the profile of a command.
#[derive(Clone, Debug)]
pub struct AwsProgram {
    program: PathBuf,
    region: Option<String>,
    profile: Option<String>,
}

impl AwsProgram {
    /// Returns the program at a path, or of a name that is looked up in `PATH`, with the settings of the environment.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), region: None, profile: None }
    }

    /// Returns the program with this region and profile, as far as they are known.
    pub(crate) fn with_settings(self, region: Option<String>, profile: Option<String>) -> Self {
        Self { region, profile, ..self }
    }

    /// Runs the program. Returns its output as JSON, `null` for none. The error holds what the program wrote about it.
    pub(crate) async fn run(&self, arguments: &[&str]) -> anyhow::Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
        // A pager would wait for a key.
        command.env("AWS_PAGER", "").env("AWS_DEFAULT_OUTPUT", "json");
        if let Some(region) = &self.region {
            command.env("AWS_REGION", region).env("AWS_DEFAULT_REGION", region);
        }
        if let Some(profile) = &self.profile {
            command.args(["--profile", profile]);
        }
        let call = arguments.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        let output = command.output().await.context("the program `aws` does not start: install the AWS CLI")?;
        if !output.status.success() {
            bail!("aws {call}: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let text = String::from_utf8(output.stdout).context("the program `aws` does not write UTF-8")?;
        if text.trim().is_empty() || arguments == ["--version"] {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).with_context(|| format!("aws {call} does not write JSON"))
    }

    /// Checks that the program runs, and with the credentials of this account if it is known.
    pub(crate) async fn check(&self, account: Option<&str>) -> anyhow::Result<()> {
        self.run(&["--version"]).await?;
        let Some(account) = account else { return Ok(()) };
        let identity = self.run(&["sts", "get-caller-identity"]).await?;
        let other = &identity["Account"];
        ensure!(other == account, "the program `aws` uses account {other}, and this one account {account}");
        Ok(())
    }
}
