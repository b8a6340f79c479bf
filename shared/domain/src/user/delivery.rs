//! Delivery of the mail that waits for a user: the next step, the claim, and the outcome.
//!
//! A mailer claims the mail before it sends it. From then on nobody else sends one to the user until the claim ends. The claim
//! adds the link to the user, since nobody knows for certain when, or if, a mail arrives.

use jiff::{SignedDuration, Timestamp};

use super::{DeliveryReport, MailEffect, User, UserChange};
use crate::invitation::{ActivationTokenHash, AddressMark, InvitationPace, OutboxMessage, claimed_until};

/// Next step for the mail that waits for a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryStep {
    /// The mail is not due, or was given up: nothing is done.
    Wait,
    /// The window of the last mail is open until this instant: the mail waits for its end, which is no attempt.
    Postpone(Timestamp),
    /// The mail was tried for long enough.
    GiveUp,
    /// The address is marked: no mail is sent to it.
    GiveUpMarked(AddressMark),
    /// The mail is claimed and sent.
    Claim,
}

/// Mail that nobody else sends now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryClaim {
    /// User with the new link and the pace of the claim.
    pub user: User,
    /// Mail with one more attempt, due again when the claim ends.
    pub message: OutboxMessage,
    /// Digest of the token in the new link. It tells this claim from every other.
    pub token_hash: ActivationTokenHash,
    /// Instant of the claim.
    pub claimed_at: Timestamp,
}

impl DeliveryClaim {
    /// Returns the change that writes the claim.
    #[must_use]
    pub fn change(&self) -> UserChange {
        UserChange::of_delivery(self.user.clone(), self.claimed_at).with_mail(MailEffect::Rewrite(self.message.clone()))
    }

    /// Returns the instant until which the claim keeps other mails away.
    #[must_use]
    pub fn quiet_until(&self) -> Timestamp {
        claimed_until(self.claimed_at)
    }

    /// Returns the mail after an attempt that was refused with this code: it rests, or is given up at the end of its time.
    #[must_use]
    pub fn message_after_refusal(&self, code: &str, now: Timestamp) -> OutboxMessage {
        let refused = self.message.refused(code, now);
        if refused.is_exhausted(now) { refused.given_up() } else { refused }
    }
}

impl User {
    /// Returns the next step for the mail that waits for the user, whose address may be marked.
    #[must_use]
    pub fn next_delivery_step(
        &self,
        message: &OutboxMessage,
        mark: Option<AddressMark>,
        now: Timestamp,
    ) -> DeliveryStep {
        if !message.is_due(now) {
            return DeliveryStep::Wait;
        }
        if let Some(mark) = mark {
            return DeliveryStep::GiveUpMarked(mark);
        }
        match self.pace().quiet_at(now) {
            Some(quiet_until) => DeliveryStep::Postpone(quiet_until),
            None if message.is_exhausted(now) => DeliveryStep::GiveUp,
            None => DeliveryStep::Claim,
        }
    }

    /// Returns the claim on the mail that waits for the user. The link works for `link_life` from now on.
    #[must_use]
    pub fn claim_delivery(
        &self,
        message: &OutboxMessage,
        token_hash: ActivationTokenHash,
        link_life: SignedDuration,
        now: Timestamp,
    ) -> DeliveryClaim {
        let mut user = self.clone().with_pace(self.pace().claim(now));
        user.links.add(token_hash, now, link_life);
        let message = message.with_attempt(claimed_until(now), now);
        DeliveryClaim { user, message, token_hash, claimed_at: now }
    }

    /// Returns the change after the claimed mail was sent: its link replaces the older ones, and the mail is done. `None` if the
    /// user does not know the link any more: it has another address, or another password was set.
    ///
    /// `waiting` is the id of the mail that waits for the user by now. One that was asked for since is left alone.
    #[must_use]
    pub fn record_sent(&self, claim: &DeliveryClaim, waiting: Option<&str>, sent_at: Timestamp) -> Option<UserChange> {
        if !self.links.contains(claim.token_hash) {
            return None;
        }
        let pace = self.pace().sent(sent_at);
        // A later claim of another mailer ends later.
        let quiet_until =
            if self.is_last_claim(claim) { pace.quiet_until } else { self.quiet_until.max(pace.quiet_until) };
        let mut after = self.clone().with_pace(InvitationPace { quiet_until, ..pace });
        after.links.was_sent(claim.token_hash);
        let is_waiting = waiting == Some(claim.message.id.as_str());
        let mail = if is_waiting { MailEffect::Cancel } else { MailEffect::Keep };
        let change = UserChange::of_delivery(after, sent_at).with_mail(mail);
        Some(UserChange { delivery: Some(DeliveryReport::Sent), ..change })
    }

    /// Returns the change after the claimed mail was certainly not sent: its link is gone, and the mail takes the given state.
    /// `None` if the user does not know the link any more.
    ///
    /// `waiting` is the id of the mail that waits for the user by now. One that was asked for, or claimed, since is left alone.
    #[must_use]
    pub fn record_not_sent(
        &self,
        claim: &DeliveryClaim,
        waiting: Option<&str>,
        message: &OutboxMessage,
        now: Timestamp,
    ) -> Option<UserChange> {
        if !self.links.contains(claim.token_hash) {
            return None;
        }
        let is_last = self.is_last_claim(claim);
        let mut after = self.clone();
        after.links.was_not_sent(claim.token_hash);
        if is_last {
            after = after.with_pace(self.pace().not_sent());
        }
        let is_waiting = waiting == Some(claim.message.id.as_str());
        Some(if is_waiting && is_last {
            UserChange::of_mail(after, message.clone(), now)
        } else {
            UserChange::of_delivery(after, now)
        })
    }

    /// True if nobody claimed a mail of this user after that claim.
    fn is_last_claim(&self, claim: &DeliveryClaim) -> bool {
        // Stored instants have milliseconds, those of the clock have nanoseconds: a user that was read again must still be equal.
        let [stored, claimed] = [self.quiet_until, claim.user.quiet_until];
        stored.map(Timestamp::as_millisecond) == claimed.map(Timestamp::as_millisecond)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::super::fixture::{at, link_statuses, user, with_links};
    use super::*;
    use crate::invitation::{ActivationToken, LinkStatus, MarkReason, MessageState, WINDOW};

    const LINK_LIFE: SignedDuration = SignedDuration::from_hours(72);

    fn message() -> OutboxMessage {
        OutboxMessage::new("MAIL#1".to_owned(), user(Status::Invited).id, at(0), at(0))
    }

    fn claim(before: &User, now: i64) -> DeliveryClaim {
        before.claim_delivery(&message(), ActivationToken::generate().hash(), LINK_LIFE, at(now))
    }

    #[test]
    fn the_next_step_follows_from_mail_and_pace() {
        let due = message();
        let tried = due.with_attempt(at(320), at(0));
        let given_up = tried.given_up();
        let day = 24 * 3600;
        for (case, message, quiet_until, now, expected) in [
            ("due", &due, None, 0, DeliveryStep::Claim),
            ("not due", &due, None, -1, DeliveryStep::Wait),
            ("given up", &given_up, None, day, DeliveryStep::Wait),
            ("a mail was sent just now", &due, Some(300), 299, DeliveryStep::Postpone(at(300))),
            ("the window is over", &due, Some(300), 300, DeliveryStep::Claim),
            ("never tried, however old", &due, None, 2 * day, DeliveryStep::Claim),
            ("tried for a day", &tried, None, day, DeliveryStep::GiveUp),
            (
                "tried for a day, and may have been sent",
                &tried,
                Some(day + 9),
                day,
                DeliveryStep::Postpone(at(day + 9)),
            ),
            ("tried for less than a day", &tried, None, day - 1, DeliveryStep::Claim),
        ] {
            let user = User { quiet_until: quiet_until.map(at), ..user(Status::Invited) };
            assert_eq!(user.next_delivery_step(message, None, at(now)), expected, "{case}");
            let mark = AddressMark { reason: MarkReason::Bounced, at: at(0) };
            let marked = if expected == DeliveryStep::Wait { expected } else { DeliveryStep::GiveUpMarked(mark) };
            assert_eq!(user.next_delivery_step(message, Some(mark), at(now)), marked, "{case}, marked");
        }
    }

    #[test]
    fn a_claim_adds_the_link_and_keeps_other_mails_away() {
        for status in Status::ALL {
            let (before, older) = with_links(User { invited_at: Some(at(0)), ..user(status) }, 1);
            let claim = claim(&before, 10);
            let after = claim.change().after.expect("a user");
            assert_eq!(claim.change().mail, MailEffect::Rewrite(claim.message.clone()));
            assert_eq!((claim.message.attempts, claim.message.due_at), (1, claim.quiet_until()));
            assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), Some(at(10 + 20 + 300))), "{status:?}");
            assert_eq!(link_statuses(&after, &[older[0], claim.token_hash]), [LinkStatus::Open, LinkStatus::Open]);
            assert_eq!((after.status, &after.password), (status, &before.password));
        }
    }

    #[test]
    fn a_mail_that_was_sent_is_done_and_replaces_the_older_links() {
        for status in Status::ALL {
            let (before, older) = with_links(User { invited_at: Some(at(0)), ..user(status) }, 1);
            let claim = claim(&before, 10);
            for (waiting, mail) in
                [(Some("MAIL#1"), MailEffect::Cancel), (Some("MAIL#2"), MailEffect::Keep), (None, MailEffect::Keep)]
            {
                let change = claim.user.record_sent(&claim, waiting, at(12)).expect("a change");
                assert_eq!(change.mail, mail, "{status:?} {waiting:?}");
                assert_eq!(change.delivery, Some(DeliveryReport::Sent), "{status:?} {waiting:?}");
                let after = change.after.expect("a user");
                assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), Some(at(12) + WINDOW)));
                let expected = [LinkStatus::Replaced, LinkStatus::Open];
                assert_eq!(link_statuses(&after, &[older[0], claim.token_hash]), expected);
            }
        }
    }

    #[test]
    fn a_mail_that_was_not_sent_leaves_no_link_and_no_window() {
        for status in Status::ALL {
            let (before, older) = with_links(User { invited_at: Some(at(0)), ..user(status) }, 1);
            let claim = claim(&before, 10);
            let message = claim.message_after_refusal("MessageRejected", at(12));
            assert_eq!((message.state, message.due_at), (MessageState::Pending, at(12 + 15)));
            for (waiting, mail) in [
                (Some("MAIL#1"), MailEffect::Rewrite(message.clone())),
                (Some("MAIL#2"), MailEffect::Keep),
                (None, MailEffect::Keep),
            ] {
                let change = claim.user.record_not_sent(&claim, waiting, &message, at(12)).expect("a change");
                assert_eq!(change.mail, mail, "{status:?} {waiting:?}");
                let after = change.after.expect("a user");
                assert_eq!((after.invited_at, after.quiet_until), (Some(at(0)), None));
                let expected = [LinkStatus::Open, LinkStatus::Unknown];
                assert_eq!(link_statuses(&after, &[older[0], claim.token_hash]), expected);
            }
        }
    }

    #[test]
    fn a_claim_is_the_last_one_after_the_user_was_stored_in_milliseconds() {
        let now = at(10) + SignedDuration::from_nanos(123_456_789);
        let before = User { invited_at: Some(at(0)), ..user(Status::Invited) };
        let claim = before.claim_delivery(&message(), ActivationToken::generate().hash(), LINK_LIFE, now);
        let to_stored = |instant: Timestamp| Timestamp::from_millisecond(instant.as_millisecond()).expect("an instant");
        let stored = User { quiet_until: claim.user.quiet_until.map(to_stored), ..claim.user.clone() };
        let refused = claim.message_after_refusal("MessageRejected", at(12));
        let change = stored.record_not_sent(&claim, Some("MAIL#1"), &refused, at(12)).expect("a change");
        assert_eq!(change.mail, MailEffect::Rewrite(refused));
        assert_eq!(change.after.expect("a user").quiet_until, None);
    }

    #[test]
    fn a_later_claim_of_another_mailer_ends_later() {
        let first = claim(&user(Status::Invited), 0);
        let second = claim(&first.user, 400);
        let sent = second.user.record_sent(&first, Some("MAIL#1"), at(410)).expect("a change");
        assert_eq!(sent.mail, MailEffect::Cancel, "the mail was sent: it is done");
        assert_eq!(sent.after.map(|after| after.quiet_until), Some(Some(second.quiet_until())));
        let refused = second.user.record_not_sent(&first, Some("MAIL#1"), &first.message, at(410)).expect("a change");
        assert_eq!(refused.mail, MailEffect::Keep, "the other mailer decides on it");
        assert_eq!(refused.after.map(|after| after.quiet_until), Some(Some(second.quiet_until())));
    }

    #[test]
    fn only_a_mail_that_was_given_up_is_reported_among_those_that_were_not_sent() {
        let before = user(Status::Invited);
        let claim = claim(&before, 10);
        let (refused, failed) = (claim.message_after_refusal("MessageRejected", at(12)), claim.message.given_up());
        for (message, waiting, report) in [
            (&refused, Some("MAIL#1"), None),
            (&failed, Some("MAIL#1"), Some(DeliveryReport::GivenUp)),
            (&failed, Some("MAIL#2"), None),
        ] {
            let change = claim.user.record_not_sent(&claim, waiting, message, at(12)).expect("a change");
            assert_eq!(change.delivery, report, "{:?} {waiting:?}", message.state);
        }
        assert_eq!(claim.change().delivery, None);
        assert_eq!(
            DeliveryReport::ALL.map(|report| DeliveryReport::parse(report.as_str())),
            DeliveryReport::ALL.map(Some)
        );
    }

    #[test]
    fn a_user_that_does_not_know_the_link_any_more_is_left_alone() {
        let before = user(Status::Invited);
        let claim = claim(&before, 10);
        assert_eq!(before.record_sent(&claim, Some("MAIL#1"), at(12)), None);
        assert_eq!(before.record_not_sent(&claim, Some("MAIL#1"), &claim.message, at(12)), None);
    }

    #[test]
    fn a_refused_mail_is_given_up_after_a_day() {
        let claim = claim(&user(Status::Invited), 0);
        let day = 24 * 3600;
        assert_eq!(claim.message_after_refusal("MessageRejected", at(day - 1)).state, MessageState::Pending);
        assert_eq!(claim.message_after_refusal("MessageRejected", at(day)).state, MessageState::Failed);
    }
}
