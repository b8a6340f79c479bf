//! `ops key`: issues, lists, rotates, limits and revokes API keys, and tells whose a key is.

mod issue;
mod list;
mod whois;

use clap::{Args, Subcommand};
use presence_domain::api_key::ApiKeyId;
use presence_domain::ids::UserId;
use presence_domain::rate_limit::KeyLimit;
use presence_store::ApiKeyError;
use serde_json::json;

use self::issue::{IssueArgs, RotateArgs};
use self::list::ListArgs;
use crate::error::CommandError;
use crate::{Context, Exit, args};

pub(crate) use list::ListedKey;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Issue a key to an active user and print it, once
    ///
    /// Prints only the key on stdout. Prints its id on stderr; list, rotate and revoke name the key by it. Only a hash is
    /// stored: a lost key cannot be shown again. With --json {"key":"…","id":"…"}.
    #[command(
        after_help = "Examples:\n  ops key issue --user 4711 --label laptop --expires 90d\n  ops key issue --user 4711 --label report --access read --network 203.0.113.0/24"
    )]
    Issue(IssueArgs),
    /// List the keys of a user, oldest first
    ///
    /// A key is live, expired or revoked; those that ended more than 90 days ago leave the list. The time of its last use is exact to
    /// the hour. Its limit is in requests a minute.
    #[command(after_help = list::JSON)]
    List(ListArgs),
    /// Issue a key that replaces another one; the old key still works during the overlap
    ///
    /// Start to use the new key within the overlap, so that no request fails. With --overlap 0h the API refuses the old
    /// key from the next request on. The overlap never moves the expiry of the old key later. The new key has the access and the
    /// networks of the old one. Prints the same as issue.
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
    #[command(after_help = whois::HELP)]
    Whois,
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

pub(crate) async fn run(command: Command, context: &mut Context) -> Result<Exit, CommandError> {
    match command {
        Command::Issue(args) => issue::issue(args, context).await?,
        Command::List(args) => list::run(&args, context).await?,
        Command::Rotate(args) => issue::rotate(args, context).await?,
        Command::Revoke { id, yes } => revoke(&id, yes, context).await?,
        Command::SetLimit(args) => set_limit(&args, context).await?,
        Command::Whois => whois::run(context).await?,
    }
    Ok(Exit::Done)
}

async fn revoke(id: &str, yes: bool, context: &mut Context) -> Result<(), CommandError> {
    // A script is not asked: a new key can replace one that it revoked by mistake.
    if !yes && context.console.can_ask {
        context.console.confirm(&format!("Revoke the key {id} for good?"))?;
    }
    let now = context.clock.now();
    let actor = context.actor().await?;
    context.stores.users.revoke_key(parse_id(id)?, &actor, now).await.map_err(|error| command_error(error, id))?;
    context.console.write_result(&json!({ "id": id }), format_args!("revoked key {id}"))?;
    context.console.write_next(format_args!("ops audit --key {id}"));
    Ok(())
}

async fn set_limit(args: &SetLimitArgs, context: &mut Context) -> Result<(), CommandError> {
    let (id, limit, now) = (parse_id(&args.id)?, args.limit.unwrap_or_default(), context.clock.now());
    let set = context.stores.users.set_key_limit(id, limit, &context.actor().await?, now).await;
    set.map_err(|error| command_error(error, &args.id))?;
    let text = match limit.number() {
        None => "the default limit".to_owned(),
        Some(0) => "no limit".to_owned(),
        Some(number) => format!("a limit of {number} requests a minute"),
    };
    let value = json!({ "id": args.id, "limit": limit.number() });
    context.console.write_result(&value, format_args!("key {} has {text}", args.id))?;
    context.console.write_next(format_args!("ops key list --user {}", id.owner()));
    Ok(())
}

/// Parses the id of a key. Text of another form names no key.
fn parse_id(text: &str) -> Result<ApiKeyId, CommandError> {
    ApiKeyId::parse(text).ok_or_else(|| command_error(ApiKeyError::NotFound, text))
}

/// Converts the error of the store. `id` names the key.
fn command_error(error: ApiKeyError, id: &str) -> CommandError {
    match error {
        ApiKeyError::NotFound => {
            // The id of a key begins with that of its owner, and is easily taken for it.
            let owner = id.split('-').next().and_then(UserId::parse);
            let owner = owner.map_or_else(|| "USER".to_owned(), |owner| owner.to_string());
            CommandError::NotFound(format!("there is no key {id}: ops key list --user {owner}"))
        }
        ApiKeyError::OwnerNotActive => CommandError::refused("the user is not active: only active users have keys"),
        ApiKeyError::TooMany(live) => {
            CommandError::refused(format!("the user has {live} live keys, and may not have more: revoke one first"))
        }
        ApiKeyError::NotLive => CommandError::refused("the key gives no access any more: issue a new one"),
        ApiKeyError::Failed(error) => error.into(),
    }
}
