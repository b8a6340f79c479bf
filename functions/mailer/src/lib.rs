//! The mailer: sends the invitations that wait in the outbox.
//!
//! It is fed by the users table's stream, record by record, and by a schedule, for whatever the stream missed. Both lead to
//! [`Outbox::deliver`].

mod deliver;
mod event;
mod mailer;
pub mod message;
mod ses;

pub use deliver::{Delivered, Outbox};
pub use event::{BatchAnswer, handle};
pub use mailer::{Mail, Mailer, Outcome};
pub use ses::SesMailer;
