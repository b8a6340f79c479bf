//! Publisher: tells other systems about changes of users, invitations and reviews, as events on a bus of `EventBridge`
//! and in the feeds of the organisations. With another setting, the same program sends replies to reviews to a FIFO queue of SQS.
//!
//! The streams of the tables invoke it, batch by batch. Only the feed reads and writes a table. An event or a reply is sent at least once,
//! and carries the version of what changed: shared/docs/events.md, shared/docs/connectors.md.

mod bus;
mod event_bridge;
mod fan_out;
mod feed;
mod publish;
mod replies;
mod wire;

pub use bus::{Bus, Entry, MAX_ENTRIES, PutError};
pub use event_bridge::EventBridge;
pub use fan_out::fan_out;
pub use feed::{WindowResponse, append};
pub use publish::handle;
pub use replies::ReplyMessage;
pub use wire::{BusEntry, SOURCE};
