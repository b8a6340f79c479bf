//! Bodies of the answers.

use presence_domain::event::EventData;
use presence_domain::feed::{FeedCursor, FeedEvent, FeedPage, format_at};
use presence_domain::ids::OrgId;
use serde::Serialize;
#[cfg(feature = "openapi")]
use utoipa::ToSchema;

/// Page of a feed of events.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = EventPage))]
pub(crate) struct EventsBody<'a> {
    /// Events, oldest first.
    events: Vec<EventBody<'a>>,
    /// Cursor after which the next page begins. It is there at the end of the feed, too.
    #[cfg_attr(feature = "openapi", schema(examples("42-1207")))]
    next: String,
    /// True if the feed has later events. A page with a filter may then have none.
    has_more: bool,
}

/// Event of a feed.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Event))]
pub(crate) struct EventBody<'a> {
    /// Id, unique and the same for ever.
    #[cfg_attr(feature = "openapi", schema(examples("evt_5f0c9a3b7d21e84600")))]
    id: &'a str,
    /// Kind of the event.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "openapi", schema(examples("review.updated")))]
    kind: &'static str,
    /// Instant of the change, in milliseconds.
    #[cfg_attr(feature = "openapi", schema(examples("2026-11-22T10:00:00.123Z")))]
    at: String,
    /// Ids and names of fields. Its members follow from the type.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    data: &'a EventData,
}

impl<'a> EventsBody<'a> {
    pub(crate) fn new(org_id: Option<OrgId>, page: &'a FeedPage) -> Self {
        Self {
            events: page.events.iter().map(EventBody::new).collect(),
            next: FeedCursor { org_id, number: page.last }.to_string(),
            has_more: page.has_more,
        }
    }
}

impl<'a> EventBody<'a> {
    fn new(event: &'a FeedEvent) -> Self {
        Self { id: &event.id, kind: event.kind.as_str(), at: format_at(event.at), data: &event.data }
    }
}
