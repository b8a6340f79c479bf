//! Mailbox page: the sent mails in a browser and as JSON, the outbox, and the switch of the SES mode.
//!
//! A mail is shown in a frame that runs no script, loads nothing, and is of no origin.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use presence_domain::error::Error;
use presence_runtime::clock::Clock;
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

/// Outbox of a stack.
#[derive(Clone)]
struct OutboxParts {
    store: Stores,
    clock: Arc<dyn Clock>,
}

/// Builds the routes of the mailbox page, of the outbox and of the local SES.
pub(crate) fn router(store: Stores, clock: Arc<dyn Clock>, mailbox: Arc<Mailbox>) -> Router {
    let outbox = Router::new()
        .route("/mailbox/outbox.json", get(list_outbox))
        .route("/mailbox/outbox/{id}/retry", post(retry_mail))
        .with_state(OutboxParts { store, clock });
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

async fn list_outbox(State(outbox): State<OutboxParts>) -> Response {
    match outbox.rows().await {
        Ok(rows) => Json(rows).into_response(),
        Err(error) => unavailable(&error),
    }
}

/// Tries a mail from the beginning: what `ops outbox retry` does.
async fn retry_mail(State(outbox): State<OutboxParts>, Path(id): Path<String>) -> Response {
    match outbox.store.users.retry_mail(&id, outbox.clock.now()).await {
        Ok(true) => StatusCode::NO_CONTENT.into_response(),
        Ok(false) => (StatusCode::NOT_FOUND, "This mail does not wait for a retry any more.").into_response(),
        Err(error) => unavailable(&error),
    }
}

fn unavailable(error: &Error) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response()
}

impl OutboxParts {
    /// Returns the mails that wait, each with the address of its user.
    #[expect(clippy::disallowed_methods, reason = "the page acts for no caller")]
    async fn rows(&self) -> Result<Vec<Value>, Error> {
        let messages = self.store.outbox.list().await?;
        let ids: Vec<_> = messages.iter().map(|message| message.user_id).collect();
        let recipients = self.store.users.get_recipients(&ids).await?;
        let rows = messages.iter().map(|message| {
            let user = recipients.iter().find(|user| user.id == message.user_id);
            json!({
                "id": message.id,
                "user_id": message.user_id.to_string(),
                "email": user.map(|user| user.email.as_str()),
                "state": message.state.as_str(),
                "due_at": format!("{:.0}", message.due_at),
                "attempts": message.attempts,
                "reason": message.last_refusal,
                "may_be_retried": message.may_be_retried(),
            })
        });
        Ok(rows.collect())
    }
}
