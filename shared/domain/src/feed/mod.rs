//! Feed of the events of an organisation: each change once, numbered in an order that never changes.

mod cursor;
mod filter;
mod head;

use jiff::Timestamp;

pub use cursor::{CursorError, FeedCursor, FeedStart};
pub use filter::{EventFilter, EventGroup, EventPattern};
pub use head::{FeedHead, KEPT_DAYS, SequenceNumber, ShardId, ShardPosition};

use crate::event::{EventData, EventKind};

/// Event of a feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedEvent {
    /// Number in the feed of its organisation, from 1 on without a gap.
    pub number: u64,
    /// Id, unique in all feeds and for ever.
    pub id: String,
    /// Kind.
    pub kind: EventKind,
    /// Instant of the change.
    pub at: Timestamp,
    /// Data.
    pub data: EventData,
}

impl FeedEvent {
    /// Returns the name of the user, review or webhook that the event is about. Events about one object are in the order of its changes.
    /// There is one exception: `invitation.*` and `user.*` come from the streams of two tables, which have no common order.
    pub fn object(&self) -> String {
        let group = self.kind.as_str().split('.').next().unwrap_or_default();
        let id = self.data.user_id.as_ref().or(self.data.id.as_ref()).map_or("", String::as_str);
        let kind = match group {
            "reply" => "review",
            "invitation" | "key" => "user",
            group => group,
        };
        format!("{kind}/{id}")
    }
}

/// Returns an instant as feeds and webhooks show it, with milliseconds.
pub fn format_at(at: Timestamp) -> String {
    format!("{at:.3}")
}

/// Part of a feed, after some event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedPage {
    /// Events, oldest first, without a gap.
    pub events: Vec<FeedEvent>,
    /// Number after which the next page begins.
    pub last: u64,
    /// True if the feed has later events.
    pub has_more: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_about_a_user_or_a_review() {
        let data = |id: Option<&str>, user: Option<&str>| EventData {
            id: id.map(str::to_owned),
            user_id: user.map(str::to_owned),
            ..EventData::default()
        };
        for (kind, data, object) in [
            (EventKind::UserUpdated, data(Some("7"), None), "user/7"),
            (EventKind::InvitationSent, data(None, Some("7")), "user/7"),
            (EventKind::KeyRotated, data(Some("7-0a"), Some("7")), "user/7"),
            (EventKind::ReviewCreated, data(Some("Ab12"), None), "review/Ab12"),
            (EventKind::ReplyPublished, data(Some("Ab12"), None), "review/Ab12"),
            (EventKind::WebhookDisabled, data(Some("42-30"), None), "webhook/42-30"),
        ] {
            let event = FeedEvent { number: 1, id: String::new(), kind, at: Timestamp::UNIX_EPOCH, data };
            assert_eq!(event.object(), object);
        }
    }

    #[test]
    fn an_instant_has_milliseconds() {
        let at = Timestamp::from_second(1_772_366_400).expect("an instant");
        assert_eq!(format_at(at), "2026-03-01T12:00:00.000Z");
    }
}
