//! Mailer: sends the invitations and notices that wait in the outbox.
//!
//! The users table's stream invokes it, record by record. A schedule invokes it for messages that the stream missed. Both lead to
//! [`OutboxProcessor::deliver`]. `EventBridge` invokes it with the bounces and complaints that SES reports.

mod deliver;
mod event;
mod feedback;
mod mailer;
pub mod message;
mod notices;

pub use deliver::{DeliveryOutcome, OutboxProcessor};
pub use event::handle;
pub use mailer::{Mail, Mailer, SendResult};
