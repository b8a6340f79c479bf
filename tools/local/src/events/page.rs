//! Page of the events: a list in the browser, and the same as JSON.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use http::{HeaderName, HeaderValue, Uri};
use serde_json::Value;

use super::event_log::EventLog;
use super::put_events;
use crate::local_only::same_origin_only;
use crate::page::Page;

/// Path of the page.
pub(crate) const EVENTS_PATH: &str = "/events";

const PAGE: Page<'_> = Page {
    path: EVENTS_PATH,
    title: "Events",
    body: include_str!("../../pages/events/page.html"),
    files: &[
        ("events/events.css", include_str!("../../pages/events/events.css")),
        ("events/events.js", include_str!("../../pages/events/events.js")),
    ],
};

/// Builds the routes of the page and of the local `EventBridge`.
pub(crate) fn router(log: Arc<EventLog>) -> Router {
    let pages = Router::new()
        .route("/events.json", get(list_events))
        .with_state(Arc::clone(&log))
        .merge(PAGE.router())
        .merge(put_events::router(log));
    same_origin_only(pages)
}

/// Answers with the events, oldest first, or with those after the first N for `?after=N`. A header has the number of all so far.
async fn list_events(State(log): State<Arc<EventLog>>, uri: Uri) -> ([(HeaderName, HeaderValue); 1], Json<Vec<Value>>) {
    let after = uri.query().and_then(|query| query.strip_prefix("after=")).and_then(|number| number.parse().ok());
    let (events, count) = log.events_after(after.unwrap_or_default());
    ([(HeaderName::from_static("x-last-event"), HeaderValue::from(count))], Json(events))
}
