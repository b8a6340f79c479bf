//! Deliveries to webhooks in the local stack: the deliverer, a receiver to try it with, the page of the webhooks, and the webhook of
//! `--forward-events`.

mod forward;
mod page;
mod poller;
mod receiver;

use axum::Router;

use crate::sample::DemoKeys;

pub(crate) use forward::forward_events;
pub(crate) use page::WEBHOOKS_PATH;
pub(crate) use poller::DeliveryPoller;

/// Builds the routes of the page and of the receiver.
pub(crate) fn router(keys: &DemoKeys) -> Router {
    page::router(keys).merge(receiver::router())
}
