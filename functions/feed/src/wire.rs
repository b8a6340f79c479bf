//! Bodies of the answers.

use presence_domain::event::EventData;
use presence_domain::feed::{FeedCursor, FeedEvent, FeedPage, format_at};
use presence_domain::ids::OrgId;
use serde::Serialize;

/// Page of a feed of events.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = EventPage))]
pub(crate) struct EventsBody<'a> {
    events: Vec<EventBody<'a>>,
    next: String,
    has_more: bool,
}

/// Event of a feed.
#[derive(Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Event))]
pub(crate) struct EventBody<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    at: String,
    #[cfg_attr(feature = "openapi", schema(value_type = EventDataSchema))]
    data: &'a EventData,
}

/// Data of an event. The type says which members are there.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(as = EventData)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct EventDataSchema {
    #[schema(required = false)]
    id: String,
    #[schema(required = false)]
    replaces: String,
    #[schema(required = false)]
    user_id: String,
    #[schema(required)]
    org_id: Option<u64>,
    #[schema(required = false)]
    business_id: String,
    #[schema(required = false)]
    fields: Vec<String>,
    version: Option<u64>,
    at: String,
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
