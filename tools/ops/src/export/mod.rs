//! `ops export`: writes JSON Lines in the formats of imports.

mod checkpoint;
mod output;
mod plain;
mod reviews;
mod section;
mod users;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use presence_domain::ids::OrgId;
use serde::{Deserialize, Serialize};

use self::checkpoint::Checkpoint;
use self::output::Output;
use crate::console::shell_word;
use crate::error::CommandError;
use crate::{Context, Exit, args};

pub(crate) const NOTES: &str = "\
Rows are those of `ops import`, so that importing an export changes nothing; users
are as `ops users show --json` prints them.

Users and reviews of an organisation are those of one instant. Their writes go on
meanwhile: what changed is read again, until nothing has changed. Each organisation
has an instant of its own. An import may run meanwhile: the reviews are those of one
position of its log. Rows that changed meanwhile come last. Categories are of one
published version. Organisations and businesses are read once each: one that is
imported meanwhile may be missing.

With --out the rows are collected in FILE.part, and FILE is there only when it is
whole. A FILE that exists is replaced only with --force. An export that was interrupted goes on where it was, by FILE.state, if it is
started with the same options.

Examples:
  ops export reviews --org 42 --out reviews.jsonl
  ops export users | jq -r .email";

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Rows to export
    what: Resource,
    /// Only this organisation
    #[arg(long, value_name = "N", value_parser = args::parse_org_id)]
    org: Option<OrgId>,
    /// File to write, instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "out")]
    force: bool,
}

/// Resource that is exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Resource {
    /// Users, with keys, mails and marks, and without secrets
    Users,
    /// Reviews
    Reviews,
    /// Categories
    Categories,
    /// Organisations
    Orgs,
    /// Businesses
    Businesses,
}

pub(crate) async fn run(args: &ExportArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let ExportArgs { what, org, out, force } = args;
    if *what == Resource::Categories && org.is_some() {
        return Err(CommandError::Usage("categories belong to no organisation: leave --org out".to_owned()));
    }
    let new = Checkpoint::new(*what, *org, &context.target);
    let mut output = Output::open(out.as_deref(), *force, new, &mut context.console)?;
    match what {
        Resource::Users => users::export(*org, context, &mut output).await?,
        Resource::Reviews => reviews::export(*org, context, &mut output).await?,
        Resource::Categories => plain::export_categories(context, &mut output).await?,
        Resource::Orgs => plain::export_orgs(*org, context, &mut output).await?,
        Resource::Businesses => plain::export_businesses(*org, context, &mut output).await?,
    }
    let rows = output.finish()?;
    context.console.write_message(format_args!("rows: {rows}"));
    if let Some(out) = out.as_ref().filter(|_| *what != Resource::Users) {
        let what = format!("{what:?}").to_lowercase();
        context.console.write_next(format_args!("ops import {what} {} --dry-run", shell_word(out)));
    }
    Ok(Exit::Done)
}
