//! From a key to the caller, at one read unit.

use jiff::Timestamp;

use crate::access::Principal;
use crate::domain::api_key::{ApiKeyHash, PlaintextApiKey};
use crate::error::Error;
use crate::store::Store;

/// A caller, and whether the use of its key is to be recorded.
#[derive(Clone, Debug)]
pub struct Authenticated {
    /// The caller.
    pub principal: Principal,
    /// The digest of its key.
    pub key: ApiKeyHash,
    /// Set when the key was last used in an earlier hour: when to record this use at.
    pub record_use_at: Option<Timestamp>,
}

/// Finds the caller. [`Error::Unauthenticated`] without saying why: a key that is missing, malformed, unknown,
/// revoked or expired, or whose owner is not active, is refused alike. A malformed one costs no read.
pub async fn authenticate(store: &Store, key: Option<&str>, now: Timestamp) -> Result<Authenticated, Error> {
    let key = key.and_then(PlaintextApiKey::parse).ok_or(Error::Unauthenticated)?;
    let record = store.api_key(&key.hash()).await?.ok_or(Error::Unauthenticated)?;
    let principal = record.principal(now).ok_or(Error::Unauthenticated)?;
    let hour = hour_of(now);
    let record_use_at = (record.last_used_at != Some(hour)).then_some(hour);
    Ok(Authenticated { principal, key: record.hash, record_use_at })
}

fn hour_of(instant: Timestamp) -> Timestamp {
    Timestamp::from_second(instant.as_second().div_euclid(3600) * 3600).unwrap_or(instant)
}
