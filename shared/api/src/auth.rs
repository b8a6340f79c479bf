//! From a key to the caller, at one read unit.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use presence_domain::access::Principal;
use presence_domain::api_key::{ApiKeyHash, PlaintextApiKey};
use presence_domain::error::Error;
use presence_store::Store;

/// Keys remembered, some 100 bytes each: far more than call one sandbox. Beyond them all are forgotten, which costs each one
/// slower request.
const MAX_CALLERS: usize = 4_096;

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
pub(crate) async fn authenticate(store: &Store, key: &ApiKeyHash, now: Timestamp) -> Result<Authenticated, Error> {
    let record = store.api_key(key).await?.ok_or(Error::Unauthenticated)?;
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
pub struct Callers(Mutex<HashMap<ApiKeyHash, Principal>>);

impl Callers {
    /// Whom the key belonged to.
    #[must_use]
    pub fn guess(&self, key: &ApiKeyHash) -> Option<Principal> {
        self.seen().get(key).copied()
    }

    /// Remembers whom the key belongs to.
    pub fn remember(&self, key: ApiKeyHash, principal: Principal) {
        let mut seen = self.seen();
        if seen.len() >= MAX_CALLERS && !seen.contains_key(&key) {
            seen.clear();
        }
        seen.insert(key, principal);
    }

    /// Forgets a key that was refused.
    pub fn forget(&self, key: &ApiKeyHash) {
        self.seen().remove(key);
    }

    fn seen(&self) -> MutexGuard<'_, HashMap<ApiKeyHash, Principal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hour_of(instant: Timestamp) -> Timestamp {
    Timestamp::from_second(instant.as_second().div_euclid(3600) * 3600).unwrap_or(instant)
}
