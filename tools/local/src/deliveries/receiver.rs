//! Receiver of webhooks' messages, to try them with. The last part of its path says what it answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::routing::{get, post};
use axum::{Json, Router};
use presence_runtime::clock::{Clock as _, SystemClock};
use serde_json::{Value, json};

use crate::local_only::same_origin_only;

/// Path before the answer: `ok`, `slow`, or a status such as `500` or `410`.
const RECEIVER_PATH: &str = "/webhook-receiver";
/// Time that `slow` takes. A webhook waits for 15 seconds.
const SLOW_TIME: Duration = Duration::from_secs(20);
/// Number of messages that are kept.
const MAX_MESSAGES: usize = 1_000;

type Messages = Arc<Mutex<VecDeque<Value>>>;

/// Builds the routes of the receiver, and of the list of its messages.
pub(crate) fn router() -> Router {
    let routes = Router::new()
        .route(&format!("{RECEIVER_PATH}/{{answer}}"), post(receive))
        .route(&format!("{RECEIVER_PATH}.json"), get(list));
    same_origin_only(routes.with_state(Messages::default()))
}

async fn receive(
    State(messages): State<Messages>,
    Path(answer): Path<String>,
    headers: HeaderMap,
    body: String,
) -> StatusCode {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let all: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
    let message = json!({
        "answer": answer,
        "received_at": SystemClock.now().to_string(),
        "headers": all,
        "webhook-id": header("webhook-id"),
        "webhook-timestamp": header("webhook-timestamp"),
        "webhook-signature": header("webhook-signature"),
        "body": body,
    });
    {
        let mut messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
        messages.push_back(message);
        if messages.len() > MAX_MESSAGES {
            messages.pop_front();
        }
    }
    match answer.as_str() {
        "ok" => StatusCode::NO_CONTENT,
        "slow" => {
            tokio::time::sleep(SLOW_TIME).await;
            StatusCode::NO_CONTENT
        }
        status => status.parse().unwrap_or(StatusCode::NOT_FOUND),
    }
}

/// Lists the messages, oldest first; with `?id=EVENT` those of this event.
async fn list(State(messages): State<Messages>, uri: Uri) -> Json<Vec<Value>> {
    let id = uri.query().and_then(|query| query.strip_prefix("id="));
    let is_wanted = |message: &&Value| id.is_none_or(|id| message["webhook-id"] == id);
    Json(messages.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(is_wanted).cloned().collect())
}
