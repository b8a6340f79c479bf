//! Messages of the outbox: invitations and notices that were accepted for sending, and wait for the mailer.

use jiff::{SignedDuration, Timestamp};

use super::{MAX_AGE, pause_after};
use crate::ids::UserId;
use crate::webhook_id::WebhookId;

crate::listed_enum! {
    /// State of a message.
    pub enum MessageState {
        /// The message waits to be sent.
        Pending => "pending",
        /// The message was given up. An operator may retry it.
        Failed => "failed",
        /// The message waited when the tables were restored. It may have been sent since: an operator releases or cancels it.
        Held => "held",
    }
}

/// Webhook that was disabled, as the notice of it names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledWebhook {
    /// Id, which names the organisation.
    pub id: WebhookId,
    /// Host of its address: the rest of an address may be a secret.
    pub host: String,
    /// Name for people.
    pub label: Option<String>,
}

/// Notice that a webhook was disabled, before its mails are in the outbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookNotice {
    /// Id, which orders notices by time.
    pub id: String,
    /// Webhook.
    pub webhook: DisabledWebhook,
    /// Instant at which it was disabled.
    pub created_at: Timestamp,
    /// Administrators whose mail was put into the outbox.
    pub told: Vec<UserId>,
}

/// Message to be sent. It names users by id only: address, token and names are decided when it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutboxMessage {
    /// Id, which orders the messages of a user by time.
    pub id: String,
    /// User that it is sent to.
    pub user_id: UserId,
    /// Webhook that a notice is about; `None` for an invitation.
    pub about: Option<DisabledWebhook>,
    /// User who invites; `None` if an operator does.
    pub invited_by: Option<UserId>,
    /// State.
    pub state: MessageState,
    /// Instant at which it was accepted.
    pub created_at: Timestamp,
    /// Instant at which it may be sent, or sent again if the outcome of an attempt is not known.
    pub due_at: Timestamp,
    /// Instant at which it is given up.
    pub give_up_at: Timestamp,
    /// Number of attempts.
    pub attempts: u32,
    /// Code of the last refusal: that of SES, or of a marked address.
    pub last_refusal: Option<String>,
}

impl OutboxMessage {
    /// Returns a new message. Its time begins when it is due.
    pub fn new(id: String, user_id: UserId, now: Timestamp, due_at: Timestamp) -> Self {
        let give_up_at = due_at + MAX_AGE;
        let state = MessageState::Pending;
        Self {
            id,
            user_id,
            about: None,
            invited_by: None,
            state,
            created_at: now,
            due_at,
            give_up_at,
            attempts: 0,
            last_refusal: None,
        }
    }

    /// Returns the message with the user who invites. Nobody invites themselves.
    #[must_use]
    pub fn invited_by(self, caller: Option<UserId>) -> Self {
        Self { invited_by: caller.filter(|id| *id != self.user_id), ..self }
    }

    /// Returns the notice about a webhook. It is due at once.
    pub fn notice(id: String, user_id: UserId, about: DisabledWebhook, now: Timestamp) -> Self {
        Self { about: Some(about), ..Self::new(id, user_id, now, now) }
    }

    /// True if it is to be sent now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.state == MessageState::Pending && self.due_at <= now
    }

    /// True if an operator may have it tried from the beginning: it was given up, is held, or waits after a refusal.
    pub fn may_be_retried(&self) -> bool {
        self.state != MessageState::Pending || self.last_refusal.is_some()
    }

    /// Returns the time since it could first have been sent.
    pub fn overdue(&self, now: Timestamp) -> SignedDuration {
        now.duration_since(self.give_up_at - MAX_AGE).max(SignedDuration::ZERO)
    }

    /// True if it was tried for long enough. A message that was never tried is tried, however long it waited.
    pub fn is_exhausted(&self, now: Timestamp) -> bool {
        self.attempts > 0 && self.give_up_at <= now
    }

    /// Returns the message with one more attempt. If nobody learns the outcome, it is due when the claim of the attempt ends,
    /// and later after many attempts.
    #[must_use]
    pub fn with_attempt(&self, claimed_until: Timestamp, now: Timestamp) -> Self {
        let attempts = self.attempts.saturating_add(1);
        Self { attempts, ..self.rescheduled(claimed_until.max(now + pause_after(attempts))) }
    }

    /// Returns the message after its attempt was refused with this code: it rests, but not beyond the end of its time.
    #[must_use]
    pub fn refused(&self, code: &str, now: Timestamp) -> Self {
        let rested_at = now + pause_after(self.attempts);
        let last_refusal = Some(code.to_owned());
        Self { last_refusal, ..self.rescheduled(rested_at.min(self.give_up_at.max(now))) }
    }

    /// Returns the message while it waits for the end of a window, which is no attempt. The time of a message that was never
    /// tried begins then: it could not have been sent before.
    #[must_use]
    pub fn postponed(&self, until: Timestamp) -> Self {
        let give_up_at = if self.attempts == 0 { until + MAX_AGE } else { self.give_up_at };
        Self { give_up_at, ..self.rescheduled(until) }
    }

    /// Returns the message after it was given up.
    #[must_use]
    pub fn given_up(&self) -> Self {
        Self { state: MessageState::Failed, ..self.clone() }
    }

    /// Returns the message after it was given up for the reason of this code.
    #[must_use]
    pub fn given_up_for(&self, code: &str) -> Self {
        Self { last_refusal: Some(code.to_owned()), ..self.given_up() }
    }

    /// Returns the message after a restore of the tables: nobody sends it before an operator releases it.
    #[must_use]
    pub fn held(&self) -> Self {
        Self { state: MessageState::Held, ..self.clone() }
    }

    /// Returns the message as it is tried from the beginning.
    #[must_use]
    pub fn retried(&self, now: Timestamp) -> Self {
        let give_up_at = now + MAX_AGE;
        Self { state: MessageState::Pending, attempts: 0, give_up_at, last_refusal: None, ..self.rescheduled(now) }
    }

    fn rescheduled(&self, due_at: Timestamp) -> Self {
        Self { due_at, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 3600;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + second).expect("a valid instant")
    }

    fn message() -> OutboxMessage {
        OutboxMessage::new("MAIL#1".to_owned(), UserId::parse("7").expect("a valid id"), at(0), at(10))
    }

    #[test]
    fn a_new_message_is_given_up_a_day_after_it_is_due() {
        let new = message();
        assert_eq!((new.due_at, new.give_up_at, new.attempts), (at(10), at(10 + DAY), 0));
        assert!(!new.is_due(at(9)) && new.is_due(at(10)));
        assert_eq!(new.overdue(at(0)), SignedDuration::ZERO);
        assert_eq!(new.overdue(at(25)), SignedDuration::from_secs(15));
        assert!(!new.is_exhausted(at(9 * DAY)), "it was never tried");
    }

    #[test]
    fn a_message_names_who_invites_unless_that_is_the_invited_person() {
        let other = UserId::parse("8");
        assert_eq!(message().invited_by(other).invited_by, other);
        assert_eq!(message().invited_by(other).with_attempt(at(330), at(10)).retried(at(50)).invited_by, other);
        assert_eq!(message().invited_by(Some(message().user_id)).invited_by, None);
        assert_eq!(message().invited_by(None).invited_by, None);
    }

    #[test]
    fn an_attempt_lasts_as_long_as_its_claim_and_longer_after_many() {
        let first = message().with_attempt(at(330), at(10));
        assert_eq!((first.attempts, first.due_at), (1, at(330)));
        let tenth = OutboxMessage { attempts: 9, ..message() }.with_attempt(at(330), at(10));
        assert_eq!((tenth.attempts, tenth.due_at), (10, at(10 + 3_600)));
    }

    #[test]
    fn a_refused_message_rests_but_not_beyond_its_end() {
        let tried = message().with_attempt(at(330), at(10));
        let refused = |now| tried.refused("TooManyRequestsException", at(now));
        assert_eq!(refused(20).due_at, at(35));
        assert_eq!(refused(20).last_refusal.as_deref(), Some("TooManyRequestsException"));
        assert_eq!(refused(DAY).due_at, at(DAY + 10), "the end of its time");
        assert_eq!(refused(2 * DAY).due_at, at(2 * DAY), "its time is over");
        assert!(refused(20).may_be_retried() && !tried.may_be_retried(), "the outcome of an attempt is not known yet");
        assert_eq!(refused(20).retried(at(25)).due_at, at(25));
        assert!(!refused(20).retried(at(25)).may_be_retried() && message().held().may_be_retried());
    }

    #[test]
    fn a_postponed_message_that_was_never_tried_begins_anew() {
        let new = message().postponed(at(300));
        assert_eq!((new.due_at, new.give_up_at, new.attempts), (at(300), at(300 + DAY), 0));
        let tried = message().with_attempt(at(330), at(10)).postponed(at(400));
        assert_eq!((tried.due_at, tried.give_up_at, tried.attempts), (at(400), at(10 + DAY), 1));
    }

    #[test]
    fn a_message_that_was_given_up_waits_for_an_operator() {
        let given_up = message().with_attempt(at(330), at(10)).given_up_for("BadRequestException");
        assert!(!given_up.is_due(at(DAY)));
        assert_eq!(given_up.last_refusal.as_deref(), Some("BadRequestException"));
        let retried = given_up.retried(at(50));
        let expected = OutboxMessage { due_at: at(50), give_up_at: at(50 + DAY), ..message() };
        assert_eq!(retried, expected);
    }

    #[test]
    fn a_held_message_is_not_sent_before_it_is_released() {
        let held = message().held();
        assert!(!held.is_due(at(9 * DAY)));
        assert_eq!(held.retried(at(50)), message().given_up().retried(at(50)));
    }
}
