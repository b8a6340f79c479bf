//! Changes that people and connectors make to a review here.

use jiff::Timestamp;

use super::{OutcomeReason, Reply, ReplyAction, ReplyOutcome, ReplyState, ReplyStatus, ReplyText};
use crate::error::Error;
use crate::ids::UserId;
use crate::review::{Review, ReviewState};

/// Error of a change that a deleted review does not take.
const IS_DELETED: &str = "the review is deleted";

/// Outcome of a request, as a connector reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeReport {
    /// Version of the reply that the message of the request had.
    pub version: u64,
    /// Outcome.
    pub outcome: ReplyOutcome,
    /// Reason, if the partner gave one.
    pub reason: Option<OutcomeReason>,
}

impl Review {
    /// Sets the state. Returns `None` for the present state, and an error for a deleted review.
    pub fn set_state(&self, state: ReviewState, at: Timestamp) -> Result<Option<Self>, Error> {
        if self.state == ReviewState::Deleted {
            return Err(Error::invalid_field("state", IS_DELETED));
        }
        Ok((self.state != state).then(|| Self { state, ..self.changed_here(at) }))
    }

    /// Creates or replaces the reply, and sets the state to treated. Returns an error for a deleted review.
    pub fn reply_with(&self, text: ReplyText, by: UserId, at: Timestamp) -> Result<Self, Error> {
        if self.state == ReviewState::Deleted {
            return Err(Error::invalid_field("content", IS_DELETED));
        }
        let partner_has = self.known_at_partner().map(str::to_owned);
        let reply = self.request(ReplyAction::Publish, partner_has, by, at);
        let changed = Self { state: ReviewState::Treated, reply_comment: Some(text.0), ..self.changed_here(at) };
        Ok(Self { reply: Some(reply), ..changed })
    }

    /// Takes the reply back: asks the partner to remove what it has. A reply of which the partner has nothing is gone at once.
    ///
    /// Returns `None` if the removal is on its way already, and [`Error::NotFound`] without a reply.
    pub fn remove_reply(&self, by: UserId, at: Timestamp) -> Result<Option<Self>, Error> {
        let shown = self.shown_reply().ok_or(Error::NotFound)?;
        let reply = match shown.request {
            _ if shown.state == ReplyState::Removing => return Ok(None),
            // It rejected the first one.
            Some(reply) if self.reply_comment.is_none() => Reply { status: ReplyStatus::Ended, ..reply.clone() },
            // A pending text counts as handed on: the partner gets it before the removal.
            _ => {
                let partner_has = self.known_at_partner().or(self.reply_comment.as_deref());
                self.request(ReplyAction::Remove, partner_has.map(str::to_owned), by, at)
            }
        };
        Ok(Some(Self { reply_comment: None, reply: Some(reply), ..self.changed_here(at) }))
    }

    /// Records the outcome of a request. Returns `None` for an older request, and for one that has its outcome.
    pub fn record_outcome(&self, report: OutcomeReport, at: Timestamp) -> Result<Option<Self>, Error> {
        let latest = self.reply.as_ref().map_or(0, |reply| reply.version);
        if report.version > latest {
            return Err(Error::invalid_field("version", "is later than that of the latest request"));
        }
        let Some(reply) = self.reply.as_ref().filter(|reply| reply.version == report.version) else { return Ok(None) };
        match (report.outcome, reply.action) {
            (ReplyOutcome::Published, ReplyAction::Remove) => {
                return Err(Error::invalid_field("outcome", "cannot be \"published\": the request is a removal"));
            }
            (ReplyOutcome::Removed, ReplyAction::Publish) => {
                return Err(Error::invalid_field("outcome", "cannot be \"removed\": the request is no removal"));
            }
            _ => {}
        }
        let ReplyStatus::OnItsWay { partner_has } = &reply.status else { return Ok(None) };
        let (status, reply_comment) = match (report.outcome, self.reply_comment.clone()) {
            (ReplyOutcome::Published, text) => (ReplyStatus::Published, text),
            (ReplyOutcome::Removed, _) => (ReplyStatus::Ended, None),
            (ReplyOutcome::Rejected, Some(content)) => (ReplyStatus::Rejected { content }, partner_has.clone()),
            // The removal is refused: the partner still has its text.
            (ReplyOutcome::Rejected, None) => (ReplyStatus::Published, partner_has.clone()),
        };
        let reason = report.reason.map(|reason| reason.0);
        let reply = Reply { status, reason, settled_at: Some(at.as_second()), ..reply.clone() };
        Ok(Some(Self { reply_comment, reply: Some(reply), ..self.changed_here(at) }))
    }

    /// Returns the text that the partner has, as far as it is known.
    pub fn known_at_partner(&self) -> Option<&str> {
        match self.reply.as_ref().map(|reply| &reply.status) {
            Some(ReplyStatus::OnItsWay { partner_has }) => partner_has.as_deref(),
            _ => self.reply_comment.as_deref(),
        }
    }

    fn request(&self, action: ReplyAction, partner_has: Option<String>, by: UserId, at: Timestamp) -> Reply {
        Reply {
            version: self.reply.as_ref().map_or(1, |reply| reply.version + 1),
            action,
            status: ReplyStatus::OnItsWay { partner_has },
            reason: None,
            requested_by: by,
            requested_at: at.as_second(),
            settled_at: None,
        }
    }

    /// Returns the review with the instant of a change made here. It is never before what the change saw. A row that was known then says
    /// nothing about the change, also if the clock of its partner is ahead.
    fn changed_here(&self, at: Timestamp) -> Self {
        let seen = [self.acted_at, self.seen_at.map(|seen| seen.at)].into_iter().flatten();
        Self { acted_at: Some(seen.fold(at.as_microsecond(), i64::max)), ..self.clone() }
    }
}
