//! Changes with an idempotency key: the first answer is given again, and nothing is changed twice.
//!
//! 1. **First lookup**: the kept answer is read while the key of the caller is verified, with the cached caller; after it for a key that is
//!    not cached. So a repeated request costs no more than that.
//! 2. The operation runs, and writes its answer in the transaction of its change.
//! 3. **Second lookup**, if the operation does not succeed: a request with the same key may have come first, or the reply of the own
//!    transaction was lost.
//!
//! `shared/docs/idempotency.md` explains it by an example.

use std::sync::Arc;

use lambda_http::Request;

use crate::auth::{Authenticator, PresentedKey, VerifiedKey};
use crate::input::Input;
use crate::kept_answers::FirstLookup;
use presence_domain::error::Error;
use presence_domain::idempotency::{IdempotencyKey, IdempotentRequest};
use presence_domain::ids::UserId;

/// Header with the key of a change. Errors name it in this spelling.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Change with an idempotency key, before its caller is known.
#[derive(Debug)]
pub(crate) struct KeyedChange {
    key: IdempotencyKey,
    method: &'static str,
    path: String,
    input: Arc<Input>,
}

impl KeyedChange {
    /// Reads the key of a change; `None` if it has none.
    pub(crate) fn read(
        request: &Request,
        method: &'static str,
        path: String,
        input: &Arc<Input>,
    ) -> Result<Option<Self>, Error> {
        let Some(value) = request.headers().get(IDEMPOTENCY_KEY) else { return Ok(None) };
        // Bytes that are not UTF-8 become a character that no key has.
        let key = IdempotencyKey::parse(&String::from_utf8_lossy(value.as_bytes()));
        let key = key.map_err(|error| Error::invalid_field(IDEMPOTENCY_KEY, error))?;
        Ok(Some(Self { key, method, path, input: Arc::clone(input) }))
    }

    fn by(&self, caller: UserId) -> IdempotentRequest {
        IdempotentRequest::new(&self.key, caller, self.method, &self.path, &self.input.body)
    }
}

/// Verifies the key of the caller, and looks for the answer of its request meanwhile. Nothing is looked for with a key that may only read.
pub(crate) async fn authenticate_and_look_up(
    authenticator: &Authenticator,
    presented: &PresentedKey,
    change: &KeyedChange,
) -> Result<(VerifiedKey, FirstLookup), Error> {
    let answers = &authenticator.answers;
    let cached = authenticator.cached(presented).filter(|_| !authenticator.is_refused(&presented.hash));
    let Some(cached) = cached.filter(|cached| cached.rights.check_change().is_ok()) else {
        let key = authenticator.authenticate_for_change(presented).await?;
        let lookup = answers.look_up(change.by(key.principal.user_id)).await?;
        return Ok((key, lookup));
    };
    // A key belongs to one user for its whole life, so the cached owner is the right one.
    let lookup = answers.look_up(change.by(cached.principal.user_id));
    let (key, lookup) = authenticator.authenticate_alongside(presented, lookup).await?;
    Ok((key, lookup?))
}
