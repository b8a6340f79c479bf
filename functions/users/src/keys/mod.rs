//! Keys of a user: list, create, rotate, revoke.

mod create;
mod list;
mod revoke;
mod rotate;
pub(crate) mod wire;

use jiff::Timestamp;
use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::api_key::{ApiKeyId, PlaintextApiKey};
use presence_domain::error::Error;
use presence_domain::user::User;
use presence_store::{ApiKeyError, ApiKeyRecord, KeyChange, NewApiKey, ReplacedKey};

use crate::App;

pub(crate) use create::CreateKey;
pub(crate) use list::ListKeys;
pub(crate) use revoke::RevokeKey;
pub(crate) use rotate::RotateKey;

use self::wire::IssuedKeyBody;

/// Returns the check that the caller may manage the keys of a user.
fn check(request: &AuthenticatedRequest) -> impl Fn(&User) -> Result<(), Error> + Sync {
    |user| authorize(&request.principal, Action::ManageKeys, Target::from(user))
}

/// Returns the id of the key in the path. The caller must be allowed to manage keys of the user before it learns that the user has no such
/// key.
async fn key_id(app: &App, request: &AuthenticatedRequest, change: &KeyChange<'_>) -> Result<ApiKeyId, Error> {
    let id = ApiKeyId::parse(request.path("key_id")).filter(|id| id.owner() == change.owner);
    if id.is_none() {
        let owner = app.users.get(request.principal.scope_of_user(change.owner), change.owner).await?;
        (change.check)(&owner.ok_or(Error::NotFound)?)?;
    }
    id.ok_or(Error::NotFound)
}

/// Issues a key, which may replace another one, and returns the answer that has it. The answer to a repeated request has none: nothing
/// keeps the key.
async fn issue(
    app: &App,
    request: &AuthenticatedRequest,
    change: KeyChange<'_>,
    replaced: Option<ReplacedKey>,
    decide: impl Fn(Option<&ApiKeyRecord>) -> Result<NewApiKey, Error>,
) -> Result<ChangeAnswer, Error> {
    let key = PlaintextApiKey::generate();
    let answer = |record: &ApiKeyRecord| {
        let with = |key| Answer::ok(&IssuedKeyBody::new(record, key));
        request.answer_once(with(Some(key.expose())), &with(None), change.now)
    };
    let issued = app.users.replace_key(change, replaced, &key, decide, |record| answer(record).kept().cloned()).await;
    Ok(answer(&issued.map_err(key_error)?.record))
}

/// Converts the error of the store.
fn key_error(error: ApiKeyError) -> Error {
    match error {
        ApiKeyError::NotFound => Error::NotFound,
        ApiKeyError::OwnerNotActive => Error::invalid_field("status", "is not active: only active users have keys"),
        ApiKeyError::TooMany(live) => {
            Error::invalid(format!("the user has {live} keys that give access, and may have no more: revoke one first"))
        }
        ApiKeyError::NotLive => Error::invalid("the key gives no access any more: create a new one"),
        ApiKeyError::Failed(error) => error,
    }
}

/// Returns an instant in the form of answers.
fn format_instant(instant: Timestamp) -> String {
    presence_domain::instant::format_second(instant.as_second())
}
