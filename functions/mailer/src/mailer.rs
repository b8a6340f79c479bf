//! Sender of mails, and the result of a sending.

use futures::future::BoxFuture;

use crate::message::Message;

/// Mail that is ready to be sent.
#[derive(Clone)]
pub struct Mail {
    /// Address of the recipient.
    pub to: String,
    /// Subject and text.
    pub message: Message,
}

impl std::fmt::Debug for Mail {
    /// Never prints the address or the link: they would end up in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mail(..)")
    }
}

/// Result of the sending of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendResult {
    /// The mail was accepted for delivery.
    Sent,
    /// The mail was certainly not accepted, and may be later. The code names the reason.
    Refused(String),
    /// The mail was not accepted, and never will be. The code names the reason.
    Malformed(String),
    /// Nobody knows whether it was accepted. The code names the failure.
    Unknown(String),
}

/// Sender of mails: one attempt for each call, never a second one of its own.
pub trait Mailer: Send + Sync {
    /// Tries to send the mail.
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult>;
}
