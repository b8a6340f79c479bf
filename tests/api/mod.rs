//! The API as clients see it: a module for each route.

mod businesses;
pub(crate) mod categories;
mod headers;
pub(crate) mod invitation_page;
mod mistakes;
mod openapi;
pub(crate) mod reviews;
mod sample;
mod smoke;
mod users;
mod webhooks;

use futures::{StreamExt as _, stream};
use presence_tests::Reply;

/// Headers of every answer of the service with JSON, besides [`cache_control`].
pub(crate) const SERVICE_HEADERS: [(&str, &str); 4] = [
    ("content-type", "application/json; charset=utf-8"),
    ("vary", "accept-encoding"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

/// Returns the `cache-control` of an answer: only those with a tag may be kept.
pub(crate) fn cache_control(reply: &Reply) -> &'static str {
    if reply.header("etag").is_empty() { "no-store" } else { "private, no-cache" }
}

/// Number of requests in flight at once: enough to keep two cores busy.
pub(crate) const CONCURRENT_REQUESTS: usize = 16;

/// Runs all requests, some of them concurrently, and returns the answers in the order of the requests.
pub(crate) async fn send_all<Answer>(requests: Vec<impl Future<Output = Answer>>) -> Vec<Answer> {
    stream::iter(requests).buffered(CONCURRENT_REQUESTS).collect().await
}
