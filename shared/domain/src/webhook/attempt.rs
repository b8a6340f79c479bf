//! Log of the attempts to deliver events to a webhook.

use jiff::{SignedDuration, Timestamp};

use super::progress::DeliveryState;

/// Attempt to deliver an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Number of the event in its feed.
    pub number: u64,
    /// Id of the event.
    pub event_id: String,
    /// Type of the event.
    pub kind: String,
    /// Start of the attempt.
    pub at: Timestamp,
    /// Status of the receiver's answer; `None` without an answer.
    pub status: Option<u16>,
    /// Milliseconds that it took.
    pub milliseconds: u64,
    /// Reason of the failure; `None` if the event was delivered.
    pub error: Option<String>,
    /// State of the delivery after the attempt.
    pub state: DeliveryState,
}

/// Attempts at one event, oldest first. There is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery(pub Vec<Attempt>);

impl Attempt {
    /// Time for which an attempt is kept.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);
}

impl Delivery {
    /// Returns the latest attempt; `None` if there is none.
    pub fn latest(&self) -> Option<&Attempt> {
        self.0.last()
    }
}
