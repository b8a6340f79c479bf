//! `ops reviews`: audit and rebuild of the ledger that counts reviews.

use clap::Subcommand;
use presence_domain::ids::OrgId;

use crate::error::CommandError;
use crate::{Context, Exit, args};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare counts and postings with the reviews
    ///
    /// Recounts every review set and reads every review, and writes nothing. Prints one finding a line on stdout, which
    /// calls counts tallies and postings slips; with --json one object with the counts and the list of findings. The
    /// exit code is 1 if there are findings. A review that is written during the audit may show up as a finding: run the
    /// audit again, and trust those that both runs report. `ops reviews rebuild` corrects them.
    Audit {
        /// Only this organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: Option<OrgId>,
    },
    /// Rewrite the counts and postings of an organisation from its reviews
    ///
    /// Changes only items that are wrong. Moves reviews that are counted in another city than the one of their business.
    /// The service may run at the same time. With --json {"reviews":n,"moved":n,"rewritten":n}.
    Rebuild {
        /// The organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: OrgId,
    },
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Audit { org } => audit(org, context).await,
        Command::Rebuild { org } => rebuild(org, context).await,
    }
}

async fn audit(org: Option<OrgId>, context: &mut Context) -> Result<Exit, CommandError> {
    let audit = context.stores.reviews.audit_reviews(org).await?;
    let counts = format!("orgs: {}, reviews: {}", audit.orgs, audit.reviews);
    Ok(context.console.write_audit(&audit, &audit.findings, &counts)?)
}

async fn rebuild(org: OrgId, context: &mut Context) -> Result<Exit, CommandError> {
    let rebuilt = context.stores.reviews.rebuild_reviews(org).await?;
    if context.console.json {
        context.console.write_json(&rebuilt)?;
    }
    let counts = format!("{} moved, {} tallies and slips rewritten", rebuilt.moved, rebuilt.rewritten);
    context.console.write_message(format_args!("reviews: {}, {counts}", rebuilt.reviews));
    Ok(Exit::Done)
}
