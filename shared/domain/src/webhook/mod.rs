//! Webhooks: endpoints of clients that are told of each event of the feed.

pub mod address;
pub mod progress;
pub mod schedule;
pub mod signature;
