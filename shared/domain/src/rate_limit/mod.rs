//! Limit of the requests of an API key: a token bucket that all functions share, and leases of its tokens.
//!
//! Each key has a bucket. It holds as many tokens as the limit allows requests a minute, and refills at that pace. A request takes one
//! token. The bucket is one number in the database: its theoretical arrival time, as in the generic cell rate algorithm. It is the
//! instant at which the bucket is full again.
//!
//! A function does not write for each request. It leases several tokens by one write, and spends them on the next requests. A lease ends
//! soon. So the requests that pass in any `t` seconds are never more than `limit + limit * t / 60 +` [`EXCESS`], for any number of
//! functions: [`terms`](self) holds the constants and the reason. `shared/docs/rate-limits.md` explains it by an example.
//!
//! Everything here is pure. The caller passes the time, and makes the writes that [`KeyLimiter`] asks for.

mod demand;
mod key_limiter;
mod lease;
mod quota;
#[cfg(test)]
mod simulation;
mod terms;

pub use key_limiter::{KeyLimiter, LimitDecision};
pub use lease::{LeaseRequest, TatChange};
pub use quota::{Quota, RateLimitError};
pub use terms::EXCESS;

/// Largest number of requests a minute that a limit may allow. A token then takes 60 µs to refill.
pub const MAX_REQUESTS_PER_MINUTE: u32 = 1_000_000;

/// Number of requests a minute that a key may make, from 1 to [`MAX_REQUESTS_PER_MINUTE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RateLimit(u32);

impl RateLimit {
    /// Returns the limit; `None` if the number is out of range.
    pub fn new(requests_per_minute: u32) -> Option<Self> {
        (1..=MAX_REQUESTS_PER_MINUTE).contains(&requests_per_minute).then_some(Self(requests_per_minute))
    }

    /// Returns the number of requests a minute.
    pub fn requests_per_minute(self) -> u32 {
        self.0
    }
}

/// Instant of the tests.
#[cfg(test)]
fn at(milliseconds: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(1_000_000_000 + milliseconds).expect("an instant")
}

/// Limit that an operator gave to a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyLimit {
    /// The limit of all keys without one of their own.
    #[default]
    Default,
    /// No limit.
    Unlimited,
    /// This limit.
    Limited(RateLimit),
}

impl KeyLimit {
    /// Parses the number of requests a minute of a key. 0 is no limit. Returns `None` for a number out of range.
    pub fn from_number(requests_per_minute: u32) -> Option<Self> {
        if requests_per_minute == 0 {
            Some(Self::Unlimited)
        } else {
            RateLimit::new(requests_per_minute).map(Self::Limited)
        }
    }

    /// Returns the number of requests a minute; 0 for no limit, `None` for the default.
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Default => None,
            Self::Unlimited => Some(0),
            Self::Limited(limit) => Some(limit.requests_per_minute()),
        }
    }

    /// Returns the limit that applies, given that of all keys; `None` if none applies.
    pub fn or(self, default: Option<RateLimit>) -> Option<RateLimit> {
        match self {
            Self::Default => default,
            Self::Unlimited => None,
            Self::Limited(limit) => Some(limit),
        }
    }

    /// Returns this limit of a new key, or that of the key that makes it, `maker`, if an operator limited that one to less.
    #[must_use]
    pub fn of_key_made_by(self, maker: Self) -> Self {
        match (self, maker) {
            (Self::Limited(own), Self::Limited(maker)) => Self::Limited(own.min(maker)),
            (_, Self::Limited(_)) => maker,
            (_, Self::Default | Self::Unlimited) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_outside_their_range_are_refused() {
        for (number, expected) in
            [(0, None), (1, Some(1)), (300, Some(300)), (1_000_000, Some(1_000_000)), (1_000_001, None)]
        {
            assert_eq!(RateLimit::new(number).map(RateLimit::requests_per_minute), expected, "{number}");
        }
    }

    #[test]
    fn a_key_has_its_own_limit_or_none_or_the_default() {
        let (default, own) = (RateLimit::new(300), RateLimit::new(5));
        for (number, expected) in [(None, default), (Some(0), None), (Some(5), own)] {
            let limit = number.map_or(Some(KeyLimit::Default), KeyLimit::from_number).expect("a limit");
            assert_eq!((limit.number(), limit.or(default)), (number, expected));
        }
        assert_eq!(KeyLimit::from_number(MAX_REQUESTS_PER_MINUTE + 1), None);
        assert_eq!(KeyLimit::Default.or(None), None);
    }

    #[test]
    fn a_key_with_a_limit_makes_no_key_with_more() {
        let limit =
            |number: Option<u32>| number.map_or(Some(KeyLimit::Default), KeyLimit::from_number).expect("a limit");
        for (wanted, maker, expected) in [
            (None, None, None),
            (None, Some(0), None),
            (Some(5), None, Some(5)),
            (None, Some(10), Some(10)),
            (Some(0), Some(10), Some(10)),
            (Some(5), Some(10), Some(5)),
            (Some(20), Some(10), Some(10)),
        ] {
            assert_eq!(limit(wanted).of_key_made_by(limit(maker)), limit(expected), "{wanted:?} by {maker:?}");
        }
    }
}
