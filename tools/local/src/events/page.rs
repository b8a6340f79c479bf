//! Page of the events: a list in the browser, and the same as JSON.

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
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

async fn list_events(State(log): State<Arc<EventLog>>) -> Json<Vec<Value>> {
    Json(log.events())
}
