//! Progress of a webhook through the feed: a cursor, and the events before it that are not delivered yet.
//!
//! An event that is taken from the feed is parked until it is delivered or given up. So the stored progress is right at each moment: a
//! deliverer that dies leaves its events parked, and the next one sends them again. Of the parked events about one object, only the first
//! is sent. Between two writes of the progress more may be delivered than it says: then events are sent twice, in their order.

use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::schedule::{DISABLED_AFTER, pause_after};
use crate::error::Error;

/// Number of events of different objects that are sent to a webhook at a time.
pub const WIDTH: usize = 16;
/// Number of events that may wait for another attempt, with those about the same object behind them. With more, the cursor waits.
pub const MAX_PARKED: usize = 100;
/// Time for which a claim holds. Longer than an attempt, and the time until its outcome is written.
pub const CLAIM_TIME: SignedDuration = SignedDuration::from_secs(60);

crate::listed_enum! {
    /// State of a webhook.
    pub enum WebhookState {
        /// Nothing has failed, or all that had failed is delivered or given up.
        Enabled => "enabled",
        /// An attempt failed, and something still waits.
        Failing => "failing",
        /// Nothing is sent until the webhook is enabled again.
        Disabled => "disabled",
    }
}

/// Progress of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of the last event that was taken from the feed.
    pub cursor: u64,
    /// Events that were taken and are neither delivered nor given up, in the order of their numbers.
    parked: Vec<Parked>,
    /// Claim of the deliverer that sends now.
    claim: Option<Claim>,
    /// Instant at which a deliverer should look at the feed, whatever waits: one ran out of time, or the webhook was changed.
    #[serde(with = "milliseconds")]
    resume_at: Option<Timestamp>,
    /// First failed attempt since nothing waited.
    #[serde(with = "milliseconds")]
    pub failing_since: Option<Timestamp>,
    /// First failed attempt since the last delivery.
    #[serde(with = "milliseconds")]
    nothing_taken_since: Option<Timestamp>,
    /// Instant at which the webhook was disabled.
    #[serde(with = "milliseconds")]
    disabled_at: Option<Timestamp>,
}

/// Claim of a deliverer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    #[serde(with = "milliseconds::required")]
    until: Timestamp,
    /// Number that the deliverer drew. It tells two deliverers apart that claim at the same millisecond.
    by: u64,
}

/// Event that waits for a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Parked {
    number: u64,
    object: String,
    /// Number of attempts that failed.
    attempts: u32,
    #[serde(with = "milliseconds::required")]
    due_at: Timestamp,
    /// True while it is sent. The table does not know that.
    #[serde(skip)]
    is_in_flight: bool,
}

/// Outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The endpoint took the event.
    Delivered,
    /// The endpoint did not take it, or did not answer.
    Failed {
        /// Pause that the endpoint asked for.
        retry_after: Option<SignedDuration>,
    },
    /// The endpoint is gone for ever.
    Gone,
}

crate::listed_enum! {
    /// State of an event at a webhook.
    pub enum DeliveryState {
        /// The endpoint took it.
        Delivered => "delivered",
        /// It will be tried again.
        Waiting => "waiting",
        /// It will not be tried again.
        GivenUp => "given_up",
    }
}

impl Progress {
    /// Returns the progress of a webhook that begins after the event of this number.
    #[must_use]
    pub fn starting_after(number: u64, now: Timestamp) -> Self {
        Self { cursor: number, resume_at: Some(now), ..Self::default() }
    }

    /// Returns the state.
    pub fn state(&self) -> WebhookState {
        match (self.disabled_at, self.failing_since) {
            (Some(_), _) => WebhookState::Disabled,
            (None, Some(_)) => WebhookState::Failing,
            (None, None) => WebhookState::Enabled,
        }
    }

    /// Returns the progress from which all after the event of this number is sent again. What waits before it still waits. A claim ends.
    ///
    /// # Errors
    /// If the number is later than the cursor: events would be skipped.
    pub fn replayed_from(&self, number: u64, now: Timestamp) -> Result<Self, Error> {
        if number > self.cursor {
            return Err(Error::invalid_field("after", "is later than the cursor of the webhook"));
        }
        let mut replayed = self.clone().interrupted(now);
        replayed.cursor = number;
        replayed.parked.retain(|parked| parked.number <= number);
        replayed.end_failing();
        Ok(replayed)
    }

    /// True if the webhook was changed, and no deliverer has looked since.
    pub fn is_interrupted(&self) -> bool {
        self.resume_at.is_some()
    }

    /// Returns the progress after the webhook was enabled: it goes on where it stopped. What waits is due at once.
    #[must_use]
    pub fn enabled(mut self, now: Timestamp) -> Self {
        if self.disabled_at.take().is_some() {
            (self.failing_since, self.nothing_taken_since) = (None, None);
            self.parked.iter_mut().for_each(|parked| parked.due_at = now);
            self.resume_at = Some(now);
        }
        self
    }

    /// Returns the progress after the webhook was disabled.
    #[must_use]
    pub fn disabled(mut self, now: Timestamp) -> Self {
        self.disable(now);
        self
    }

    /// Returns the progress after another change of the webhook. A claim ends, so that the next one sends as the webhook is now.
    #[must_use]
    pub fn interrupted(mut self, now: Timestamp) -> Self {
        self.claim = None;
        self.resume_at = Some(now);
        self
    }

    /// Returns the instant at which a deliverer should look at the webhook without an event of the feed; `None` if there is none.
    pub fn due_at(&self) -> Option<Timestamp> {
        if self.disabled_at.is_some() {
            return None;
        }
        if let Some(claim) = self.claim {
            return Some(claim.until);
        }
        self.first_of_each_object().map(|parked| parked.due_at).chain(self.resume_at).min()
    }

    /// True if a deliverer may claim the webhook now.
    pub fn is_free(&self, now: Timestamp) -> bool {
        self.disabled_at.is_none() && self.claim.is_none_or(|claim| claim.until <= now)
    }

    /// Returns the progress while a deliverer sends, which drew the number `by`. It renews its claim with each write.
    #[must_use]
    pub fn claimed(mut self, by: u64, now: Timestamp) -> Self {
        self.claim = self.disabled_at.is_none().then(|| Claim { until: now + CLAIM_TIME, by });
        self.resume_at = None;
        self
    }

    /// Returns the progress after the deliverer's run. `resume_at` is set if more is to be sent at once.
    #[must_use]
    pub fn released(mut self, resume_at: Option<Timestamp>) -> Self {
        self.claim = None;
        self.resume_at = resume_at;
        self
    }

    /// True if another event may be in flight.
    pub fn can_start(&self) -> bool {
        self.disabled_at.is_none() && self.in_flight() < WIDTH
    }

    /// True if the next event of the feed may be taken.
    pub fn has_room(&self) -> bool {
        let waiting = self.parked.iter().filter(|parked| !parked.is_in_flight).count();
        self.disabled_at.is_none() && waiting < MAX_PARKED
    }

    /// Takes the next event of the feed. One that the webhook does not want has no `object`, and only moves the cursor.
    pub fn take(&mut self, number: u64, object: Option<&str>, now: Timestamp) {
        debug_assert!(number > self.cursor, "the feed is read in order");
        self.cursor = number;
        if let Some(object) = object {
            let object = object.to_owned();
            self.parked.push(Parked { number, object, attempts: 0, due_at: now, is_in_flight: false });
        }
    }

    /// Starts an attempt, and returns the number of its event: the first that is due and has no other one about the same object before it.
    /// `None` if nothing is to be sent now.
    pub fn start_next(&mut self, now: Timestamp) -> Option<u64> {
        if !self.can_start() {
            return None;
        }
        let is_next = |parked: &&Parked| !parked.is_in_flight && parked.due_at <= now;
        let number = self.first_of_each_object().find(is_next)?.number;
        self.find(number)?.is_in_flight = true;
        Some(number)
    }

    /// Number of events that are sent now.
    pub fn in_flight(&self) -> usize {
        self.parked.iter().filter(|parked| parked.is_in_flight).count()
    }

    /// Number of failed attempts at an event that waits.
    pub fn attempts(&self, number: u64) -> u32 {
        self.parked.iter().find(|parked| parked.number == number).map_or(0, |parked| parked.attempts)
    }

    /// Records the outcome of an attempt at an event, and returns the state of the event.
    pub fn record(&mut self, number: u64, outcome: Outcome, now: Timestamp) -> DeliveryState {
        let state = match outcome {
            Outcome::Delivered => {
                self.nothing_taken_since = None;
                DeliveryState::Delivered
            }
            Outcome::Failed { retry_after } => self.record_failure(number, retry_after, now),
            Outcome::Gone => {
                // Not an attempt of the schedule: once the webhook is enabled again, the event is tried as before.
                let _ = self.find(number).map(|parked| (parked.is_in_flight, parked.due_at) = (false, now));
                self.failing_since.get_or_insert(now);
                self.disable(now);
                DeliveryState::Waiting
            }
        };
        if state != DeliveryState::Waiting {
            self.remove(number);
        }
        state
    }

    /// Gives an event up that the feed no longer has.
    pub fn remove(&mut self, number: u64) {
        self.parked.retain(|parked| parked.number != number);
        self.end_failing();
    }

    /// Forgets the first failure if nothing waits any more. Events that are sent for the first time do not count as waiting.
    fn end_failing(&mut self) {
        if self.parked.iter().all(|parked| parked.attempts == 0) && self.disabled_at.is_none() {
            self.failing_since = None;
        }
    }

    fn record_failure(&mut self, number: u64, retry_after: Option<SignedDuration>, now: Timestamp) -> DeliveryState {
        self.failing_since.get_or_insert(now);
        if now.duration_since(*self.nothing_taken_since.get_or_insert(now)) >= DISABLED_AFTER {
            self.disable(now);
        }
        let Some(parked) = self.find(number) else { return DeliveryState::Waiting };
        parked.attempts += 1;
        parked.is_in_flight = false;
        match pause_after(parked.attempts, retry_after) {
            Some(pause) => {
                parked.due_at = now + pause;
                DeliveryState::Waiting
            }
            None => DeliveryState::GivenUp,
        }
    }

    fn disable(&mut self, now: Timestamp) {
        self.disabled_at.get_or_insert(now);
        (self.claim, self.resume_at) = (None, None);
    }

    fn first_of_each_object(&self) -> impl Iterator<Item = &Parked> {
        let mut objects = HashSet::new();
        self.parked.iter().filter(move |parked| objects.insert(parked.object.as_str()))
    }

    fn find(&mut self, number: u64) -> Option<&mut Parked> {
        self.parked.iter_mut().find(|parked| parked.number == number)
    }
}

/// Instants in milliseconds since 1970, as the table has them.
mod milliseconds {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
    pub(super) fn serialize<S: Serializer>(instant: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
        instant.map(Timestamp::as_millisecond).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
        let instant = Option::<i64>::deserialize(deserializer)?;
        instant.map(Timestamp::from_millisecond).transpose().map_err(serde::de::Error::custom)
    }

    pub(super) mod required {
        use jiff::Timestamp;
        use serde::{Deserialize as _, Deserializer, Serializer};

        pub(in super::super) fn serialize<S: Serializer>(
            instant: &Timestamp,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            serializer.serialize_i64(instant.as_millisecond())
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
            Timestamp::from_millisecond(i64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests;
