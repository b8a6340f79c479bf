//! Deliverer: sends the events of the feed to webhooks.
//!
//! 1. The stream of the table of events tells of new events, and of webhooks that were changed. Each webhook concerned gets a message in a
//!    queue. A schedule does the same for what is due, once a minute.
//! 2. A message makes a deliverer look at its webhook: [`Deliverer::run`]. One of them claims it, and sends what is due.
//! 3. If something is due again soon, a delayed message follows.
//!
//! A message that is lost or comes twice does no harm: the schedule finds what is due, and a claim excludes others. So one webhook never
//! waits for another.

mod event;
mod http_sender;
mod message;
mod retry_after;
mod run;
mod tables;
mod wakes;

pub use event::handle;
pub use http_sender::HttpSender;
pub use message::{Answer, Message, Sender};
pub use run::{Deliverer, send_once};
pub use tables::{StoredTables, Tables};
pub use wakes::{SqsWakes, Wake, Wakes};
