//! `ops reviews`: audit and rebuild of the ledger that counts reviews.

use clap::Subcommand;
use presence_domain::ids::OrgId;

use crate::error::CommandError;
use crate::{Context, Exit, args};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare the counted trees with the reviews
    ///
    /// Compares every tree of an organisation, its cities and its businesses with the reviews that `listing-index` lists, and
    /// reads what differs strongly, twice. Writes nothing. Prints one finding a line on stdout, a tree or a review each; with
    /// --json one object with the counts and the list of findings. The exit code is 1 if there are findings. Reviews that
    /// are written during the audit cause none. `ops reviews rebuild` corrects them.
    Audit {
        /// Only this organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: Option<OrgId>,
    },
    /// Correct the counted trees of an organisation by its reviews
    ///
    /// Changes only trees that are wrong. Moves reviews that are counted in another city than the one of their business, and
    /// deletes nodes that no tree uses. The service may run at the same time. With --json {"reviews":n,"moved":n,"rewritten":n}:
    /// the last is the number of trees.
    Rebuild {
        /// The organisation
        #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
        org: OrgId,
    },
}

impl Command {
    /// True if the command writes to the tables.
    pub(crate) fn writes(&self) -> bool {
        matches!(self, Self::Rebuild { .. })
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Audit { org } => audit(org, context).await,
        Command::Rebuild { org } => rebuild(org, context).await,
    }
}

async fn audit(org: Option<OrgId>, context: &mut Context) -> Result<Exit, CommandError> {
    let audit = context.stores.reviews.audit_reviews(org).await?;
    if audit.unused_nodes > 0 {
        let unused = audit.unused_nodes;
        context
            .console
            .write_message(format_args!("nodes that no tree uses: {unused}; `ops reviews rebuild` deletes them"));
    }
    let counts = format!("orgs: {}, reviews: {}", audit.orgs, audit.reviews);
    Ok(context.console.write_audit(&audit, &audit.findings, &counts)?)
}

async fn rebuild(org: OrgId, context: &mut Context) -> Result<Exit, CommandError> {
    let rebuilt = context.stores.reviews.rebuild_reviews(org).await?;
    if context.console.json {
        context.console.write_json(&rebuilt)?;
    }
    let counts = format!("{} moved, {} trees rewritten", rebuilt.moved, rebuilt.rewritten);
    context.console.write_message(format_args!("reviews: {}, {counts}", rebuilt.reviews));
    Ok(Exit::Done)
}
