//! Rows of partners that meet changes made here.

use super::{Reply, ReplyAction, ReplyStatus};
use crate::review::{Review, ReviewState, SeenAt};

/// Microseconds in a second.
const SECOND: i64 = 1_000_000;

impl Review {
    /// Returns the review after a row that wins: all that the row says, but for state and reply if somebody changed them here.
    ///
    /// Of these, a row from before the change says nothing. A later row may say that the review was deleted or came back, that its author
    /// wrote again, or what became of the reply. A row without a stamp counts as made now.
    pub(in crate::review) fn met_by(&self, row: &Self) -> Self {
        let (id, reply) = (self.id.clone(), self.reply.clone());
        let merged = Self { id, version: self.version, reply, acted_at: self.acted_at, ..row.clone() };
        let Some(acted_at) = self.acted_at else { return merged };
        if row.seen_at.is_some_and(|seen| seen.at <= acted_at) {
            return Self { state: self.state, reply_comment: self.reply_comment.clone(), ..merged };
        }
        let (reply_comment, reply) = self.reply_after(row);
        Self { state: self.state_after(row, acted_at), reply_comment, reply, ..merged }
    }

    /// Returns the state after a row that is later than the last change made here.
    fn state_after(&self, row: &Self, acted_at: i64) -> ReviewState {
        let is_deletion = [self.state, row.state].contains(&ReviewState::Deleted);
        let wrote_again = row.update_date.is_some_and(|second| second.saturating_mul(SECOND) > acted_at);
        if is_deletion || wrote_again { row.state } else { self.state }
    }

    /// Returns text and reply after a row that is later than the last change made here.
    fn reply_after(&self, row: &Self) -> (Option<String>, Option<Reply>) {
        let (ours, rows) = (self.reply_comment.as_deref(), row.reply_comment.as_deref());
        let Some(reply) = &self.reply else { return (row.reply_comment.clone(), None) };
        let settled_at = row.seen_at.map(SeenAt::second);
        let unchanged = || (self.reply_comment.clone(), Some(reply.clone()));
        let ended = |settled_at| {
            let reply = Reply { status: ReplyStatus::Ended, reason: None, settled_at, ..reply.clone() };
            (row.reply_comment.clone(), Some(reply))
        };
        match (&reply.status, rows) {
            (ReplyStatus::Ended, _) => (row.reply_comment.clone(), Some(reply.clone())),
            (ReplyStatus::OnItsWay { .. }, None) if reply.action == ReplyAction::Publish => unchanged(),
            (ReplyStatus::OnItsWay { .. }, None) => ended(settled_at),
            (ReplyStatus::OnItsWay { .. }, rows) if is_same_text(rows, ours) => {
                let published = Reply { status: ReplyStatus::Published, settled_at, ..reply.clone() };
                (self.reply_comment.clone(), Some(published))
            }
            (ReplyStatus::OnItsWay { partner_has }, rows) if is_same_text(rows, partner_has.as_deref()) => unchanged(),
            (ReplyStatus::Published | ReplyStatus::Rejected { .. }, rows) if is_same_text(rows, ours) => unchanged(),
            // The refused request stays as it is, and the text of before is gone.
            (ReplyStatus::Rejected { .. }, None) => (None, Some(reply.clone())),
            _ => ended(reply.settled_at),
        }
    }
}

/// True if two texts are equal, white space apart.
fn is_same_text(one: Option<&str>, other: Option<&str>) -> bool {
    let words = |text: Option<&'_ str>| text.map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    words(one) == words(other)
}
