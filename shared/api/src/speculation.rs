//! Operations that start while the key is verified.
//!
//! Every request verifies its key by a strong read, and an operation needs the principal that the read returns. An operation that only
//! reads does not wait for it:
//!
//! 1. The operation starts with the principal that the key had at its last verification, while the key is verified again.
//! 2. If verification returns the same principal, the result of the operation is the answer. That saves one round trip.
//! 3. If verification returns another principal, the result is discarded, and the operation runs again.
//! 4. If the key gives no access, the answer is 401, and the result is discarded. If it has no request left, the answer is 429.
//!
//! So the cached principal decides nothing. `shared/docs/speculative-reads.md` explains it by an example.

use std::sync::Arc;

use futures::FutureExt as _;

use super::operation::{AuthenticatedRequest, Running, Start};
use super::{Answer, Input};
use crate::auth::{Authenticator, PresentedKey, VerifiedKey};
use crate::idempotency::{KeyedChange, authenticate_and_look_up};
use crate::kept_answers::FirstLookup;
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyId;
use presence_domain::error::Error;
use presence_domain::idempotency::IdempotentRequest;
use presence_domain::key_rights::KeyRights;

/// Operation of a request whose caller is not known yet.
pub(super) struct WaitingOperation<App> {
    pub(super) app: Arc<App>,
    pub(super) start: Start<App>,
    /// Key of the caller.
    pub(super) key: PresentedKey,
    pub(super) input: Arc<Input>,
}

impl<App> WaitingOperation<App> {
    fn start_verified(&self, key: &VerifiedKey, keyed: Option<IdempotentRequest>) -> Running {
        self.start(key.principal, Some(Arc::clone(&key.rights)), keyed)
    }

    fn start(&self, principal: Principal, rights: Option<Arc<KeyRights>>, keyed: Option<IdempotentRequest>) -> Running {
        let (key_id, input) = (ApiKeyId::new(principal.user_id, &self.key.hash), Arc::clone(&self.input));
        (self.start)(Arc::clone(&self.app), AuthenticatedRequest { principal, key_id, rights, keyed, input })
    }
}

/// Runs an operation that only reads. It starts with the cached principal of the key, if there is one.
pub(super) async fn run_speculatively<App>(
    authenticator: &Authenticator,
    operation: &WaitingOperation<App>,
) -> Result<Answer, Error> {
    if authenticator.is_refused(&operation.key.hash) {
        let key = Box::pin(authenticator.authenticate(&operation.key)).await?;
        return run_verified(authenticator, &key, operation.start_verified(&key, None)).await;
    }
    let Some(cached) = authenticator.cached(&operation.key) else {
        let key = authenticator.verify(&operation.key).await?;
        let running = run_verified(authenticator, &key, operation.start_verified(&key, None));
        let ((), result) = futures::try_join!(authenticator.take_token(&key), running.map(Ok))?;
        return result;
    };
    let running = operation.start(cached.principal, None, None);
    let (key, result) = authenticator.authenticate_alongside(&operation.key, running).await?;
    if key.principal != cached.principal {
        return run_verified(authenticator, &key, operation.start_verified(&key, None)).await;
    }
    authenticator.record_use(&key).await;
    result
}

/// Runs an operation that changes something, after the key is verified and one of its requests is taken. A key that may only read is
/// refused before anything is looked up.
pub(super) async fn run_change<App>(
    authenticator: &Authenticator,
    operation: &WaitingOperation<App>,
) -> Result<Answer, Error> {
    let key = authenticator.authenticate_for_change(&operation.key).await?;
    run_verified(authenticator, &key, operation.start_verified(&key, None)).await
}

/// Runs an operation with an idempotency key, unless it was answered before. If it does not succeed, another request with the key may
/// have come first: then its answer counts.
pub(super) async fn run_once<App>(
    authenticator: &Authenticator,
    operation: &WaitingOperation<App>,
    change: &KeyedChange,
) -> Result<Answer, Error> {
    let (key, lookup) = authenticate_and_look_up(authenticator, &operation.key, change).await?;
    let request = match lookup {
        FirstLookup::Answered(answer) => {
            authenticator.record_use(&key).await;
            return Ok(answer);
        }
        FirstLookup::New(request) => request,
    };
    match run_verified(authenticator, &key, operation.start_verified(&key, Some(request))).await {
        Ok(answer) => Ok(answer),
        Err(error) => authenticator.answers.look_up_again(&request, error).await,
    }
}

/// Runs an operation that only reads, and whose result is the same for every principal. It runs once, while the key is verified.
pub(super) async fn run_for_any_principal(
    authenticator: &Authenticator,
    key: &PresentedKey,
    operation: Running,
) -> Result<Answer, Error> {
    if authenticator.is_refused(&key.hash) {
        let key = Box::pin(authenticator.authenticate(key)).await?;
        authenticator.record_use(&key).await;
        return operation.await;
    }
    let (key, result) = authenticator.authenticate_alongside(key, operation).await?;
    authenticator.record_use(&key).await;
    result
}

/// Runs an operation for the owner of a verified key, and records the use of the key at the same time.
async fn run_verified(authenticator: &Authenticator, key: &VerifiedKey, operation: Running) -> Result<Answer, Error> {
    let recording = Box::pin(authenticator.record_use(key));
    let (result, ()) = futures::join!(operation, recording);
    result
}
