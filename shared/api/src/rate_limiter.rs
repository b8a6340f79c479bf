//! Limits of keys: the leases that this function holds, and the writes that renew them.

use std::sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use tokio::sync::Mutex;

use crate::request_context;
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_domain::rate_limit::{KeyLimiter, LeaseRequest, LimitDecision, Quota, RateLimit, RateLimitError};
use presence_runtime::clock::Clock;
use presence_runtime::telemetry::{Metric, log_metric};
use presence_store::{Database, LeaseOutcome, RateLimitStore};

/// Maximum number of keys, of some 300 bytes each. Above it, the lease of the key that was used least recently is dropped, which costs it up
/// to 20 requests of its limit.
const MAX_KEYS: usize = 4_096;

/// Limits of the keys that this function knows.
pub(crate) struct RateLimiter {
    buckets: RateLimitStore,
    clock: Arc<dyn Clock>,
    keys: StdMutex<LruCache<ApiKeyHash, Arc<Mutex<KeyLimiter>>>>,
}

impl RateLimiter {
    /// Builds the parts, without any lease. Makes no call.
    pub(crate) fn new(database: &Database, clock: Arc<dyn Clock>) -> Self {
        Self { buckets: RateLimitStore::new(database), clock, keys: StdMutex::new(LruCache::new(MAX_KEYS)) }
    }

    /// Takes one of a key's requests, and records the rest for the answer. Makes a write if no lease holds one.
    ///
    /// Returns [`Error::TooManyRequests`] if the key has none left. A failure of the database is logged, and the request passes.
    pub(crate) async fn take_token(&self, hash: &ApiKeyHash, limit: Option<RateLimit>) -> Result<(), Error> {
        let Some(limit) = limit else {
            // It may have had one when it was verified before.
            request_context::record(|identity| identity.quota = None);
            return Ok(());
        };
        let limiter = self.limiter(hash, limit);
        // Requests at the same time wait for one lease, so that each does not ask for its own. In Lambda there is one at a time.
        let mut limiter = limiter.lock().await;
        limiter.count_request(self.clock.now());
        let decision = self.decide(&mut limiter, hash).await;
        let quota = decision.unwrap_or_else(RateLimitError::quota);
        request_context::record(|identity| identity.quota = Some(quota));
        decision.map(drop).map_err(Error::TooManyRequests)
    }

    /// Returns the quota of a request that passes. Leases tokens if the key has none.
    async fn decide(&self, limiter: &mut KeyLimiter, hash: &ApiKeyHash) -> Result<Quota, RateLimitError> {
        for _ in 0..KeyLimiter::MAX_WRITES {
            match limiter.decide(self.clock.now()) {
                LimitDecision::Pass(quota) => return Ok(quota),
                LimitDecision::Refuse(refusal) => return Err(refusal),
                LimitDecision::Lease(request) => match self.lease(hash, &request).await {
                    Some(LeaseOutcome::Granted(tat)) => return Ok(limiter.grant(&request, tat, self.clock.now())),
                    Some(LeaseOutcome::Declined(tat)) => limiter.decline(&request, tat),
                    None => return Ok(limiter.fail(self.clock.now())),
                },
            }
        }
        match limiter.decide(self.clock.now()) {
            LimitDecision::Pass(quota) => Ok(quota),
            LimitDecision::Refuse(refusal) => Err(refusal),
            LimitDecision::Lease(_) => Err(limiter.give_up(self.clock.now())),
        }
    }

    /// True if the key was refused, and the time to retry has not come. False while another request decides on the key.
    pub(crate) fn is_refused(&self, hash: &ApiKeyHash) -> bool {
        let limiter = self.lock().get(hash).map(Arc::clone);
        limiter.is_some_and(|limiter| limiter.try_lock().is_ok_and(|limiter| limiter.is_refused(self.clock.now())))
    }

    /// Asks for a lease. Returns `None` if the database does not answer within the time of a call, which the read of the key has too.
    async fn lease(&self, hash: &ApiKeyHash, request: &LeaseRequest) -> Option<LeaseOutcome> {
        match self.buckets.lease(hash, request).await {
            Ok(outcome) => Some(outcome),
            Err(error) => {
                log_metric(Metric::LeasesFailed, 1.0);
                tracing::warn!(error_kind = error.kind(), "no lease: requests pass without a limit");
                None
            }
        }
    }

    /// Returns the state of a key. A key whose limit changed starts again.
    fn limiter(&self, hash: &ApiKeyHash, limit: RateLimit) -> Arc<Mutex<KeyLimiter>> {
        let mut keys = self.lock();
        let limiter = keys.entry(*hash).or_insert_with(|| Arc::new(Mutex::new(KeyLimiter::new(limit))));
        if limiter.try_lock().is_ok_and(|limiter| limiter.limit() != limit) {
            *limiter = Arc::new(Mutex::new(KeyLimiter::new(limit)));
        }
        Arc::clone(limiter)
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<ApiKeyHash, Arc<Mutex<KeyLimiter>>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
