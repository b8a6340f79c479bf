//! Mailbox page: the sent mails in a browser and as JSON, the outbox, and the switch of the SES mode.
//!
//! A mail is shown in a frame that runs no script, loads nothing, and is of no origin.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{delete, get};
use axum::{Json, Router};
use presence_domain::invitation::OutboxMessage;
use presence_store::Stores;
use serde::Deserialize;
use serde_json::{Value, json};

use super::mailbox::{KeptMail, Mailbox, SentMail, SesMode};
use super::ses;
use crate::local_only::same_origin_only;
use crate::page::Page;

/// Path of the mailbox page.
pub(crate) const MAILBOX_PATH: &str = "/mailbox";

const PAGE: Page<'_> = Page {
    path: MAILBOX_PATH,
    title: "Mailbox",
    body: include_str!("../../pages/mailbox/page.html"),
    files: &[
        ("mailbox/mailbox.css", include_str!("../../pages/mailbox/mailbox.css")),
        ("mailbox/mailbox.js", include_str!("../../pages/mailbox/mailbox.js")),
        ("mailbox/mail.js", include_str!("../../pages/mailbox/mail.js")),
        ("mailbox/time.js", include_str!("../../pages/mailbox/time.js")),
    ],
};

/// Policy of a mail: its own styles, and nothing else. A mail may be shown by the mailbox only.
const MAIL_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; \
    frame-ancestors 'self'; sandbox";

#[derive(Deserialize)]
struct SesModeRequest {
    mode: SesMode,
}

/// Builds the routes of the mailbox page and of the local SES.
pub(crate) fn router(store: Stores, mailbox: Arc<Mailbox>) -> Router {
    let outbox = Router::new().route("/mailbox/outbox.json", get(list_outbox)).with_state(store);
    let pages = Router::new()
        .route("/mailbox.json", get(list_mails))
        .route("/mailbox/list.json", get(list_kept_mails))
        .route("/mailbox/mails", delete(delete_all))
        .route("/mailbox/mails/{id}", get(get_mail).delete(delete_mail))
        .route("/mailbox/mails/{id}/html", get(show_mail))
        .route("/mailbox/ses", get(get_ses_mode).post(set_ses_mode))
        .with_state(Arc::clone(&mailbox))
        .merge(PAGE.router())
        .merge(outbox)
        .merge(ses::router(mailbox));
    same_origin_only(pages)
}

async fn list_mails(State(mailbox): State<Arc<Mailbox>>) -> Json<Vec<SentMail>> {
    Json(mailbox.mails())
}

/// Lists what the page shows of each mail, newest first.
async fn list_kept_mails(State(mailbox): State<Arc<Mailbox>>) -> Json<Vec<Value>> {
    let row = |kept: KeptMail| {
        let KeptMail { mail, from } = kept;
        json!({ "id": mail.id, "from": from, "to": mail.to, "subject": mail.subject, "sent_at": mail.sent_at })
    };
    Json(mailbox.kept_mails().into_iter().map(row).collect())
}

async fn get_mail(State(mailbox): State<Arc<Mailbox>>, Path(id): Path<String>) -> Response {
    let Some(kept) = mailbox.find(&id) else { return StatusCode::NOT_FOUND.into_response() };
    let headers = kept.headers();
    let mut mail = json!(kept);
    mail["headers"] = json!(headers);
    Json(mail).into_response()
}

async fn show_mail(State(mailbox): State<Arc<Mailbox>>, Path(id): Path<String>) -> Response {
    let Some(kept) = mailbox.find(&id) else { return StatusCode::NOT_FOUND.into_response() };
    let headers = [
        (CONTENT_SECURITY_POLICY, MAIL_POLICY),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
    ];
    (headers, Html(kept.mail.html)).into_response()
}

async fn delete_mail(State(mailbox): State<Arc<Mailbox>>, Path(id): Path<String>) -> StatusCode {
    if mailbox.delete(&id) { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }
}

async fn delete_all(State(mailbox): State<Arc<Mailbox>>) -> StatusCode {
    mailbox.clear();
    StatusCode::NO_CONTENT
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
