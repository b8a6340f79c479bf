//! Page of the events: a list in the browser, and the same as JSON.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;

use super::event_log::EventLog;
use super::put_events;
use crate::local_only::same_origin_only;

/// Path of the page.
pub(crate) const EVENTS_PATH: &str = "/events";

const PAGE: &str = include_str!("../../pages/events.html");

/// Builds the routes of the page and of the local `EventBridge`.
pub(crate) fn router(log: Arc<EventLog>) -> Router {
    let pages = Router::new()
        .route(EVENTS_PATH, get(|| async { Html(PAGE) }))
        .route("/events.json", get(list_events))
        .with_state(Arc::clone(&log))
        .merge(put_events::router(log));
    same_origin_only(pages)
}

async fn list_events(State(log): State<Arc<EventLog>>) -> Json<Vec<Value>> {
    Json(log.events())
}
