//! What sends a mail, and what is known of it afterwards.

use futures::future::BoxFuture;

use crate::message::Message;

/// A mail, ready to be sent.
#[derive(Clone)]
pub struct Mail {
    /// The address that it goes to.
    pub to: String,
    /// What it says.
    pub message: Message,
}

impl std::fmt::Debug for Mail {
    /// Never prints the address or the link: they would end up in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mail(..)")
    }
}

/// How the sending of a mail ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was accepted for delivery.
    Sent,
    /// It was certainly not, and may be later: the code says why.
    Refused(String),
    /// It was not, and never will be: the code says why.
    Malformed(String),
    /// Nobody knows: the code says what happened.
    Unknown(String),
}

/// Sends mails: one attempt for each call, never a second one of its own.
pub trait Mailer: Send + Sync {
    /// Tries to send the mail.
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Outcome>;
}
