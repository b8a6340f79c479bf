//! `ops key`

use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use presence_domain::ids::UserId;
use presence_store::{ApiKeyRecord, IssuedKey, KeyRefused, MAX_LIVE_KEYS, NewApiKey};
use serde::Serialize;
use serde_json::json;

use crate::exit::Failure;
use crate::output::instant;
use crate::{Context, Exit, args};

const LIST_JSON: &str = "\
With --json a list of {\"id\",\"label\",\"created_at\",\"expires_at\",
\"last_used_at\",\"revoked_at\",\"state\"}; instants are RFC 3339 in UTC, or null.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Issue a key to an active user and print it, once
    ///
    /// The key is the only thing on stdout; its id, by which it is listed, rotated and revoked, goes to stderr. Only a
    /// digest is stored: a lost key cannot be shown again. With --json {"key":"…","id":"…"}.
    #[command(after_help = "Example:\n  ops key issue --user 4711 --label laptop --expires 90d")]
    Issue(Issue),
    /// List the keys of a user, oldest first
    ///
    /// A key is live, expired or revoked. When it was last used is known to the hour.
    #[command(after_help = LIST_JSON)]
    List(List),
    /// Issue a key in the place of another one, which works on for a while
    ///
    /// Put the new key to use within the overlap: then no request fails. With --overlap 0h the old key is refused from
    /// the next request on. The overlap never lets the old key live longer than it would have. Prints like issue.
    #[command(after_help = "Example:\n  ops key rotate 4711-0a1b2c3d4e5f --overlap 2w --expires 90d")]
    Rotate(Rotate),
    /// Refuse a key from the next request on, for good
    ///
    /// Revoking it again changes nothing. With --json {"id":"…"}.
    Revoke {
        /// Id of the key
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Issue {
    /// Id of the user
    #[arg(long, value_name = "ID")]
    user: String,
    /// What to call the key in lists
    #[arg(long, value_parser = args::label)]
    label: Option<String>,
    /// How long it gives access: 30m, 24h, 90d, 2w; at most 10 years [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = args::life)]
    expires: Option<SignedDuration>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Id of the user
    #[arg(long, value_name = "ID")]
    user: String,
}

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    /// Id of the key to be replaced
    id: String,
    /// How long the old key still gives access: 0h, 30m, 24h, 2w; at most 90 days
    #[arg(long, value_name = "DURATION", value_parser = args::overlap, default_value = "24h")]
    overlap: SignedDuration,
    /// What to call the new key in lists [default: as the old one]
    #[arg(long, value_parser = args::label)]
    label: Option<String>,
    /// How long the new key gives access; at most 10 years [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = args::life)]
    expires: Option<SignedDuration>,
}

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    match command {
        Command::Issue(args) => issue(args, context).await?,
        Command::List(args) => list(&args, context).await?,
        Command::Rotate(args) => rotate(args, context).await?,
        Command::Revoke { id } => revoke(&id, context).await?,
    }
    Ok(Exit::Done)
}

async fn issue(args: Issue, context: &mut Context) -> Result<(), Failure> {
    let owner = UserId::parse(&args.user).ok_or_else(|| Failure::no_user(&args.user))?;
    let now = context.clock.now();
    let new = NewApiKey { label: args.label, expires_at: args.expires.map(|life| now + life) };
    let issued = context.store.issue_key(owner, &new, now).await.map_err(|refused| match refused {
        KeyRefused::NotFound => Failure::no_user(&args.user),
        other => failure(other, "key"),
    })?;
    show(&issued, &new, context)
}

async fn list(args: &List, context: &mut Context) -> Result<(), Failure> {
    let no_user = || Failure::no_user(&args.user);
    let owner = UserId::parse(&args.user).ok_or_else(no_user)?;
    let records = context.store.keys_of(owner).await?.ok_or_else(no_user)?;
    let now = context.clock.now();
    let keys: Vec<_> = records.iter().map(|record| ListedKey::new(record, now)).collect();
    if context.console.json {
        context.console.json_line(&keys)?;
    } else {
        context.console.note(format_args!("user {owner}, keys: {}", keys.len()));
        let head = ["ID", "LABEL", "CREATED", "EXPIRES", "LAST USED", "STATE"];
        context.console.table(head, keys.into_iter().map(ListedKey::cells).collect())?;
    }
    Ok(())
}

async fn rotate(args: Rotate, context: &mut Context) -> Result<(), Failure> {
    let now = context.clock.now();
    let old = context.store.key_by_id(&args.id).await.map_err(|refused| failure(refused, &args.id))?;
    let new = NewApiKey { label: args.label.or(old.label), expires_at: args.expires.map(|life| now + life) };
    let rotated = context.store.rotate_key(&args.id, &new, now + args.overlap, now).await;
    let issued = rotated.map_err(|refused| failure(refused, &args.id))?;
    if old.expires_at.is_some() && new.expires_at.is_none() {
        context.console.note("note: the old key had an expiry, the new one has none (--expires sets one)");
    }
    let ends_at = old.expires_at.map_or(now + args.overlap, |expires_at| expires_at.min(now + args.overlap));
    let until = if ends_at > now { format!("gives access until {}", instant(ends_at)) } else { "has ended".to_owned() };
    context.console.note(format_args!("old key {} {until}", args.id));
    show(&issued, &new, context)
}

async fn revoke(id: &str, context: &mut Context) -> Result<(), Failure> {
    let now = context.clock.now();
    context.store.revoke_key(id, now).await.map_err(|refused| failure(refused, id))?;
    if context.console.json {
        context.console.json_line(&json!({ "id": id }))?;
    }
    context.console.note(format_args!("revoked key {id}"));
    Ok(())
}

/// The one time that a key is shown. Its id comes first: who sees no key can then revoke it.
fn show(issued: &IssuedKey, new: &NewApiKey, context: &mut Context) -> Result<(), Failure> {
    let IssuedKey { key, id } = issued;
    let until = new.expires_at.map_or_else(|| "until it is revoked".to_owned(), |at| format!("until {}", instant(at)));
    context.console.note(format_args!("issued key {id}, which gives access {until}"));
    if context.console.json {
        context.console.json_line(&json!({ "key": key.expose(), "id": id }))?;
    } else {
        context.console.line(key.expose())?;
    }
    Ok(())
}

fn failure(refused: KeyRefused, id: &str) -> Failure {
    match refused {
        KeyRefused::NotFound => Failure::NotFound(format!("there is no key {id}")),
        KeyRefused::OwnerNotActive => Failure::because("the user is not active: only active users have keys"),
        KeyRefused::TooMany => {
            Failure::because(format!("the user has {MAX_LIVE_KEYS} live keys, and may not have more: revoke one first"))
        }
        KeyRefused::NotLive => Failure::because("the key gives no access any more: issue a new one"),
        KeyRefused::Failed(error) => error.into(),
    }
}

#[derive(Serialize)]
struct ListedKey<'a> {
    id: String,
    label: Option<&'a str>,
    created_at: String,
    expires_at: Option<String>,
    last_used_at: Option<String>,
    revoked_at: Option<String>,
    state: &'static str,
}

impl<'a> ListedKey<'a> {
    fn new(record: &'a ApiKeyRecord, now: Timestamp) -> Self {
        let state = match record.revoked_at {
            Some(_) => "revoked",
            None if record.is_live(now) => "live",
            None => "expired",
        };
        Self {
            id: record.id(),
            label: record.label.as_deref(),
            created_at: instant(record.created_at),
            expires_at: record.expires_at.map(instant),
            last_used_at: record.last_used_at.map(instant),
            revoked_at: record.revoked_at.map(instant),
            state,
        }
    }

    fn cells(self) -> [String; 6] {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let label = or_dash(self.label.map(str::to_owned));
        let Self { id, created_at, expires_at, last_used_at, state, .. } = self;
        [id, label, created_at, or_dash(expires_at), or_dash(last_used_at), state.to_owned()]
    }
}
