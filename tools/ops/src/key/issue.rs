//! `ops key issue` and `ops key rotate`: print a new key, once.

use clap::Args;
use jiff::SignedDuration;
use presence_domain::key_rights::{KeyAccess, KeyRights};
use presence_store::{ApiKeyError, IssuedKey, NewApiKey};
use serde_json::json;

use super::{command_error, parse_id};
use crate::console::format_instant;
use crate::error::CommandError;
use crate::{Context, args};

#[derive(Debug, Args)]
pub(crate) struct IssueArgs {
    /// Id or e-mail address of the user
    #[arg(long, value_name = "USER")]
    user: String,
    /// Name of the key in lists
    #[arg(long, value_parser = args::parse_label)]
    label: Option<String>,
    /// Lifetime of the key: 30m, 24h, 90d, 2w; at most 10 years [default: until it is revoked]
    #[arg(long, value_name = "DURATION", value_parser = args::parse_lifetime)]
    expires: Option<SignedDuration>,
    /// Operations that the key may call: all, or read for GET and HEAD only
    #[arg(long, value_parser = args::access_parser(), default_value = "all")]
    access: KeyAccess,
    /// Network from which the key may be called, such as 203.0.113.0/24; up to 20, one option each [default: from everywhere]
    #[arg(long = "network", value_name = "CIDR")]
    networks: Vec<String>,
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

pub(super) async fn issue(args: IssueArgs, context: &mut Context) -> Result<(), CommandError> {
    let owner = context.find_user(&args.user).await?;
    let now = context.clock.now();
    let networks = args::parse_networks(&args.networks).map_err(CommandError::Usage)?;
    let expires_at = args.expires.map(|lifetime| now + lifetime);
    let rights = KeyRights { access: args.access, networks, expires_at, ..KeyRights::default() };
    let new = NewApiKey { label: args.label, rights };
    let issued =
        context.stores.users.issue_key(owner, &new, &context.actor().await?, now).await.map_err(
            |error| match error {
                ApiKeyError::NotFound => CommandError::user_not_found(&args.user),
                other => command_error(other, "key"),
            },
        )?;
    print_issued_key(&issued, &new, context)
}

pub(super) async fn rotate(args: RotateArgs, context: &mut Context) -> Result<(), CommandError> {
    let now = context.clock.now();
    let old =
        context.stores.users.get_key(parse_id(&args.id)?).await.map_err(|error| command_error(error, &args.id))?;
    let expires_at = args.expires.map(|lifetime| now + lifetime);
    let new = NewApiKey { label: args.label.or(old.label.clone()), rights: KeyRights { expires_at, ..old.rights() } };
    let actor = context.actor().await?;
    let rotated = context.stores.users.rotate_key(old.id(), &new, now + args.overlap, &actor, now).await;
    let issued = rotated.map_err(|error| command_error(error, &args.id))?;
    if old.expires_at.is_some() && new.rights.expires_at.is_none() {
        context.console.write_message("note: the old key had an expiry, the new one has none (--expires sets one)");
    }
    let ends_at = old.expires_at.map_or(now + args.overlap, |expires_at| expires_at.min(now + args.overlap));
    let until =
        if ends_at > now { format!("gives access until {}", format_instant(ends_at)) } else { "has ended".to_owned() };
    context.console.write_message(format_args!("old key {} {until}", args.id));
    print_issued_key(&issued, &new, context)
}

/// Prints a new key. A key is printed only here: the store keeps its hash.
///
/// Prints the id first. If writing the key fails, the operator can revoke it by its id.
fn print_issued_key(issued: &IssuedKey, new: &NewApiKey, context: &mut Context) -> Result<(), CommandError> {
    let IssuedKey { key, id, .. } = issued;
    let until = new
        .rights
        .expires_at
        .map_or_else(|| "until it is revoked".to_owned(), |at| format!("until {}", format_instant(at)));
    context.console.write_message(format_args!("issued key {id}, which gives access {until}"));
    context.console.write_value(&json!({ "key": key.expose(), "id": id.to_string() }), key.expose())?;
    context.console.write_next(format_args!("ops key list --user {}", id.owner()));
    Ok(())
}
