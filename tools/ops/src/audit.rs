//! `ops users`

use clap::Subcommand;

use crate::exit::Failure;
use crate::{Context, Exit};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hold users, e-mail locks, rosters, keys and outbox against each other
    ///
    /// Reads every user and every key, writes nothing. Each finding is one line on stdout; with --json one object with
    /// the counts and the list of findings. The exit code is 1 when there are any. A user written during the audit may
    /// show up as a finding: what a second run reports too is one.
    Audit,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    let Command::Audit = command;
    let audit = context.store.audit_users().await?;
    if context.console.json {
        context.console.json_line(&audit)?;
    } else {
        for finding in &audit.findings {
            context.console.line(format_args!("{}: {}", finding.subject, finding.problem))?;
        }
    }
    let findings = audit.findings.len();
    context.console.note(format_args!(
        "users: {}, keys: {}, mails: {}, findings: {findings}",
        audit.users, audit.keys, audit.mails
    ));
    Ok(if findings == 0 { Exit::Done } else { Exit::Failed })
}
