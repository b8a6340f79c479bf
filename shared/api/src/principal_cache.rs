//! Cache of the principals of keys that were verified lately.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyHash;

/// Maximum number of keys in the cache, of some 100 bytes each. Far fewer keys call one sandbox. Above it the cache is emptied, which
/// costs each key one slower request.
const MAX_KEYS: usize = 4_096;

/// Principals that the last verification of each key returned.
///
/// A cached principal may be out of date. An operation may start with it, but its result counts only after the key is verified.
#[derive(Debug, Default)]
pub(crate) struct PrincipalCache(Mutex<HashMap<ApiKeyHash, Principal>>);

impl PrincipalCache {
    /// Returns the principal that the key had at its last verification.
    pub(crate) fn cached(&self, key: &ApiKeyHash) -> Option<Principal> {
        self.lock().get(key).copied()
    }

    /// Stores the principal of a key that was verified.
    pub(crate) fn insert(&self, key: ApiKeyHash, principal: Principal) {
        let mut principals = self.lock();
        if principals.len() >= MAX_KEYS && !principals.contains_key(&key) {
            principals.clear();
        }
        principals.insert(key, principal);
    }

    /// Removes a key that was refused.
    pub(crate) fn remove(&self, key: &ApiKeyHash) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ApiKeyHash, Principal>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
