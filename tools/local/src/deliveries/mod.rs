//! Deliveries to webhooks in the local stack: the deliverer, a receiver to try it with, and the webhook of `--forward-events`.

mod forward;
mod poller;
mod receiver;

pub(crate) use forward::forward_events;
pub(crate) use poller::DeliveryPoller;
pub(crate) use receiver::router;
