//! `ops key`: issues, lists, rotates, limits and revokes API keys, and tells whose a key is.

mod whois;

use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use presence_domain::api_key::ApiKeyId;
use presence_domain::ids::UserId;
use presence_domain::rate_limit::KeyLimit;
use presence_store::{ApiKeyError, ApiKeyRecord, IssuedKey, MAX_LIVE_KEYS, NewApiKey};
use serde::Serialize;
use serde_json::json;

use crate::console::{cell_or_dash, format_instant};
use crate::error::CommandError;
use crate::{Context, Exit, args};

const LIST_JSON: &str = "\
With --json a list of {\"id\",\"label\",\"created_at\",\"expires_at\",
\"last_used_at\",\"revoked_at\",\"state\",\"limit\"}; instants are RFC 3339 in UTC, or null.
A limit is a number of requests a minute, 0 for none, or null for the default.";

const WHOIS_HELP: &str = "\
Example:
  ops key whois <leaked-key.txt

With --json {\"id\",\"user_id\",\"org_id\",\"role\",\"label\",\"state\",\"created_at\",
\"expires_at\",\"last_used_at\",\"revoked_at\",\"limit\"}; what there is none of is null.
A limit is a number of requests a minute, 0 for none, or null for the default.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Issue a key to an active user and print it, once
    ///
    /// Prints only the key on stdout. Prints its id on stderr; list, rotate and revoke name the key by it. Only a hash is
    /// stored: a lost key cannot be shown again. With --json {"key":"…","id":"…"}.
    #[command(after_help = "Example:\n  ops key issue --user 4711 --label laptop --expires 90d")]
    Issue(IssueArgs),
    /// List the keys of a user, oldest first
    ///
    /// A key is live, expired or revoked. The time of its last use is exact to the hour. Its limit is in requests a minute.
    #[command(after_help = LIST_JSON)]
    List(ListArgs),
    /// Issue a key that replaces another one; the old key still works during the overlap
    ///
    /// Start to use the new key within the overlap, so that no request fails. With --overlap 0h the API refuses the old
    /// key from the next request on. The overlap never moves the expiry of the old key later. Prints the same as issue.
    #[command(after_help = "Example:\n  ops key rotate 4711-0a1b2c3d4e5f --overlap 2w --expires 90d")]
    Rotate(RotateArgs),
    /// Revoke a key: the API refuses it from the next request on
    ///
    /// A revoked key stays revoked. Revoking it again changes nothing. Asks first on a terminal. Does not wait for STS: if it does not
    /// answer, the audit trail names the account on this machine, and says so. With --json {"id":"…"}.
    Revoke {
        /// Id of the key
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Set how many requests a minute a key may make; 0 is no limit
    ///
    /// Counts from the next request on. A rotated key hands its limit on to the new key. With --json {"id":"…","limit":N}, where
    /// null is the default.
    #[command(
        after_help = "Examples:\n  ops key set-limit 4711-0a1b2c3d4e5f 600\n  ops key set-limit 4711-0a1b2c3d4e5f --default"
    )]
    SetLimit(SetLimitArgs),
    /// Tell whose a key is: owner, organisation, role, state and last use
    ///
    /// Reads the key, or the id of a key, from standard input, so that no history of a shell and no list of processes has
    /// it. Never prints the key. A key of a user who was deleted is unknown: ops audit --key still has what was done
    /// with it.
    #[command(after_help = WHOIS_HELP)]
    Whois,
}

#[derive(Debug, Args)]
pub(crate) struct IssueArgs {
    /// Id of the user
    #[arg(long, value_name = "ID")]
    user: String,
    /// Name of the key in lists
    #[arg(long, value_parser = args::parse_label)]
    label: Option<String>,
    /// Lifetime of the key: 30m, 24h, 90d, 2w; at most 10 years [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = args::parse_lifetime)]
    expires: Option<SignedDuration>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Id of the user
    #[arg(long, value_name = "ID")]
    user: String,
}

#[derive(Debug, Args)]
pub(crate) struct RotateArgs {
    /// Id of the key to replace
    id: String,
    /// Time for which the old key still gives access: 0h, 30m, 24h, 2w; at most 90 days
    #[arg(long, value_name = "DURATION", value_parser = args::parse_overlap, default_value = "24h")]
    overlap: SignedDuration,
    /// Name of the new key in lists [default: name of the old key]
    #[arg(long, value_parser = args::parse_label)]
    label: Option<String>,
    /// Lifetime of the new key; at most 10 years [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = args::parse_lifetime)]
    expires: Option<SignedDuration>,
}

#[derive(Debug, Args)]
pub(crate) struct SetLimitArgs {
    /// Id of the key
    id: String,
    /// Requests a minute, at most 1000000; 0 is no limit
    #[arg(value_name = "N", value_parser = args::parse_key_limit, required_unless_present = "default")]
    limit: Option<KeyLimit>,
    /// Give the key the limit of all keys again
    #[arg(long, conflicts_with = "limit")]
    default: bool,
}

impl Command {
    /// True if the command writes to the tables.
    pub(crate) fn writes(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Whois)
    }
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Issue(args) => issue(args, context).await?,
        Command::List(args) => list(&args, context).await?,
        Command::Rotate(args) => rotate(args, context).await?,
        Command::Revoke { id, yes } => revoke(&id, yes, context).await?,
        Command::SetLimit(args) => set_limit(&args, context).await?,
        Command::Whois => whois::run(context).await?,
    }
    Ok(Exit::Done)
}

async fn issue(args: IssueArgs, context: &mut Context) -> Result<(), CommandError> {
    let owner = UserId::parse(&args.user).ok_or_else(|| CommandError::user_not_found(&args.user))?;
    let now = context.clock.now();
    let new = NewApiKey { label: args.label, expires_at: args.expires.map(|lifetime| now + lifetime) };
    let issued =
        context.stores.users.issue_key(owner, &new, &context.actor().await?, now).await.map_err(
            |error| match error {
                ApiKeyError::NotFound => CommandError::user_not_found(&args.user),
                other => command_error(other, "key"),
            },
        )?;
    print_issued_key(&issued, &new, context)
}

async fn list(args: &ListArgs, context: &mut Context) -> Result<(), CommandError> {
    let owner = UserId::parse(&args.user).ok_or_else(|| CommandError::user_not_found(&args.user))?;
    let records =
        context.stores.users.list_keys(owner).await?.ok_or_else(|| CommandError::user_not_found(&args.user))?;
    let now = context.clock.now();
    let keys: Vec<_> = records.iter().map(|record| ListedKey::new(record, now)).collect();
    if context.console.json {
        context.console.write_json(&keys)?;
    } else {
        context.console.write_message(format_args!("user {owner}, keys: {}", keys.len()));
        let header = ["ID", "LABEL", "CREATED", "EXPIRES", "LAST USED", "STATE", "LIMIT"];
        context.console.write_table(header, keys.into_iter().map(ListedKey::into_cells).collect())?;
    }
    Ok(())
}

async fn rotate(args: RotateArgs, context: &mut Context) -> Result<(), CommandError> {
    let now = context.clock.now();
    let old =
        context.stores.users.get_key(parse_id(&args.id)?).await.map_err(|error| command_error(error, &args.id))?;
    let new =
        NewApiKey { label: args.label.or(old.label.clone()), expires_at: args.expires.map(|lifetime| now + lifetime) };
    let actor = context.actor().await?;
    let rotated = context.stores.users.rotate_key(old.id(), &new, now + args.overlap, &actor, now).await;
    let issued = rotated.map_err(|error| command_error(error, &args.id))?;
    if old.expires_at.is_some() && new.expires_at.is_none() {
        context.console.write_message("note: the old key had an expiry, the new one has none (--expires sets one)");
    }
    let ends_at = old.expires_at.map_or(now + args.overlap, |expires_at| expires_at.min(now + args.overlap));
    let until =
        if ends_at > now { format!("gives access until {}", format_instant(ends_at)) } else { "has ended".to_owned() };
    context.console.write_message(format_args!("old key {} {until}", args.id));
    print_issued_key(&issued, &new, context)
}

async fn revoke(id: &str, yes: bool, context: &mut Context) -> Result<(), CommandError> {
    // A script that revokes a key is not held up: nothing is lost that another key could not do.
    if !yes && context.console.can_ask() {
        context.console.confirm(&format!("Revoke the key {id} for good?"))?;
    }
    let now = context.clock.now();
    let actor = context.actor().await?;
    context.stores.users.revoke_key(parse_id(id)?, &actor, now).await.map_err(|error| command_error(error, id))?;
    if context.console.json {
        context.console.write_json(&json!({ "id": id }))?;
    }
    context.console.write_message(format_args!("revoked key {id}"));
    Ok(())
}

async fn set_limit(args: &SetLimitArgs, context: &mut Context) -> Result<(), CommandError> {
    let (id, limit, now) = (parse_id(&args.id)?, args.limit.unwrap_or_default(), context.clock.now());
    let set = context.stores.users.set_key_limit(id, limit, &context.actor().await?, now).await;
    set.map_err(|error| command_error(error, &args.id))?;
    if context.console.json {
        context.console.write_json(&json!({ "id": args.id, "limit": limit.number() }))?;
    }
    let text = match limit.number() {
        None => "the default limit".to_owned(),
        Some(0) => "no limit".to_owned(),
        Some(number) => format!("a limit of {number} requests a minute"),
    };
    context.console.write_message(format_args!("key {} has {text}", args.id));
    Ok(())
}

/// Prints a new key. A key is printed only here: the store keeps its hash.
///
/// Prints the id first. If writing the key fails, the operator can revoke it by its id.
fn print_issued_key(issued: &IssuedKey, new: &NewApiKey, context: &mut Context) -> Result<(), CommandError> {
    let IssuedKey { key, id } = issued;
    let until =
        new.expires_at.map_or_else(|| "until it is revoked".to_owned(), |at| format!("until {}", format_instant(at)));
    context.console.write_message(format_args!("issued key {id}, which gives access {until}"));
    if context.console.json {
        context.console.write_json(&json!({ "key": key.expose(), "id": id.to_string() }))?;
    } else {
        context.console.write_line(key.expose())?;
    }
    Ok(())
}

/// Parses the id of a key. Text of another form names no key.
fn parse_id(text: &str) -> Result<ApiKeyId, CommandError> {
    ApiKeyId::parse(text).ok_or_else(|| command_error(ApiKeyError::NotFound, text))
}

/// Converts the error of the store. `id` names the key.
fn command_error(error: ApiKeyError, id: &str) -> CommandError {
    match error {
        ApiKeyError::NotFound => CommandError::NotFound(format!("there is no key {id}")),
        ApiKeyError::OwnerNotActive => CommandError::from_text("the user is not active: only active users have keys"),
        ApiKeyError::TooMany => CommandError::from_text(format!(
            "the user has {MAX_LIVE_KEYS} live keys, and may not have more: revoke one first"
        )),
        ApiKeyError::NotLive => CommandError::from_text("the key gives no access any more: issue a new one"),
        ApiKeyError::Failed(error) => error.into(),
    }
}

fn state(record: &ApiKeyRecord, now: Timestamp) -> &'static str {
    match record.revoked_at {
        Some(_) => "revoked",
        None if record.is_live(now) => "live",
        None => "expired",
    }
}

/// Returns the limit of a key for a table.
fn limit_cell(requests_per_minute: Option<u32>) -> String {
    requests_per_minute.map_or_else(|| "default".to_owned(), |number| number.to_string())
}

/// Key in a list, in the form of its JSON.
#[derive(Serialize)]
pub(crate) struct ListedKey<'a> {
    id: String,
    label: Option<&'a str>,
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
            created_at: format_instant(record.created_at),
            expires_at: record.expires_at.map(format_instant),
            last_used_at: record.last_used_at.map(format_instant),
            revoked_at: record.revoked_at.map(format_instant),
            state: state(record, now),
            limit: record.limit.number(),
        }
    }

    fn into_cells(self) -> [String; 7] {
        [
            self.id,
            cell_or_dash(self.label.map(str::to_owned)),
            self.created_at,
            cell_or_dash(self.expires_at),
            cell_or_dash(self.last_used_at),
            self.state.to_owned(),
            limit_cell(self.limit),
        ]
    }
}
