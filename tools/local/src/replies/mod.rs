//! Replies of the local stack: a FIFO queue by the protocol of SQS, a stand-in for the partners, and the list of the messages.

mod partners;
mod queue;
mod sqs;

use std::sync::Arc;

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use serde_json::Value;

use crate::local_only::same_origin_only;

pub(crate) use partners::Partners;
pub use queue::ReplyQueue;
pub(crate) use sqs::SQS_PATH;

/// Path of the list of messages.
pub(crate) const REPLIES_PATH: &str = "/replies.json";

/// Builds the routes of the local SQS and of the list of its messages.
pub(crate) fn router(queue: Arc<ReplyQueue>) -> Router {
    let list = Router::new().route(REPLIES_PATH, get(list_messages)).with_state(Arc::clone(&queue));
    same_origin_only(list.merge(sqs::router(queue)))
}

async fn list_messages(State(queue): State<Arc<ReplyQueue>>) -> Json<Vec<Value>> {
    Json(queue.messages())
}
