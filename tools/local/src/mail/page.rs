//! Mailbox page: the sent mails in a browser and as JSON, the outbox, and the switch of the SES mode.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use presence_domain::invitation::OutboxMessage;
use presence_store::Stores;
use serde::Deserialize;
use serde_json::{Value, json};

use super::mailbox::{Mailbox, SentMail, SesMode};
use super::ses;
use crate::local_only::same_origin_only;

/// Path of the mailbox page.
pub(crate) const MAILBOX_PATH: &str = "/mailbox";

const PAGE: &str = include_str!("../../pages/mailbox.html");

#[derive(Deserialize)]
struct SesModeRequest {
    mode: SesMode,
}

/// Builds the routes of the mailbox page and of the local SES.
pub(crate) fn router(store: Stores, mailbox: Arc<Mailbox>) -> Router {
    let outbox = Router::new().route("/mailbox/outbox.json", get(list_outbox)).with_state(store);
    let pages = Router::new()
        .route(MAILBOX_PATH, get(|| async { Html(PAGE) }))
        .route("/mailbox.json", get(list_mails))
        .route("/mailbox/ses", get(get_ses_mode).post(set_ses_mode))
        .with_state(Arc::clone(&mailbox))
        .merge(outbox)
        .merge(ses::router(mailbox));
    same_origin_only(pages)
}

async fn list_mails(State(mailbox): State<Arc<Mailbox>>) -> Json<Vec<SentMail>> {
    Json(mailbox.mails())
}

async fn get_ses_mode(State(mailbox): State<Arc<Mailbox>>) -> Json<Value> {
    Json(json!({ "mode": mailbox.ses_mode() }))
}

async fn set_ses_mode(State(mailbox): State<Arc<Mailbox>>, Json(request): Json<SesModeRequest>) -> Json<Value> {
    mailbox.set_ses_mode(request.mode);
    Json(json!({ "mode": request.mode }))
}

async fn list_outbox(State(store): State<Stores>) -> Response {
    match store.outbox.list().await {
        Ok(messages) => Json(messages.iter().map(outbox_message_json).collect::<Vec<_>>()).into_response(),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    }
}

fn outbox_message_json(message: &OutboxMessage) -> Value {
    json!({
        "user_id": message.user_id.to_string(),
        "state": message.state.as_str(),
        "due_at": format!("{:.0}", message.due_at),
        "attempts": message.attempts,
    })
}
