//! Cache of the principals, rights and limits of keys that were verified lately.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyHash;
use presence_domain::key_rights::KeyRights;
use presence_domain::rate_limit::RateLimit;

/// Maximum number of keys in the cache, of some 100 bytes each. Far fewer keys call one sandbox. Above it, the key that was used least
/// recently goes, which costs it one slower request.
const MAX_KEYS: usize = 4_096;

/// Owner, rights and limit of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyTerms {
    /// Owner, with its role and its organisation.
    pub(crate) principal: Principal,
    /// Rights that the key has beyond those of its owner.
    pub(crate) rights: Arc<KeyRights>,
    /// Limit of the key's requests; `None` if it has none.
    pub(crate) limit: Option<RateLimit>,
}

/// Terms that the last verification of each key returned.
///
/// They may be out of date. An operation may start with them, but its result counts only after the key is verified.
#[derive(Debug)]
pub(crate) struct PrincipalCache(Mutex<LruCache<ApiKeyHash, KeyTerms>>);

impl Default for PrincipalCache {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_KEYS)))
    }
}

impl PrincipalCache {
    /// Returns the terms that the key had at its last verification.
    pub(crate) fn cached(&self, key: &ApiKeyHash) -> Option<KeyTerms> {
        self.lock().get(key).cloned()
    }

    /// Stores the terms of a key that was verified.
    pub(crate) fn insert(&self, key: ApiKeyHash, terms: KeyTerms) {
        self.lock().insert(key, terms);
    }

    /// Removes a key that was refused.
    pub(crate) fn remove(&self, key: &ApiKeyHash) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<ApiKeyHash, KeyTerms>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
