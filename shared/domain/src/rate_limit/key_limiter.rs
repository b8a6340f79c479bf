//! Limit of one key in one function.

use jiff::{SignedDuration, Timestamp};

use super::demand::Demand;
use super::lease::whole_microseconds;
use super::terms::{Terms, latest_tat, retry_after_seconds};
use super::{LeaseRequest, Quota, RateLimit, RateLimitError, TatChange};

/// Time for which requests pass without a lease after the database did not answer. Without it, each request would wait for the database.
const FAILURE_PAUSE: SignedDuration = SignedDuration::from_secs(1);
/// Longest refusal: a bucket that a wrong clock filled with debt, at most.
const LONGEST_REFUSAL: SignedDuration = SignedDuration::from_mins(12);

/// Limit of one key in one function: the lease that the function holds, and what it knows of the bucket.
///
/// For each request, call [`KeyLimiter::count_request`] once and then [`KeyLimiter::decide`]. If it asks for a lease, make the write, and
/// pass its outcome to [`KeyLimiter::grant`], [`KeyLimiter::decline`] or [`KeyLimiter::fail`]. After a decline, decide again.
#[derive(Clone, Debug)]
pub struct KeyLimiter {
    limit: RateLimit,
    terms: Terms,
    demand: Demand,
    lease: Option<HeldLease>,
    /// Arrival time that the function saw last. Other functions may have moved it on since.
    seen_tat: Option<Timestamp>,
    /// True if other functions leased tokens between the last two writes of this one.
    others_lease: bool,
    refused_until: Option<Timestamp>,
    /// End of the pause after a failure.
    passing_until: Option<Timestamp>,
}

/// Tokens that a function may spend until the lease ends.
#[derive(Clone, Copy, Debug)]
struct HeldLease {
    tokens: u32,
    ends_at: Timestamp,
}

/// Decision on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitDecision {
    /// The request passes.
    Pass(Quota),
    /// The request is refused.
    Refuse(RateLimitError),
    /// The function has to lease tokens first.
    Lease(LeaseRequest),
}

impl KeyLimiter {
    /// Largest number of writes for one request. One finds the arrival time; others may move it on between two.
    pub const MAX_WRITES: u32 = 4;

    /// Returns the state of a key that the function does not know yet.
    pub fn new(limit: RateLimit) -> Self {
        Self {
            limit,
            terms: Terms::of(limit),
            demand: Demand::default(),
            lease: None,
            seen_tat: None,
            // A function that starts while a key is busy is one of several.
            others_lease: true,
            refused_until: None,
            passing_until: None,
        }
    }

    /// Returns the limit.
    pub fn limit(&self) -> RateLimit {
        self.limit
    }

    /// Counts a request, so that leases follow the demand.
    pub fn count_request(&mut self, now: Timestamp) {
        self.demand.count(now, self.terms.life);
    }

    /// Decides on a request. A request that passes takes a token.
    pub fn decide(&mut self, now: Timestamp) -> LimitDecision {
        let now = whole_microseconds(now);
        if let Some(lease) = self.lease.as_mut().filter(|lease| lease.tokens > 0 && now < lease.ends_at) {
            lease.tokens -= 1;
            return LimitDecision::Pass(self.quota(now));
        }
        if let Some(refusal) = self.remembered_refusal(now) {
            return LimitDecision::Refuse(refusal);
        }
        if self.passing_until.is_some_and(|until| is_soon(now, until, FAILURE_PAUSE)) {
            return LimitDecision::Pass(self.quota(now));
        }
        LimitDecision::Lease(self.lease_request(now))
    }

    /// Records that a lease was written, and passes the request that asked for it.
    pub fn grant(&mut self, request: &LeaseRequest, tat: Timestamp, now: Timestamp) -> Quota {
        self.others_lease = match request.change {
            // The bucket was new, or as this function left it.
            TatChange::Advance { by, start, .. } => ![Some(start), self.seen_tat].contains(&Some(tat - by)),
            TatChange::Restart { .. } => false,
        };
        self.seen_tat = Some(tat);
        self.passing_until = None;
        self.lease = Some(HeldLease { tokens: request.tokens - 1, ends_at: request.asked_at + self.terms.life });
        self.quota(now)
    }

    /// Records the arrival time that did not meet the condition of a lease. If the bucket is empty, the next decision is a refusal.
    pub fn decline(&mut self, request: &LeaseRequest, tat: Timestamp) {
        let now = request.asked_at;
        self.others_lease = tat >= now - self.terms.drift;
        self.seen_tat = Some(tat);
        if self.terms.level(tat, now) == 0 && tat <= latest_tat(now) {
            self.refuse(self.terms.wait(tat, now), now);
        }
    }

    /// Records that the database did not answer, and passes the request: a limit never stops the service.
    pub fn fail(&mut self, now: Timestamp) -> Quota {
        self.passing_until = Some(now + FAILURE_PAUSE);
        self.quota(now)
    }

    /// Refuses a request after [`KeyLimiter::MAX_WRITES`] declined leases: many functions compete for the last tokens.
    pub fn give_up(&mut self, now: Timestamp) -> RateLimitError {
        self.refuse(self.terms.time_of(1), now)
    }

    /// Lets the lease end later, which the simulation must find.
    #[cfg(test)]
    pub(super) fn prolong_lease(&mut self, by: SignedDuration) {
        if let Some(lease) = &mut self.lease {
            lease.ends_at += by;
        }
    }

    /// True if the key was refused, and the time to retry has not come.
    pub fn is_refused(&self, now: Timestamp) -> bool {
        self.remembered_refusal(now).is_some()
    }

    fn remembered_refusal(&self, now: Timestamp) -> Option<RateLimitError> {
        let until = self.refused_until.filter(|until| is_soon(now, *until, LONGEST_REFUSAL))?;
        // The seconds of the refusal include the tolerance of clocks already.
        let milliseconds = until.duration_since(now).as_millis();
        let retry_after_seconds = u32::try_from((milliseconds + 999) / 1000).unwrap_or(u32::MAX).max(1);
        Some(RateLimitError { limit: self.limit, retry_after_seconds })
    }

    /// Refuses a request, and those until the retry: they cost no write.
    fn refuse(&mut self, wait: SignedDuration, now: Timestamp) -> RateLimitError {
        let retry_after_seconds = retry_after_seconds(wait);
        self.refused_until = Some(now + SignedDuration::from_secs(retry_after_seconds.into()));
        RateLimitError { limit: self.limit, retry_after_seconds }
    }

    fn lease_request(&mut self, now: Timestamp) -> LeaseRequest {
        let tokens = self.lease_tokens(now);
        // A bucket that no other function uses is restarted as soon as it is full, so that it is never more than full.
        let is_in_use = self.others_lease || self.seen_tat.is_some_and(|tat| tat >= now);
        let is_impossible = self.seen_tat.is_some_and(|tat| tat > latest_tat(now));
        if is_in_use && !is_impossible {
            LeaseRequest::advance(&self.terms, tokens, now)
        } else {
            LeaseRequest::restart(&self.terms, tokens, now)
        }
    }

    /// Returns the tokens to ask for. They follow from the requests of the last lease's life. A lease that is too large wastes tokens,
    /// which matters only when few are left; one that is too small costs a write.
    fn lease_tokens(&mut self, now: Timestamp) -> u32 {
        let recent = self.demand.recent(now, self.terms.life);
        let level = self.seen_tat.map(|tat| self.terms.level(tat, now));
        let is_plentiful = level.is_some_and(|level| level > self.limit.requests_per_minute() / 2);
        let wanted = if is_plentiful { recent.saturating_mul(2).saturating_sub(1) } else { recent / 2 };
        wanted.min(self.terms.max_tokens).min(level.unwrap_or(u32::MAX)).max(1)
    }

    fn quota(&self, now: Timestamp) -> Quota {
        let held = self.lease.filter(|lease| now < lease.ends_at).map_or(0, |lease| lease.tokens);
        let limit = self.limit.requests_per_minute();
        let left = self.seen_tat.map_or(limit, |tat| self.terms.level(tat, now));
        let seconds = (self.terms.time_of(1).as_millis() + 999) / 1000;
        Quota {
            limit: self.limit,
            remaining: limit.min(held + left),
            refill_seconds: u32::try_from(seconds).unwrap_or(u32::MAX).max(1),
        }
    }
}

/// True until the instant. False if it is further away than it can be: the clock was turned back.
fn is_soon(now: Timestamp, until: Timestamp, at_most: SignedDuration) -> bool {
    now < until && until.duration_since(now) <= at_most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::at;

    fn limiter(requests_per_minute: u32) -> KeyLimiter {
        KeyLimiter::new(RateLimit::new(requests_per_minute).expect("a limit"))
    }

    fn lease_at(limiter: &mut KeyLimiter, now: Timestamp) -> LeaseRequest {
        match limiter.decide(now) {
            LimitDecision::Lease(request) => request,
            other => panic!("{other:?} is no lease"),
        }
    }

    #[test]
    fn tokens_of_a_lease_count_until_its_end() {
        let mut limiter = limiter(300);
        (0..10).for_each(|_| limiter.count_request(at(0)));
        let lease = lease_at(&mut limiter, at(0));
        assert_eq!(lease.tokens, 5);
        let tat = lease.change.apply(None).expect("a new bucket");
        assert_eq!((tat, limiter.grant(&lease, tat, at(0)).remaining), (at(1_000), 299));
        assert!(matches!(limiter.decide(at(4_999)), LimitDecision::Pass(_)));
        let next = lease_at(&mut limiter, at(5_000));
        // Others took what was in the bucket: it holds five tokens at 5 s.
        limiter.decline(&next, at(64_000));
        assert_eq!([4_999, 5_000].map(|now| limiter.fail(at(now)).remaining), [4 + 3, 5]);
    }

    #[test]
    fn a_token_refills_in_whole_seconds_rounded_up() {
        assert_eq!([300, 7, 60].map(|limit| limiter(limit).fail(at(0)).refill_seconds), [1, 9, 1]);
    }

    #[test]
    fn requests_pass_for_a_second_after_a_failure() {
        let mut limiter = limiter(300);
        let quota = limiter.fail(at(0));
        assert_eq!([0, 999].map(|now| limiter.decide(at(now))), [LimitDecision::Pass(quota); 2]);
        // Then it asks again, and also if the clock was turned back.
        assert_eq!([1_000, -1].map(|now| lease_at(&mut limiter, at(now)).asked_at), [1_000, -1].map(at));
    }

    #[test]
    fn a_bucket_that_others_use_is_advanced_and_one_that_is_full_or_wrong_restarted() {
        // A lease at 0 was declined with an arrival time; the next one follows from it. None: the key is refused.
        for (tat, advances) in
            [(-2_001, Some(false)), (-2_000, Some(true)), (0, Some(true)), (660_500, None), (660_501, Some(false))]
        {
            let mut limiter = limiter(300);
            let lease = lease_at(&mut limiter, at(0));
            limiter.decline(&lease, at(tat));
            let next = match limiter.decide(at(0)) {
                LimitDecision::Lease(lease) => Some(matches!(lease.change, TatChange::Advance { .. })),
                LimitDecision::Refuse(_) => None,
                LimitDecision::Pass(_) => panic!("nothing was leased"),
            };
            assert_eq!(next, advances, "{tat}");
        }
    }
}
