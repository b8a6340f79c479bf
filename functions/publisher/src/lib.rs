//! Publisher: tells other systems about changes of users, invitations and reviews, as events on a bus of `EventBridge`.
//!
//! The streams of the tables invoke it, batch by batch. It reads no table. An event is sent at least once, and carries the version of
//! what changed: shared/docs/events.md.

mod bus;
mod event_bridge;
mod publish;
mod wire;

pub use bus::{Bus, MAX_ENTRIES, PutError};
pub use event_bridge::EventBridge;
pub use publish::handle;
pub use wire::{BusEntry, SOURCE};
