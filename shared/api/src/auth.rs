//! Authentication: from an API key to its principal, at one read unit.

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use jiff::Timestamp;

use crate::kept_answers::KeptAnswers;
use crate::principal_cache::{KeyTerms, PrincipalCache};
use crate::rate_limiter::RateLimiter;
use crate::request_context;
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_domain::key_rights::KeyRights;
use presence_domain::rate_limit::RateLimit;
use presence_runtime::clock::Clock;
use presence_store::{ApiKeyStore, Database};

/// Maximum time that the record of a key's use may delay an answer. The record is for information only.
const RECORD_USE_TIMEOUT: Duration = Duration::from_millis(500);

/// Parts that authenticate requests: the store of keys, the cache of principals, the limits of keys, kept answers, and the clock.
pub struct Authenticator {
    api_keys: ApiKeyStore,
    principals: PrincipalCache,
    rate_limiter: RateLimiter,
    default_limit: Option<RateLimit>,
    pub(crate) answers: KeptAnswers,
    clock: Arc<dyn Clock>,
}

/// Key as a request presents it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PresentedKey {
    /// Hash of the key.
    pub(crate) hash: ApiKeyHash,
    /// Address that the request comes from; `None` if it is unknown.
    pub(crate) source: Option<IpAddr>,
}

/// Key that was verified.
#[derive(Clone, Debug)]
pub(crate) struct VerifiedKey {
    hash: ApiKeyHash,
    /// Owner of the key, with its role and its organisation.
    pub(crate) principal: Principal,
    /// Rights that the key has beyond those of its owner.
    pub(crate) rights: Arc<KeyRights>,
    limit: Option<RateLimit>,
    /// Hour to record as the key's last use; `None` if it is recorded already.
    record_use_at: Option<Timestamp>,
}

impl Authenticator {
    /// Builds the parts, with an empty cache. Keys that have no limit of their own have the default one; `None` is no limit. Makes no call.
    pub fn new(database: &Database, clock: Arc<dyn Clock>, default_limit: Option<RateLimit>) -> Self {
        Self {
            api_keys: ApiKeyStore::new(database),
            principals: PrincipalCache::default(),
            rate_limiter: RateLimiter::new(database, Arc::clone(&clock)),
            default_limit,
            answers: KeptAnswers::new(database, Arc::clone(&clock)),
            clock,
        }
    }

    /// Opens the connection to DynamoDB while a function starts. A failure is logged and ignored.
    pub async fn connect(&self) {
        self.api_keys.connect().await;
    }

    /// Returns the terms that the key had at its last verification, without any call. `None` if they do not admit the request: then nothing
    /// is read or taken for it before its key is verified.
    pub(crate) fn cached(&self, key: &PresentedKey) -> Option<KeyTerms> {
        self.principals.cached(&key.hash).filter(|terms| terms.rights.networks.admit(key.source))
    }

    /// True if the key was refused for its limit, and the time to retry has not come. No operation starts for it: its refusal costs the
    /// read of the key and no other call.
    pub(crate) fn is_refused(&self, hash: &ApiKeyHash) -> bool {
        self.rate_limiter.is_refused(hash)
    }

    /// Verifies a key, and takes one of its requests. Both happen at the same time for a key that was verified before, as its limit is
    /// known. A key that is unknown or gives no access never causes a write.
    ///
    /// Returns [`Error::Unauthenticated`] for a key that is unknown, revoked or expired, for a key whose owner is not active, and for a
    /// request from outside the networks of the key. The error does not tell these cases apart. Returns [`Error::TooManyRequests`] for a
    /// key that has no request left.
    pub(crate) async fn authenticate(&self, presented: &PresentedKey) -> Result<VerifiedKey, Error> {
        let Some(cached) = self.cached(presented) else {
            let key = self.verify(presented).await?;
            self.take_token(&key).await?;
            return Ok(key);
        };
        let taking = self.rate_limiter.take_token(&presented.hash, cached.limit);
        // A key that gives no access is refused as such at once; a refusal of its limit waits for that.
        let (key, taken) = futures::try_join!(self.verify(presented), taking.map(Ok))?;
        if key.limit == cached.limit {
            taken?;
        } else {
            self.take_token(&key).await?;
        }
        Ok(key)
    }

    /// Verifies a key that may change things: as [`Authenticator::authenticate`], and returns [`Error::Forbidden`] for a key that may only
    /// read.
    pub(crate) async fn authenticate_for_change(&self, presented: &PresentedKey) -> Result<VerifiedKey, Error> {
        // The SDK's futures are large: on the heap, moving them costs nothing.
        let key = Box::pin(self.authenticate(presented)).await?;
        self.check_change(&key).await?;
        Ok(key)
    }

    /// Allows or refuses a change by a key. A refusal counts as a use of the key.
    pub(crate) async fn check_change(&self, key: &VerifiedKey) -> Result<(), Error> {
        let allowed = key.rights.check_change();
        if allowed.is_err() {
            self.record_use(key).await;
        }
        allowed
    }

    /// Verifies a key by a strong read, and caches its terms.
    ///
    /// Returns [`Error::Unauthenticated`] as [`Authenticator::authenticate`] does.
    pub(crate) async fn verify(&self, presented: &PresentedKey) -> Result<VerifiedKey, Error> {
        // The SDK's futures are large: on the heap, moving them costs nothing.
        let verified = Box::pin(self.read_key(presented)).await;
        match &verified {
            Ok(VerifiedKey { principal, rights, limit, .. }) => {
                let terms = KeyTerms { principal: *principal, rights: Arc::clone(rights), limit: *limit };
                self.principals.insert(presented.hash, terms);
            }
            Err(_) => self.principals.remove(&presented.hash),
        }
        verified
    }

    async fn read_key(&self, presented: &PresentedKey) -> Result<VerifiedKey, Error> {
        let now = self.clock.now();
        let record = self.api_keys.get(&presented.hash).await?.ok_or(Error::Unauthenticated)?;
        request_context::record(|identity| identity.key_id = Some(record.id()));
        let rights = record.rights();
        let principal = record.principal(now).filter(|_| rights.networks.admit(presented.source));
        let principal = principal.ok_or(Error::Unauthenticated)?;
        request_context::record(|identity| identity.caller = Some(principal));
        let hour = Timestamp::from_second(now.as_second().div_euclid(3600) * 3600).unwrap_or(now);
        let record_use_at = (record.last_used_at != Some(hour)).then_some(hour);
        let limit = record.limit.or(self.default_limit);
        Ok(VerifiedKey { hash: record.hash, principal, rights: Arc::new(rights), limit, record_use_at })
    }

    /// Takes one request of a verified key. Returns [`Error::TooManyRequests`] if it has none left.
    pub(crate) async fn take_token(&self, key: &VerifiedKey) -> Result<(), Error> {
        self.rate_limiter.take_token(&key.hash, key.limit).await
    }

    /// Verifies a key while an operation runs, and returns when both have ended. If the key gives no access or has no request left, it
    /// returns at once, and the operation is dropped.
    pub(crate) async fn authenticate_alongside<F: Future>(
        &self,
        presented: &PresentedKey,
        operation: F,
    ) -> Result<(VerifiedKey, F::Output), Error> {
        // The SDK's futures are large: on the heap, moving them costs nothing.
        let authentication = Box::pin(self.authenticate(presented));
        futures::try_join!(authentication, operation.map(Ok))
    }

    /// Records that a key was used, at most once an hour. A failure is logged and ignored.
    pub(crate) async fn record_use(&self, key: &VerifiedKey) {
        let Some(used_at) = key.record_use_at else { return };
        let recording = tokio::time::timeout(RECORD_USE_TIMEOUT, self.api_keys.record_use(&key.hash, used_at));
        if !matches!(recording.await, Ok(Ok(()))) {
            tracing::debug!("the use of a key was not noted");
        }
    }
}
