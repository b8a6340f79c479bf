//! Idempotency keys: a change that a client sends twice happens once, and has one answer.
//!
//! A client gives its change a key. The answer of the change is kept under the key, in the transaction of the change, so that there are
//! both or neither. The same request again gets the kept answer. `shared/docs/idempotency.md` explains it by an example.
//!
//! Everything here is pure. `shared/api/src/idempotency.rs` has the steps of a request.

mod key;
mod request;

use jiff::{SignedDuration, Timestamp};

pub use key::{IdempotencyKey, MAX_KEY_BYTES};
pub use request::{AnswerId, BodyFingerprint, IdempotentRequest};

/// Time for which an answer is kept.
pub const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Answer of a change, as it is kept under the key of its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptAnswer {
    /// Request that was answered.
    pub request: IdempotentRequest,
    /// Status code.
    pub status: u16,
    /// Body, byte for byte.
    pub body: String,
    /// Instant of the change, by the clock of the function.
    pub at: Timestamp,
}

impl KeptAnswer {
    /// Returns the first instant at which the answer counts no more.
    pub fn expires_at(&self) -> Timestamp {
        self.at.saturating_add(KEPT).unwrap_or(Timestamp::MAX)
    }
}

/// Result of the lookup of the answer that is kept for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupResult {
    /// No answer counts: the request is a new one.
    NotFound,
    /// The request was answered before.
    Found(KeptAnswer),
    /// The key was used for a request with another body.
    OtherBody,
}

impl LookupResult {
    /// Returns the result for the answer that is stored under the request's id. The database deletes expired answers late.
    pub fn of(request: &IdempotentRequest, stored: Option<KeptAnswer>, now: Timestamp) -> Self {
        match stored {
            Some(answer) if now >= answer.expires_at() => Self::NotFound,
            Some(answer) if answer.request == *request => Self::Found(answer),
            Some(_) => Self::OtherBody,
            None => Self::NotFound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::UserId;

    fn request(body: &str) -> IdempotentRequest {
        let key = IdempotencyKey::parse("k").expect("a key");
        let body = [("email".to_owned(), body.into())];
        IdempotentRequest::new(&key, UserId::parse("7").expect("an id"), "POST", "/user", &body)
    }

    #[test]
    fn an_answer_counts_for_a_day_and_for_the_same_body() {
        let at = Timestamp::from_second(1_700_000_000).expect("an instant");
        let answer = KeptAnswer { request: request("a"), status: 200, body: "{}".to_owned(), at };
        let found = |body, seconds| {
            LookupResult::of(&request(body), Some(answer.clone()), at + SignedDuration::from_secs(seconds))
        };
        assert_eq!(found("a", 0), LookupResult::Found(answer.clone()));
        assert_eq!(found("a", 86_399), LookupResult::Found(answer.clone()));
        assert_eq!(found("b", 86_399), LookupResult::OtherBody);
        assert_eq!((found("a", 86_400), found("b", 86_400)), (LookupResult::NotFound, LookupResult::NotFound));
        assert_eq!(LookupResult::of(&request("a"), None, at), LookupResult::NotFound);
    }
}
