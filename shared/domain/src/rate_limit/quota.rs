//! Remaining requests of a key, as answers tell them.

use super::RateLimit;

/// Remaining requests of a key, as one function knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Limit of the key.
    pub limit: RateLimit,
    /// Requests that would pass at once, at most.
    pub remaining: u32,
    /// Whole seconds until another request would pass, at least 1.
    pub refill_seconds: u32,
}

/// Occurs when a request is refused: its key has no token left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitError {
    /// Limit of the key.
    pub limit: RateLimit,
    /// Whole seconds after which a request passes, at least 1.
    pub retry_after_seconds: u32,
}

impl RateLimitError {
    /// Returns the quota of the refused request.
    pub fn quota(self) -> Quota {
        Quota { limit: self.limit, remaining: 0, refill_seconds: self.retry_after_seconds }
    }
}
