//! `ops users delete` and `set-status`: changes by the rules of the API for a PROVIDER.

use clap::Args;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::ids::UserId;
use presence_domain::password::{Password, PasswordHash};
use presence_domain::random::random_u64;
use presence_domain::user::{References, Status, User, UserChange, UserPatch};
use presence_store::{Decision, UpdateOutcome};
use serde_json::json;

use crate::context::operator_scope;
use crate::error::CommandError;
use crate::{Context, Exit, args};

/// Hash that no password has. A user with it has no password that anybody knows.
const HASH_OF_NO_PASSWORD: &str = "!";

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Id or e-mail address of the user
    id: String,
    /// Ask nothing
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SetStatusArgs {
    /// Id or e-mail address of the user
    id: String,
    /// New status
    #[arg(value_parser = args::status_parser())]
    status: Status,
    /// Ask nothing
    #[arg(long)]
    yes: bool,
}

pub(super) async fn delete(args: &DeleteArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let user = get(&args.id, context).await?;
    if !args.yes {
        context.console.confirm(&format!("Delete {} for good, with its keys?", describe(&user)))?;
    }
    let (actor, now) = (context.actor().await?, context.clock.now());
    change(user.id, context, |user| Ok(Some(user.delete(&actor, now)))).await?;
    let id = user.id.to_string();
    context.console.write_result(&json!({ "id": id }), format_args!("deleted user {id}"))?;
    context.console.write_next(format_args!("ops audit --user {id}"));
    Ok(Exit::Done)
}

pub(super) async fn set_status(args: &SetStatusArgs, context: &mut Context) -> Result<Exit, CommandError> {
    let status = args.status.as_str();
    let user = get(&args.id, context).await?;
    if user.status != args.status && !args.yes {
        context.console.confirm(&format!("Set {} to {status}? {}", describe(&user), effect(args.status)))?;
    }
    let (actor, now) = (context.actor().await?, context.clock.now());
    let change = change(user.id, context, |user| {
        let patch = status_patch(user, args.status)?;
        let hash = |_: &Password| PasswordHash::from_phc(HASH_OF_NO_PASSWORD.to_owned());
        let references = References { org_exists: true, ..References::default() };
        user.apply_patch(&patch, &references, hash, FieldErrors::default(), &actor, now)
    });
    let is_changed = change.await?;
    let (id, done) = (user.id.to_string(), if is_changed { "is now" } else { "was already" });
    let value = json!({ "id": id, "status": status, "changed": is_changed });
    context.console.write_result(&value, format_args!("user {id} {done} {status}"))?;
    context.console.write_next(format_args!("ops users show {id}"));
    Ok(Exit::Done)
}

/// Returns the patch of the status. A user that becomes active gets a password that nobody ever sees, as in the API.
fn status_patch(user: &User, status: Status) -> Result<UserPatch, Error> {
    let becomes_active = user.status == Status::Invited && status == Status::Active;
    let password = || Password::parse(&format!("{:016x}{:016x}", random_u64(), random_u64())).map_err(Error::internal);
    let password = becomes_active.then(password).transpose()?;
    Ok(UserPatch { status: Some(status), password: password.map(Ok), ..UserPatch::default() })
}

/// Changes a user as `decide` says. True if anything changed.
async fn change(
    id: UserId,
    context: &Context,
    decide: impl Fn(&User) -> Result<Option<UserChange>, Error>,
) -> Result<bool, CommandError> {
    let update = context.stores.users.update(operator_scope(), id, |user| decide(user).map(Decision::from)).await;
    match update {
        Ok(UpdateOutcome::Written(_)) => Ok(true),
        Ok(UpdateOutcome::Stopped(())) => Ok(false),
        Err(Error::NotFound) => Err(CommandError::user_not_found(&id.to_string())),
        Err(error) => Err(error.into()),
    }
}

async fn get(id: &str, context: &Context) -> Result<User, CommandError> {
    let user = context.stores.users.get(operator_scope(), context.find_user(id).await?).await?;
    user.ok_or_else(|| CommandError::user_not_found(id))
}

fn describe(user: &User) -> String {
    let org = user.org_id.map_or_else(|| "no organisation".to_owned(), |org| format!("organisation {org}"));
    format!("user {} ({}, {}, {org})", user.id, user.role.as_str(), user.status.as_str())
}

fn effect(status: Status) -> &'static str {
    match status {
        Status::Invited => "Its password is forgotten, its keys are revoked for good, and it is sent an invitation.",
        Status::Active => "Its invitation ends, and it has no password.",
    }
}
