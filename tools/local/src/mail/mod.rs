//! Mail on this machine: the mailer at work, an SES that keeps what it is sent, and the page that shows it.

mod feed;
mod mailbox;
mod page;
mod records;
mod ses;

pub(crate) use feed::Feed;
pub use mailbox::{Mailbox, SentMail, Weather};
pub(crate) use page::{MAILBOX, router};
pub(crate) use ses::SES;
