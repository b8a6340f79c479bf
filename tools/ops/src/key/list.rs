//! `ops key list`: lists the keys of a user.

use clap::Args;
use jiff::Timestamp;
use presence_store::ApiKeyRecord;
use serde::Serialize;

use crate::Context;
use crate::console::format_instant;
use crate::error::CommandError;
use crate::table::{Column, column};

/// Help on the JSON.
pub(super) const JSON: &str = "\
With --json a list of {\"id\",\"label\",\"access\",\"allowed_networks\",\"created_at\",
\"expires_at\",\"last_used_at\",\"revoked_at\",\"state\",\"limit\"}; instants are RFC 3339
in UTC, or null. No networks: from everywhere.
A limit is a number of requests a minute, 0 for none, or null for the default.";

const COLUMNS: [Column; 9] = [
    column("ID", "id"),
    column("STATE", "state"),
    column("LABEL", "label"),
    column("ACCESS", "access"),
    column("EXPIRES", "expires_at"),
    column("LAST USED", "last_used_at"),
    column("CREATED", "created_at"),
    column("NETWORKS", "allowed_networks"),
    column("LIMIT", "limit").or("default"),
];

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Id or e-mail address of the user
    #[arg(long, value_name = "USER")]
    user: String,
}

pub(super) async fn run(args: &ListArgs, context: &mut Context) -> Result<(), CommandError> {
    let owner = context.find_user(&args.user).await?;
    let records =
        context.stores.users.list_keys(owner).await?.ok_or_else(|| CommandError::user_not_found(&args.user))?;
    let now = context.clock.now();
    let keys: Vec<_> = records.iter().map(|record| ListedKey::new(record, now)).collect();
    if context.console.json {
        context.console.write_json(&keys)?;
    } else {
        context.console.write_message(format_args!("user {owner}, keys: {}", keys.len()));
        context.console.write_table(COLUMNS, &keys)?;
    }
    Ok(())
}

/// Key in a list, in the form of its JSON.
#[derive(Serialize)]
pub(crate) struct ListedKey<'a> {
    id: String,
    label: Option<&'a str>,
    access: &'static str,
    allowed_networks: Vec<String>,
    created_at: String,
    expires_at: Option<String>,
    last_used_at: Option<String>,
    revoked_at: Option<String>,
    state: &'static str,
    limit: Option<u32>,
}

impl<'a> ListedKey<'a> {
    /// Returns the key at an instant, which decides if it has expired.
    pub(crate) fn new(record: &'a ApiKeyRecord, now: Timestamp) -> Self {
        Self {
            id: record.id().to_string(),
            label: record.label.as_deref(),
            access: record.access.as_str(),
            allowed_networks: record.networks.to_texts(),
            created_at: format_instant(record.created_at),
            expires_at: record.expires_at.map(format_instant),
            last_used_at: record.last_used_at.map(format_instant),
            revoked_at: record.revoked_at.map(format_instant),
            state: state(record, now),
            limit: record.limit.number(),
        }
    }
}

/// Returns the state of a key at an instant.
pub(super) fn state(record: &ApiKeyRecord, now: Timestamp) -> &'static str {
    match record.revoked_at {
        Some(_) => "revoked",
        None if record.is_live(now) => "live",
        None => "expired",
    }
}
