//! From a key to the caller, at one read unit.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use presence_domain::access::Principal;
use presence_domain::api_key::{ApiKeyHash, PlaintextApiKey};
use presence_domain::error::Error;
use presence_runtime::clock::Clock;
use presence_store::{ApiKeyStore, Database};

/// Keys remembered, some 100 bytes each: far more than call one sandbox. Beyond them all are forgotten, which costs each one
/// slower request.
const MAX_CALLERS: usize = 4_096;

/// Parts that authenticate requests: the keys, the principals that they belonged to last, and the time.
pub struct Authenticator {
    pub(crate) api_keys: ApiKeyStore,
    pub(crate) callers: Callers,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Authenticator {
    /// Builds the parts, with no principal cached. Makes no call.
    #[must_use]
    pub fn new(database: &Database, clock: Arc<dyn Clock>) -> Self {
        Self { api_keys: ApiKeyStore::new(database), callers: Callers::default(), clock }
    }
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authenticator").field("api_keys", &self.api_keys).finish_non_exhaustive()
    }
}

/// A caller, and whether the use of its key is to be recorded.
#[derive(Clone, Debug)]
pub(crate) struct Authenticated {
    /// The caller.
    pub principal: Principal,
    /// The digest of its key.
    pub key: ApiKeyHash,
    /// Set when the key was last used in an earlier hour: when to record this use at.
    pub record_use_at: Option<Timestamp>,
}

/// Finds the caller. [`Error::Unauthenticated`] without saying why: a key that is unknown, revoked or expired, or whose
/// owner is not active, is refused alike.
pub(crate) async fn authenticate(
    api_keys: &ApiKeyStore,
    key: &ApiKeyHash,
    now: Timestamp,
) -> Result<Authenticated, Error> {
    let record = api_keys.get(key).await?.ok_or(Error::Unauthenticated)?;
    let principal = record.principal(now).ok_or(Error::Unauthenticated)?;
    let hour = hour_of(now);
    let record_use_at = (record.last_used_at != Some(hour)).then_some(hour);
    Ok(Authenticated { principal, key: record.hash, record_use_at })
}

/// The digest that a key is found by. A key that is missing or malformed is refused like any other, and costs no read.
pub(crate) fn digest(key: Option<&str>) -> Result<ApiKeyHash, Error> {
    key.and_then(PlaintextApiKey::parse).map(|key| key.hash()).ok_or(Error::Unauthenticated)
}

/// Whom the keys belonged to when they were last read. It is a guess at whom they belong to: work may begin on it, but only
/// [`authenticate`] says whether it counts.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<HashMap<ApiKeyHash, Principal>>);

impl Callers {
    /// Whom the key belonged to.
    #[must_use]
    pub(crate) fn guess(&self, key: &ApiKeyHash) -> Option<Principal> {
        self.seen().get(key).copied()
    }

    /// Remembers whom the key belongs to.
    pub(crate) fn remember(&self, key: ApiKeyHash, principal: Principal) {
        let mut seen = self.seen();
        if seen.len() >= MAX_CALLERS && !seen.contains_key(&key) {
            seen.clear();
        }
        seen.insert(key, principal);
    }

    /// Forgets a key that was refused.
    pub(crate) fn forget(&self, key: &ApiKeyHash) {
        self.seen().remove(key);
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<ApiKeyHash, Principal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hour_of(instant: Timestamp) -> Timestamp {
    Timestamp::from_second(instant.as_second().div_euclid(3600) * 3600).unwrap_or(instant)
}
