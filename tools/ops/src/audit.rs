//! `ops users`

use clap::Subcommand;
use presence::store::Finding;
use serde::Serialize;

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
    let counts = format!("users: {}, keys: {}, mails: {}", audit.users, audit.keys, audit.mails);
    report(&audit, &audit.findings, &counts, context)
}

/// Prints what an audit found, and what it looked at. Findings are a failure.
pub(crate) fn report(
    audit: &impl Serialize,
    findings: &[Finding],
    counts: &str,
    context: &mut Context,
) -> Result<Exit, Failure> {
    if context.console.json {
        context.console.json_line(audit)?;
    } else {
        for finding in findings {
            context.console.line(format_args!("{}: {}", finding.subject, finding.problem))?;
        }
    }
    context.console.note(format_args!("{counts}, findings: {}", findings.len()));
    Ok(if findings.is_empty() { Exit::Done } else { Exit::Failed })
}
