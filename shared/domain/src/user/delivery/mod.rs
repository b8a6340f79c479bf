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
    /// The user is no administrator of the organisation any more that a notice is about: the mail is removed.
    Cancel,
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
    pub fn change(&self) -> UserChange {
        UserChange::of_delivery(self.user.clone(), self.claimed_at).with_mail(MailEffect::Rewrite(self.message.clone()))
    }

    /// Returns the instant until which the claim keeps other mails away.
    pub fn quiet_until(&self) -> Timestamp {
        claimed_until(self.claimed_at)
    }

    /// Returns the mail after an attempt that was refused with this code: it rests, or is given up at the end of its time.
    pub fn message_after_refusal(&self, code: &str, now: Timestamp) -> OutboxMessage {
        let refused = self.message.refused(code, now);
        if refused.is_exhausted(now) { refused.given_up() } else { refused }
    }
}

impl User {
    /// Returns the next step for the mail that waits for the user, whose address may be marked.
    pub fn next_delivery_step(
        &self,
        message: &OutboxMessage,
        mark: Option<AddressMark>,
        now: Timestamp,
    ) -> DeliveryStep {
        if !message.is_due(now) {
            return DeliveryStep::Wait;
        }
        let is_told = |org_id| self.is_active_admin() && self.org_id == Some(org_id);
        if message.about.as_ref().is_some_and(|webhook| !is_told(webhook.id.org_id())) {
            return DeliveryStep::Cancel;
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

    /// Returns the claim on the mail that waits for the user. The link works for `link_life` from now on; a notice has none, and its token
    /// only tells its claim from others.
    pub fn claim_delivery(
        &self,
        message: &OutboxMessage,
        token_hash: ActivationTokenHash,
        link_life: SignedDuration,
        now: Timestamp,
    ) -> DeliveryClaim {
        let mut user = self.clone().with_pace(self.pace().claim(now));
        user.links.add(token_hash, now, if message.about.is_some() { SignedDuration::ZERO } else { link_life });
        let message = message.with_attempt(claimed_until(now), now);
        DeliveryClaim { user, message, token_hash, claimed_at: now }
    }

    /// Returns the change after the claimed mail was sent: its link replaces the older ones, and the mail is done. `None` if the
    /// user does not know the link any more: it has another address, or another password was set.
    ///
    /// `waiting` is the id of the mail that waits for the user by now. One that was asked for since is left alone.
    pub fn record_sent(&self, claim: &DeliveryClaim, waiting: Option<&str>, sent_at: Timestamp) -> Option<UserChange> {
        if !self.links.contains(claim.token_hash) {
            return None;
        }
        let pace = self.pace().sent(sent_at);
        // A later claim of another mailer ends later.
        let quiet_until =
            if self.is_last_claim(claim) { pace.quiet_until } else { self.quiet_until.max(pace.quiet_until) };
        let mut after = self.clone().with_pace(InvitationPace { quiet_until, ..pace });
        let is_notice = claim.message.about.is_some();
        if is_notice {
            after.links.was_not_sent(claim.token_hash);
        } else {
            after.links.was_sent(claim.token_hash);
        }
        let is_waiting = waiting == Some(claim.message.id.as_str());
        let mail = if is_waiting { MailEffect::Cancel } else { MailEffect::Keep };
        let change = UserChange::of_delivery(after, sent_at).with_mail(mail);
        Some(UserChange { delivery: (!is_notice).then_some(DeliveryReport::Sent), ..change })
    }

    /// Returns the change after the claimed mail was certainly not sent: its link is gone, and the mail takes the given state.
    /// `None` if the user does not know the link any more.
    ///
    /// `waiting` is the id of the mail that waits for the user by now. One that was asked for, or claimed, since is left alone.
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
mod tests;
