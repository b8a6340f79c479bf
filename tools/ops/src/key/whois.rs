//! `ops key whois`: tells whose a key is.

use std::io::{BufRead as _, BufReader, IsTerminal as _, Read as _};

use anyhow::Context as _;
use jiff::Timestamp;
use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::ids::OrgId;
use presence_store::{ApiKeyError, ApiKeyRecord};
use serde::Serialize;

use super::command_error;
use super::list::state;
use crate::Context;
use crate::console::format_instant;
use crate::error::CommandError;
use crate::table::{Column, column};

/// Help with an example and the JSON.
pub(super) const HELP: &str = "\
Example:
  ops key whois <leaked-key.txt

With --json {\"id\",\"user_id\",\"org_id\",\"role\",\"label\",\"state\",\"access\",
\"allowed_networks\",\"created_at\",\"expires_at\",\"last_used_at\",\"revoked_at\",\"limit\"};
what there is none of is null.
A limit is a number of requests a minute, 0 for none, or null for the default.";

const LINES: [Column; 13] = [
    column("id", "id"),
    column("owner", "user_id"),
    column("organisation", "org_id"),
    column("role", "role"),
    column("label", "label"),
    column("state", "state"),
    column("access", "access"),
    column("networks", "allowed_networks"),
    column("created", "created_at"),
    column("expires", "expires_at"),
    column("last used", "last_used_at"),
    column("revoked", "revoked_at"),
    column("limit", "limit").or("default"),
];

/// Longest line that is read, in bytes. A key has 39, an id at most 29.
const MAX_INPUT: u64 = 1_024;

/// Key or its id, as the operator has it.
enum Named {
    Key(PlaintextApiKey),
    Id(ApiKeyId),
}

pub(super) async fn run(context: &mut Context) -> Result<(), CommandError> {
    if std::io::stdin().is_terminal() {
        context.console.write_message("key, or id of a key:");
    }
    let record = match read_input()? {
        Some(Named::Key(key)) => context.stores.api_keys.get(&key.hash()).await?,
        Some(Named::Id(id)) => match context.stores.users.get_key(id).await {
            Ok(record) => Some(record),
            Err(ApiKeyError::NotFound) => None,
            Err(error) => return Err(command_error(error, "")),
        },
        None => None,
    };
    // The text is not repeated: it may be a mistyped key.
    let record = record.ok_or_else(|| CommandError::NotFound("there is no such key".to_owned()))?;
    let whois = Whois::new(&record, context.clock.now());
    let fields = serde_json::to_value(&whois).context("cannot write JSON")?;
    let lines = LINES.map(|line| format!("{:<14}{}", line.heading, line.cell(&fields)));
    Ok(context.console.write_value(&whois, lines.join("\n"))?)
}

/// Reads the first line of standard input; `None` if it is neither a key nor an id.
fn read_input() -> Result<Option<Named>, CommandError> {
    let mut line = String::new();
    let mut input = BufReader::new(std::io::stdin().lock().take(MAX_INPUT));
    input.read_line(&mut line).context("standard input is no text")?;
    let text = line.trim();
    if text.is_empty() {
        return Err(CommandError::Usage("standard input has no key: write a key or its id to it".to_owned()));
    }
    let key = PlaintextApiKey::parse(text).map(Named::Key);
    Ok(key.or_else(|| ApiKeyId::parse(text).map(Named::Id)))
}

#[derive(Serialize)]
struct Whois<'a> {
    id: String,
    user_id: String,
    org_id: Option<u64>,
    role: &'static str,
    label: Option<&'a str>,
    state: &'static str,
    access: &'static str,
    allowed_networks: Vec<String>,
    created_at: String,
    expires_at: Option<String>,
    last_used_at: Option<String>,
    revoked_at: Option<String>,
    limit: Option<u32>,
}

impl<'a> Whois<'a> {
    fn new(record: &'a ApiKeyRecord, now: Timestamp) -> Self {
        Self {
            id: record.id().to_string(),
            user_id: record.user_id.to_string(),
            org_id: record.org_id.map(OrgId::get),
            role: record.role.as_str(),
            label: record.label.as_deref(),
            state: state(record, now),
            access: record.access.as_str(),
            allowed_networks: record.networks.to_texts(),
            created_at: format_instant(record.created_at),
            expires_at: record.expires_at.map(format_instant),
            last_used_at: record.last_used_at.map(format_instant),
            revoked_at: record.revoked_at.map(format_instant),
            limit: record.limit.number(),
        }
    }
}
