//! Steps `import` and `switch`: the stack that takes the restored tables in, and the parameters of the main stack.

mod calls;
mod inputs;

use std::collections::BTreeMap;

use anyhow::{Context as _, ensure};
use jiff::Timestamp;
use presence_store::Database;
use presence_store::schema::REVIEWS;

use self::inputs::TEMPLATE;
use super::names::tables_stack;
use crate::aws_program::AwsProgram;

/// Parameter of the stack that names a table of reviews which was made from a build.
const REVIEWS_TABLE: &str = "ActiveReviewsTable";

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

    /// True if the stack of the service uses the restored tables. Waits for the end of an update that is under way: it changes
    /// the parameters first, and the functions later.
    pub(super) async fn uses_restored(&self) -> anyhow::Result<bool> {
        let status = self.status(&self.service).await?;
        if status.is_some_and(|status| status.starts_with("UPDATE") && status.ends_with("_IN_PROGRESS")) {
            self.wait(&self.service, "stack-update-complete").await?;
        }
        Ok(self.parameters().await?.get("ActiveTables") == Some(&self.prefix))
    }

    /// Takes the restored tables into a stack of their own, by a change set of type IMPORT.
    pub(super) async fn import(&self, restored: &Database, now: Timestamp) -> anyhow::Result<()> {
        const END: &str = "stack-import-complete";
        match self.status(&self.tables).await?.as_deref() {
            // In review, another change set of an import was not executed.
            None | Some("REVIEW_IN_PROGRESS") => {}
            Some("IMPORT_IN_PROGRESS") => return self.wait(&self.tables, END).await,
            Some(status) => return self.check_imported(status),
        }
        let parameters = self.import_parameters(&self.parameters().await?).to_string();
        let resources = Self::resources_to_import(restored);
        let template = ["--template-body", TEMPLATE, "--resources-to-import", &resources, "--parameters", &parameters];
        self.change(&self.tables, &[&["--change-set-type", "IMPORT"], &template[..]].concat(), now).await?;
        self.wait(&self.tables, END).await
    }

    /// Checks that a stack of restored tables with this status has them.
    fn check_imported(&self, status: &str) -> anyhow::Result<()> {
        let is_updated = status.starts_with("UPDATE_") && status.ends_with("COMPLETE");
        // Its template has `DeletionPolicy: Retain` for each table.
        let advice = if status.ends_with("_IN_PROGRESS") {
            "wait for its end"
        } else {
            "delete this stack, which keeps the tables"
        };
        ensure!(
            is_updated || status == "IMPORT_COMPLETE",
            "the stack {} of the restored tables is {status}: {advice}, and run this again",
            self.tables
        );
        Ok(())
    }

    /// Lets the stack of the service use the restored tables, all functions at once. No update of it is under way.
    pub(super) async fn switch(&self, streams: &RestoredStreams, now: Timestamp) -> anyhow::Result<()> {
        let parameters = self.switch_parameters(&self.parameters().await?, streams).to_string();
        let url = self.put_template_of_new_versions(now).await?;
        let template = ["--template-url", &url, "--parameters", &parameters];
        let rights = ["--capabilities", "CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"];
        let options = [&["--change-set-type", "UPDATE"], &template[..], &rights].concat();
        self.change(&self.service, &options, now).await?;
        ensure!(
            self.uses_restored().await?,
            "the stack {} does not use {}* after its update",
            self.service,
            self.prefix
        );
        Ok(())
    }
}
