//! Events of the local stack: the poller that invokes the publisher, a local `EventBridge` that keeps each event, and the page that shows
//! them.

mod event_log;
mod page;
mod poller;
mod put_events;
mod stream_marks;

pub use event_log::{BusMode, EventLog};
pub(crate) use page::{EVENTS_PATH, router};
pub(crate) use poller::EventPoller;
pub(crate) use put_events::EVENT_BRIDGE_PATH;
pub use put_events::LocalBus;
