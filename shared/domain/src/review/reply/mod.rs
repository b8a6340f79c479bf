//! Reply to a review: what was asked for here, and what the partner has.
//!
//! The text that counts is `reply_comment` of the review. A [`Reply`] holds the rest: the request that stands behind the text, and the text
//! that the partner had before. A review that only partners wrote has no [`Reply`].

mod acts;
mod rows;

pub use acts::OutcomeReport;

use super::{NONCHARACTERS, Partner, Review, ReviewId, remove_control_characters};
use crate::ids::{BusinessId, OrgId, UserId};

crate::listed_enum! {
    /// Request to a partner. Stored replies count the actions in this order.
    pub enum ReplyAction {
        /// Publish this text.
        Publish => "publish",
        /// Remove the text that the partner has.
        Remove => "remove",
    }
}

crate::listed_enum! {
    /// State of a reply, as the API shows it.
    pub enum ReplyState {
        /// Accepted, and on its way.
        Pending => "pending",
        /// Published by the partner.
        Published => "published",
        /// Refused by the partner.
        Rejected => "rejected",
        /// Taken back; the removal is on its way.
        Removing => "removing",
        /// The partner's own: it did not come from here.
        Unmanaged => "unmanaged",
    }
}

crate::listed_enum! {
    /// Outcome of a request, as a connector reports it.
    pub enum ReplyOutcome {
        /// The partner shows the text.
        Published => "published",
        /// The partner refused the request.
        Rejected => "rejected",
        /// The partner shows the text no more.
        Removed => "removed",
    }
}

/// Latest request about the reply of a review, and what became of it. Instants are whole seconds since 1970 in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Number of the request among those of its review, from 1. It never falls, also after a reply is gone, but for a restore.
    pub version: u64,
    /// Request.
    pub action: ReplyAction,
    /// Progress of the request.
    pub status: ReplyStatus,
    /// Reason that came with its outcome.
    pub reason: Option<String>,
    /// User who asked for it.
    pub requested_by: UserId,
    /// Instant at which it was accepted.
    pub requested_at: i64,
    /// Instant of its outcome; `None` without one, or if an operator's row without `seen_at` told it.
    pub settled_at: Option<i64>,
}

/// Progress of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyStatus {
    /// The partner has not answered yet.
    OnItsWay {
        /// Text that the partner had before, as far as it is known: one from here, or its own.
        partner_has: Option<String>,
    },
    /// The partner has the text of the review's `reply_comment`, which came from here.
    Published,
    /// The partner refused the text. It has that of the review's `reply_comment`.
    Rejected {
        /// Text that was refused.
        content: String,
    },
    /// The reply is gone, or the partner's own has replaced it.
    Ended,
}

/// Request that is on its way to a partner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyRequest {
    /// Request.
    pub action: ReplyAction,
    /// Review.
    pub review_id: ReviewId,
    /// Version of the reply.
    pub version: u64,
    /// Organisation of the review.
    pub org_id: OrgId,
    /// Business that was reviewed.
    pub business_id: BusinessId,
    /// Partner that published the review.
    pub partner: Partner,
    /// Partner's id of the review.
    pub partner_id: String,
    /// Text to be published; `None` for a removal.
    pub content: Option<String>,
    /// Instant at which the request was accepted, in seconds since 1970.
    pub requested_at: i64,
}

/// Reply as the API shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownReply<'a> {
    /// Text that was asked for; `None` for a removal.
    pub content: Option<&'a str>,
    /// State.
    pub state: ReplyState,
    /// Request behind it; `None` for the partner's own reply.
    pub request: Option<&'a Reply>,
}

/// Text of a reply that a caller gives: 1 to 4,096 bytes without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyText(String);

impl ReplyText {
    /// Maximum number of bytes: the limit of the partner with the shortest replies.
    pub const MAX_BYTES: usize = 4_096;

    /// Parses a text. Removes control characters, and white space around it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = parse_text(text)?;
        let is_valid = (1..=Self::MAX_BYTES).contains(&text.len());
        is_valid.then_some(Self(text)).ok_or_else(|| format!("must have 1 to {} bytes", Self::MAX_BYTES))
    }
}

/// Reason of an outcome: at most 500 characters without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutcomeReason(String);

impl OutcomeReason {
    /// Maximum number of characters: some sentences, which fit into the item of a review.
    pub const MAX_CHARS: usize = 500;

    /// Parses a reason; `None` for a blank one. Removes control characters, and white space around it.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let text = parse_text(text)?;
        if text.chars().count() > Self::MAX_CHARS {
            return Err(format!("must have at most {} characters", Self::MAX_CHARS));
        }
        Ok((!text.is_empty()).then_some(Self(text)))
    }
}

/// Returns a text without control characters and without white space around it. The queue transports no noncharacters.
fn parse_text(text: &str) -> Result<String, String> {
    let mut text = text.to_owned();
    remove_control_characters(&mut text);
    if text.contains(NONCHARACTERS) {
        return Err("must have neither U+FFFE nor U+FFFF, which are no characters".to_owned());
    }
    Ok(text.trim().to_owned())
}

impl Reply {
    /// Returns the number of bytes of its texts.
    pub(super) fn text_bytes(&self) -> usize {
        let text = match &self.status {
            ReplyStatus::OnItsWay { partner_has } => partner_has.as_ref(),
            ReplyStatus::Rejected { content } => Some(content),
            ReplyStatus::Published | ReplyStatus::Ended => None,
        };
        [text, self.reason.as_ref()].into_iter().flatten().map(String::len).sum()
    }
}

impl Review {
    /// Returns the reply, as the API shows it; `None` without one.
    pub fn shown_reply(&self) -> Option<ShownReply<'_>> {
        let text = self.reply_comment.as_deref();
        let own = text.map(|_| ShownReply { content: text, state: ReplyState::Unmanaged, request: None });
        let Some(reply) = &self.reply else { return own };
        let (content, state) = match (&reply.status, reply.action) {
            (ReplyStatus::Ended, _) => return own,
            (ReplyStatus::OnItsWay { .. }, ReplyAction::Publish) => (text, ReplyState::Pending),
            (ReplyStatus::OnItsWay { .. }, ReplyAction::Remove) => (None, ReplyState::Removing),
            (ReplyStatus::Published, _) => (text, ReplyState::Published),
            (ReplyStatus::Rejected { content }, _) => (Some(content.as_str()), ReplyState::Rejected),
        };
        Some(ShownReply { content, state, request: Some(reply) })
    }

    /// Returns the request that is on its way to the partner; `None` unless the reply is pending or being removed.
    pub fn reply_request(&self) -> Option<ReplyRequest> {
        let reply = self.reply.as_ref()?;
        matches!(reply.status, ReplyStatus::OnItsWay { .. }).then(|| ReplyRequest {
            action: reply.action,
            review_id: self.id.clone(),
            version: reply.version,
            org_id: self.org_id,
            business_id: self.business_id.clone(),
            partner: self.partner,
            partner_id: self.partner_id.clone(),
            content: self.reply_comment.clone().filter(|_| reply.action == ReplyAction::Publish),
            requested_at: reply.requested_at,
        })
    }
}

#[cfg(test)]
mod tests;
