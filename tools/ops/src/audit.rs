//! `ops users`

use clap::Subcommand;
use presence_domain::email_pattern::EmailPattern;
use presence_store::Finding;
use serde::Serialize;

use crate::exit::Failure;
use crate::{Context, Exit, args, find};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hold users, e-mail locks, rosters, keys, outbox and email-index against each other
    ///
    /// Reads every user and every key, writes nothing. Each finding is one line on stdout; with --json one object with
    /// the counts and the list of findings. The exit code is 1 when there are any. A user written during the audit may
    /// show up as a finding: what a second run reports too is one.
    Audit,
    /// Find users by their address, over all organisations
    ///
    /// Any case and width; *@DOMAIN takes a domain in its own script or in ASCII. Prints one user a line, nothing when there
    /// is none. An address is read strongly, at 2 read units. *@DOMAIN reads the entries of that domain in email-index, at
    /// half a unit for some 25 users; LOCAL-PART@* reads the whole index, 2,000 units with 100,000 users. Each user found costs
    /// one unit more. The index lags: a user that was written a moment ago may be missing.
    #[command(after_help = find::EXAMPLES)]
    Find {
        /// An address, LOCAL-PART@* or *@DOMAIN
        #[arg(value_parser = args::email_pattern)]
        pattern: EmailPattern,
    },
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Audit => audit(context).await,
        Command::Find { pattern } => find::run(pattern, context).await,
    }
}

async fn audit(context: &mut Context) -> Result<Exit, Failure> {
    let audit = context.store.audit_users().await?;
    let counts = format!("users: {}, keys: {}, mails: {}", audit.users, audit.keys, audit.mails);
    if audit.outdated > 0 {
        context
            .console
            .note(format_args!("users of an earlier format: {}; `ops migrate` rewrites them", audit.outdated));
    }
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
