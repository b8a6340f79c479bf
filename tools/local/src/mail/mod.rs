//! Mail of the local stack: the poller that invokes the mailer, a local SES that keeps each mail and simulates bounces and complaints,
//! and the mailbox page.

mod mailbox;
mod page;
mod ses;
mod simulator;
mod stream_poller;

pub use mailbox::{Mailbox, SentMail, SesMode};
pub(crate) use page::{MAILBOX_PATH, router};
pub(crate) use ses::LocalMailer;
pub(crate) use stream_poller::StreamPoller;
