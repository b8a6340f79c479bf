//! The mailbox: a page with the mails sent, the same as JSON, and the switches of SES.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use jiff::Timestamp;
use presence_store::{OutboxRow, Store};
use serde::Deserialize;
use serde_json::{Value, json};

use super::mailbox::{Mailbox, SentMail, Weather};
use super::ses;
use crate::local_only::own_pages_only;

/// Path of the mailbox.
pub(crate) const MAILBOX: &str = "/mailbox";

const PAGE: &str = include_str!("../../pages/mailbox.html");

#[derive(Deserialize)]
struct Switch {
    mode: Weather,
}

/// The routes of the mailbox and of SES.
pub(crate) fn router(store: Store, mailbox: Arc<Mailbox>) -> Router {
    let outbox = Router::new().route("/mailbox/outbox.json", get(outbox)).with_state(store);
    let pages = Router::new()
        .route(MAILBOX, get(|| async { Html(PAGE) }))
        .route("/mailbox.json", get(mails))
        .route("/mailbox/ses", get(weather))
        .route("/mailbox/ses", post(set_weather))
        .with_state(Arc::clone(&mailbox))
        .merge(outbox)
        .merge(ses::router(mailbox));
    own_pages_only(pages)
}

async fn mails(State(mailbox): State<Arc<Mailbox>>) -> Json<Vec<SentMail>> {
    Json(mailbox.mails())
}

async fn weather(State(mailbox): State<Arc<Mailbox>>) -> Json<Value> {
    Json(json!({ "mode": mailbox.weather() }))
}

async fn set_weather(State(mailbox): State<Arc<Mailbox>>, Json(switch): Json<Switch>) -> Json<Value> {
    mailbox.set_weather(switch.mode);
    Json(json!({ "mode": switch.mode }))
}

async fn outbox(State(store): State<Store>) -> Response {
    match store.outbox().await {
        Ok(rows) => Json(rows.iter().map(waiting).collect::<Vec<_>>()).into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

fn waiting(row: &OutboxRow) -> Value {
    let due_at = Timestamp::from_millisecond(row.due_at).map(|instant| format!("{instant:.0}")).unwrap_or_default();
    json!({ "user_id": row.user_id, "state": row.state, "due_at": due_at, "attempts": row.attempts })
}
