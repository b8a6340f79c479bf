//! `ops reviews`

use clap::Subcommand;
use presence_domain::ids::OrgId;

use crate::audit::report;
use crate::exit::Failure;
use crate::{Context, Exit, args};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Hold tallies and slips against the reviews that they count
    ///
    /// Recounts every book and reads every review, writes nothing. Each finding is one line on stdout; with --json one
    /// object with the counts and the list of findings. The exit code is 1 when there are any. A review written during
    /// the audit may show up as a finding: what a second run reports too is one. `ops reviews rebuild` mends them.
    Audit {
        /// Only this organisation's
        #[arg(long, value_name = "N", value_parser = args::org_id)]
        org: Option<OrgId>,
    },
    /// Rewrite the tallies and slips of an organisation from its reviews
    ///
    /// Changes what is wrong and nothing else, and moves reviews that are counted in another city than their business
    /// is in. The service may go on meanwhile. With --json {"reviews":n,"moved":n,"rewritten":n}.
    Rebuild {
        /// The organisation
        #[arg(long, value_name = "N", value_parser = args::org_id)]
        org: OrgId,
    },
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Audit { org } => audit(org, context).await,
        Command::Rebuild { org } => rebuild(org, context).await,
    }
}

async fn audit(org: Option<OrgId>, context: &mut Context) -> Result<Exit, Failure> {
    let audit = context.store.audit_reviews(org).await?;
    let counts = format!("orgs: {}, reviews: {}", audit.orgs, audit.reviews);
    report(&audit, &audit.findings, &counts, context)
}

async fn rebuild(org: OrgId, context: &mut Context) -> Result<Exit, Failure> {
    let rebuilt = context.store.rebuild_reviews(org).await?;
    if context.console.json {
        context.console.json_line(&rebuilt)?;
    }
    let counts = format!("{} moved, {} tallies and slips rewritten", rebuilt.moved, rebuilt.rewritten);
    context.console.note(format_args!("reviews: {}, {counts}", rebuilt.reviews));
    Ok(Exit::Done)
}
