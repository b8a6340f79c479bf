//! Plan of a restore: its steps, each with the commands that do it by hand.

use presence_domain::restore::ChangesSince;
use presence_store::restore::restored_tables;
use presence_store::schema::{REVIEWS, Table, USERS};
use serde::Serialize;

use super::Restore;
use super::names::change_set;
use super::stacks::Stacks;
use super::steps::StepName;
use crate::Console;

/// Step of a plan.
#[derive(Debug, Serialize)]
pub(super) struct Step {
    #[serde(rename = "step")]
    number: usize,
    name: &'static str,
    does: &'static str,
    /// Commands that do the step by hand.
    commands: Vec<String>,
}

/// Steps of a restore, in order.
pub(super) struct Plan<'a> {
    restore: &'a Restore,
    changes: &'a ChangesSince,
    /// Start of the commands of this program on the restored tables.
    ops: String,
}

impl<'a> Plan<'a> {
    pub(super) fn new(restore: &'a Restore, changes: &'a ChangesSince) -> Self {
        Self { restore, changes, ops: format!("{} ops", restore.environment()) }
    }

    /// Writes the steps as text, or as a list in JSON.
    pub(super) fn print(&self, console: &mut Console) -> anyhow::Result<()> {
        let steps = self.steps();
        if console.json {
            return console.write_json(&steps);
        }
        for Step { number, name, does, commands } in steps {
            console.write_line(format_args!("{number}. {name}: {does}"))?;
            for command in commands {
                console.write_line(format_args!("   {command}"))?;
            }
        }
        Ok(())
    }

    fn steps(&self) -> Vec<Step> {
        let names = StepName::all(self.restore.stacks.is_some());
        let step = |(index, name): (usize, &StepName)| Step {
            number: index + 1,
            name: name.as_str(),
            does: name.does(),
            commands: self.commands(*name),
        };
        names.iter().enumerate().map(step).collect()
    }

    fn commands(&self, name: StepName) -> Vec<String> {
        let stacks = self.restore.stacks.as_ref();
        match name {
            StepName::Check => self.for_tables(|before, after| {
                vec![
                    format!("aws dynamodb describe-continuous-backups --table-name {before}"),
                    format!("aws dynamodb describe-table --table-name {after}"),
                ]
            }),
            StepName::Tables => self.for_tables(|before, after| {
                let target = format!("--source-table-name {before} --target-table-name {after}");
                let at = self.restore.at;
                vec![format!("aws dynamodb restore-table-to-point-in-time {target} --restore-date-time {at}")]
            }),
            StepName::Settings => self.settings(),
            StepName::Again | StepName::AgainSince => self.again(),
            StepName::Mails => vec![self.hold(), format!("{} outbox list", self.ops)],
            StepName::Audits => ["users audit", "reviews audit"].map(|audit| format!("{} {audit}", self.ops)).into(),
            StepName::Import => stacks.map(|stacks| self.import(stacks)).unwrap_or_default(),
            StepName::Switch => stacks.map(|stacks| self.switch(stacks)).unwrap_or_default(),
            StepName::Local => {
                vec![format!(
                    "{} cargo run -- --dynamodb-url \"$AWS_ENDPOINT_URL_DYNAMODB\"",
                    self.restore.environment()
                )]
            }
        }
    }

    fn for_tables(&self, commands: impl Fn(&str, &str) -> Vec<String>) -> Vec<String> {
        self.restore.table_names().flat_map(|(before, after)| commands(&before, &after)).collect()
    }

    fn settings(&self) -> Vec<String> {
        let mut commands = Vec::new();
        for table in restored_tables() {
            let name = self.restore.restored.database.name(table);
            let update = format!("aws dynamodb update-table --table-name {name}");
            // The waiter gives up after 500 seconds. A restore takes longer, and a table takes one update at a time.
            let wait = format!("until aws dynamodb wait table-exists --table-name {name}; do :; done");
            commands.extend([wait.clone(), format!("{update} --deletion-protection-enabled"), wait.clone()]);
            if let Some(images) = table.stream {
                let stream = format!("StreamEnabled=true,StreamViewType={}", images.as_str());
                commands.extend([format!("{update} --stream-specification {stream}"), wait]);
            }
            if let Some(attribute) = table.ttl {
                let expiry = format!("--time-to-live-specification Enabled=true,AttributeName={attribute}");
                commands.push(format!("aws dynamodb update-time-to-live --table-name {name} {expiry}"));
            }
            let recovery = "--point-in-time-recovery-specification PointInTimeRecoveryEnabled=true";
            commands.push(format!("aws dynamodb update-continuous-backups --table-name {name} {recovery}"));
            let arn =
                format!("$(aws dynamodb describe-table --table-name {name} --query Table.TableArn --output text)");
            commands.push(format!("aws dynamodb tag-resource --resource-arn {arn} --tags Key=Service,Value=presence"));
        }
        commands
    }

    /// Returns the command that does the steps until the mails. No other command holds them.
    fn hold(&self) -> String {
        let Restore { at, restored, undo, stacks, .. } = self.restore;
        let mut words = vec![format!("ops restore plan --at {at} --prefix {}", restored.database.prefix())];
        words.extend(stacks.as_ref().map(|stacks| format!("--stack {}", stacks.service)));
        words.extend(undo.iter().map(|id| format!("--undo {id}")));
        words.push("--execute --until mails".to_owned());
        words.join(" ")
    }

    fn again(&self) -> Vec<String> {
        let ended = self.changes.revoked_keys.iter().chain(&self.changes.rotated_keys);
        let ended = ended.filter(|key| !self.changes.deleted.contains(&key.owner()));
        let ended = ended.map(|key| format!("{} key revoke {key}", self.ops));
        let deleted = self.changes.deleted.iter().map(|user| format!("{} users delete {user}", self.ops));
        let compared = self
            .changes
            .touched
            .keys()
            .flat_map(|user| [format!("ops users show {user}"), format!("{} users show {user}", self.ops)]);
        ended.chain(deleted).chain(compared).collect()
    }

    fn import(&self, stacks: &Stacks) -> Vec<String> {
        let set = change_set(self.restore.restored.database.prefix());
        let of_set = format!("--stack-name {} --change-set-name {set}", stacks.tables);
        let prefix = format!("ParameterKey=TablePrefix,ParameterValue={}", self.restore.restored.database.prefix());
        let template = "--template-body file://shared/stacks/restored-tables.yaml";
        let resources = Stacks::resources_to_import(&self.restore.restored.database);
        vec![
            format!(
                "aws cloudformation create-change-set {of_set} --change-set-type IMPORT {template} --parameters {prefix} \
                 --resources-to-import '{resources}'"
            ),
            format!("aws cloudformation wait change-set-create-complete {of_set}"),
            format!("aws cloudformation execute-change-set {of_set}"),
            format!("aws cloudformation wait stack-import-complete --stack-name {}", stacks.tables),
        ]
    }

    fn switch(&self, stacks: &Stacks) -> Vec<String> {
        let stream_of = |table: &Table| {
            let name = self.restore.restored.database.name(table);
            format!("$(aws dynamodb describe-table --table-name {name} --query Table.LatestStreamArn --output text)")
        };
        let (users, reviews) = (stream_of(&USERS), stream_of(&REVIEWS));
        let prefix = self.restore.restored.database.prefix();
        let streams = format!("ActiveTablesStream={users} ActiveReviewsStream={reviews}");
        let parameters = format!("ActiveTables={prefix} {streams} ActiveReviewsTable= Release=AllAtOnce");
        vec![format!("tools/ci/deploy {} {parameters}", stage(&stacks.service))]
    }
}

/// Returns the stage of `samconfig.toml` that a stack usually belongs to: the part of its name behind the dash.
fn stage(service: &str) -> &str {
    service.rsplit_once('-').map_or("prod", |(_, stage)| stage)
}
