//! Execution of the steps of a restore.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use presence_domain::restore::MARGIN;
use presence_store::restore::{RestoreState, restored_tables};
use presence_store::schema::{AUDIT, REVIEWS, USERS};

use super::again::{Repetition, read_changes};
use super::report::Report;
use super::stacks::RestoredStreams;
use super::steps::StepName;
use super::{PlanArgs, Restore, Stacks};
use crate::console::format_instant;
use crate::error::CommandError;
use crate::{Context, Exit};

/// First pause between two looks at a table that is being restored; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// Longest pause between two looks.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
/// Longest wait for the tables: that of a day. Large tables take hours.
const LONGEST_WAIT: Duration = Duration::from_hours(24);
/// Tags of every table.
const TAGS: [(&str, &str); 1] = [("Service", "presence")];
/// Tag of the restored users table after its mails were held. Its value is the instant.
const MAILS_HELD: &str = "presence:mails-held";
/// Tag of the restored users table after all steps. Its value is the instant.
const ENDED: &str = "presence:restore-ended";

/// Checks that the restore can begin or go on. Writes nothing.
pub(super) async fn check(restore: &Restore, context: &Context) -> Result<(), CommandError> {
    let (running, restored) = (&restore.running.database, &restore.restored.database);
    if let Some(stacks) = &restore.stacks {
        let account = context.target.identity().await?.account.clone();
        stacks.check(account.as_deref(), running).await?;
    }
    let mut problems = Vec::new();
    for table in restored_tables() {
        let (before, after) = (running.name(table), restored.name(table));
        match restored.restore_state(table, running, restore.at).await? {
            RestoreState::Taken => problems.push(format!("the table {after} is another one: name another --prefix")),
            RestoreState::Absent => problems.extend(window_problem(restore, table, &before).await?),
            RestoreState::UnderWay | RestoreState::Ready => {}
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(CommandError::from_text(problems.join("; "))) }
}

async fn window_problem(
    restore: &Restore,
    table: &presence_store::schema::Table,
    name: &str,
) -> Result<Option<String>, CommandError> {
    let window = restore.running.database.recovery_window(table).await?;
    let Some(window) = window else { return Ok(Some(format!("point-in-time recovery of {name} is off"))) };
    let is_inside = window.earliest <= restore.at && restore.at <= window.latest;
    let [earliest, latest] = [window.earliest, window.latest].map(format_instant);
    Ok((!is_inside).then(|| format!("{name} can be restored to an instant from {earliest} to {latest}")))
}

/// Does all steps, and prints the report.
pub(super) async fn execute(restore: &Restore, args: &PlanArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let prefix = restore.restored.database.prefix().to_owned();
    let target = context.target.describe_tables(&prefix).await?;
    context.console.write_message(target);
    check(restore, context).await?;
    if let Some(at) = ended_at(restore).await? {
        context.console.write_message(format_args!("this restore ended at {at}: nothing to do"));
        return Ok(Exit::Done);
    }
    if !args.yes {
        let use_them =
            if restore.stacks.is_some() && args.until.is_none() { ", and let the stack use them" } else { "" };
        let question = format!("Restore the tables to {} as {prefix}*{use_them}?", restore.at);
        context.console.confirm(&question)?;
    }
    let mut execution = Execution { restore, context, report: new_report(restore) };
    let done = execution.steps(args.until).await;
    let Execution { report, context, .. } = execution;
    // After an error, too: another run does not tell all of it again.
    report.print(&mut context.console)?;
    if !done? {
        return Ok(Exit::Failed);
    }
    context.console.write_message(format_args!("the restored tables: {}", restore.environment()));
    let next = if report.held_mails.is_empty() { "doctor" } else { "outbox list" };
    context.console.write_next(format_args!("{} ops {next}", restore.environment()));
    Ok(Exit::Done)
}

/// Returns the instant at which the restore ended; `None` if it did not, or if the stack has gone back to other tables since.
async fn ended_at(restore: &Restore) -> Result<Option<String>, CommandError> {
    let Some(at) = restore.restored.database.tag(&USERS, ENDED).await? else { return Ok(None) };
    let is_in_use = match &restore.stacks {
        Some(stacks) => stacks.uses_restored().await?,
        None => true,
    };
    Ok(is_in_use.then_some(at))
}

fn new_report(restore: &Restore) -> Report {
    Report {
        restored_to: format_instant(restore.at),
        table_prefix: restore.restored.database.prefix().to_owned(),
        audit_table: restore.restored.database.name(&AUDIT),
        ..Report::default()
    }
}

struct Execution<'a> {
    restore: &'a Restore,
    context: &'a mut Context,
    report: Report,
}

impl Execution<'_> {
    /// Does all steps, or those until this one. False if a step found what must be mended before the next one.
    async fn steps(&mut self, until: Option<StepName>) -> Result<bool, CommandError> {
        for name in StepName::all(self.restore.stacks.is_some()) {
            self.context.console.write_message(format_args!("{}: {}", name.as_str(), name.does()));
            if !self.step(*name).await? {
                return Ok(false);
            }
            if until == Some(*name) {
                break;
            }
        }
        Ok(true)
    }

    /// Does a step. False if it found what must be mended before the next one.
    async fn step(&mut self, name: StepName) -> Result<bool, CommandError> {
        match name {
            // The check was done before the question; the local stack is the operator's.
            StepName::Check | StepName::Local => {}
            StepName::Tables => self.restore_tables().await?,
            StepName::Settings => self.complete_tables().await?,
            StepName::Again => {
                if !self.is_switched().await? {
                    self.forget_answers().await?;
                    self.repeat_changes().await?;
                }
            }
            StepName::Mails => self.hold_mails().await?,
            StepName::Audits => return self.audit().await,
            StepName::Import => {
                let now = self.context.clock.now();
                self.stacks()?.import(&self.restore.restored.database, now).await?;
            }
            StepName::Switch => self.switch().await?,
            StepName::AgainSince => self.end().await?,
        }
        Ok(true)
    }

    fn stacks(&self) -> anyhow::Result<&Stacks> {
        self.restore.stacks.as_ref().context("there are no stacks outside AWS")
    }

    async fn is_switched(&self) -> anyhow::Result<bool> {
        match &self.restore.stacks {
            Some(stacks) => stacks.uses_restored().await,
            None => Ok(false),
        }
    }

    /// Starts the restore of each table that is missing, and waits until all can be used.
    async fn restore_tables(&mut self) -> Result<(), CommandError> {
        let (running, restored) = (&self.restore.running.database, &self.restore.restored.database);
        for table in restored_tables() {
            if restored.restore_state(table, running, self.restore.at).await? == RestoreState::Absent {
                running.start_restore(table, restored, self.restore.at).await?;
                self.context.console.write_message(format_args!("{} is being restored", restored.name(table)));
            }
        }
        for table in restored_tables() {
            let mut wait = Wait::default();
            while restored.restore_state(table, running, self.restore.at).await? != RestoreState::Ready {
                wait.pause(&restored.name(table)).await?;
            }
        }
        Ok(())
    }

    async fn complete_tables(&self) -> Result<(), CommandError> {
        for table in restored_tables() {
            let mut wait = Wait::default();
            while !self.restore.restored.database.complete_restored(table, &TAGS).await? {
                wait.pause(&self.restore.restored.database.name(table)).await?;
            }
        }
        Ok(())
    }

    /// Repeats the changes that the restore must not undo, and copies the open quiet windows of addresses.
    async fn repeat_changes(&mut self) -> Result<(), CommandError> {
        let changes = read_changes(self.restore).await?;
        let (actor, now) = (self.context.actor().await?, self.context.clock.now());
        Repetition { restore: self.restore, actor, now }.apply(changes, &mut self.report).await?;
        Ok(self.restore.restored.outbox.copy_open_windows(&self.restore.running.outbox, now).await?)
    }

    /// Deletes the answers that were kept around the instant. Each table is restored by itself: an answer may be there without its change.
    async fn forget_answers(&self) -> Result<(), CommandError> {
        let at = self.restore.at;
        self.restore.restored.answers.delete_between(at - MARGIN, at + MARGIN).await?;
        Ok(())
    }

    /// Holds the mails once. Those that an operator releases later are not held again. Drops the notices, which would put mails again.
    async fn hold_mails(&mut self) -> Result<(), CommandError> {
        let restored = &self.restore.restored;
        if restored.database.tag(&USERS, MAILS_HELD).await?.is_some() {
            return Ok(());
        }
        for notice in restored.outbox.list_notices().await? {
            restored.outbox.remove_notice(notice.webhook.id, &notice.id).await?;
            let problem = "was disabled: its ORG_ADMINs have a mail about it, unless the mailer was down";
            self.report.decide(format_args!("webhook {}", notice.webhook.id), problem);
        }
        let now = self.context.clock.now();
        self.report.held_mails.extend(restored.users.hold_mails(now).await?);
        Ok(restored.database.set_tag(&USERS, MAILS_HELD, &format_instant(now)).await?)
    }

    /// Finishes the moves of businesses that were under way, and audits users and reviews. False if there are findings, which it prints.
    async fn audit(&mut self) -> Result<bool, CommandError> {
        if self.is_switched().await? {
            return Ok(true);
        }
        self.restore.restored.reviews.finish_moves(|| true).await?;
        let users = self.restore.restored.users.audit().await?.findings;
        let reviews = self.restore.restored.reviews.audit_reviews(None).await?.findings;
        for finding in users.iter().chain(&reviews) {
            self.report.decide(&finding.subject, finding.problem.clone());
        }
        let count = users.len() + reviews.len();
        if count > 0 {
            let advice =
                format!("findings: {count}; mend them with {} ops, and run this again", self.restore.environment());
            self.context.console.write_message(advice);
        }
        Ok(count == 0)
    }

    /// Lets the stack use the restored tables, after a last look at the changes.
    async fn switch(&mut self) -> Result<(), CommandError> {
        if self.is_switched().await? {
            return Ok(());
        }
        let restored = &self.restore.restored.database;
        self.repeat_changes().await?;
        let users = restored.stream_arn(&USERS).await?.context("the restored users table has no stream")?;
        let reviews = restored.stream_arn(&REVIEWS).await?.context("the restored reviews table has no stream")?;
        let now = self.context.clock.now();
        Ok(self.stacks()?.switch(&RestoredStreams { users, reviews }, now).await?)
    }

    /// Repeats what was changed in the tables of before until nothing used them any more, and marks the end.
    async fn end(&mut self) -> Result<(), CommandError> {
        self.repeat_changes().await?;
        let now = format_instant(self.context.clock.now());
        self.restore.restored.database.set_tag(&USERS, ENDED, &now).await?;
        self.report.is_in_use = true;
        Ok(())
    }
}

/// Pauses of a wait for `DynamoDB`.
struct Wait {
    pause: Duration,
    waited: Duration,
}

impl Default for Wait {
    fn default() -> Self {
        Self { pause: FIRST_PAUSE, waited: Duration::ZERO }
    }
}

impl Wait {
    async fn pause(&mut self, table: &str) -> anyhow::Result<()> {
        ensure!(self.waited < LONGEST_WAIT, "the table {table} is not ready after a day: run this again");
        tokio::time::sleep(self.pause).await;
        self.waited += self.pause;
        self.pause = (2 * self.pause).min(LONGEST_PAUSE);
        Ok(())
    }
}
