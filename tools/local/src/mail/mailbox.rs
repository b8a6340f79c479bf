//! Mailbox of the local SES: the mails that it accepted, and the mode in which it works.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// Number of mails that are kept. The oldest are dropped first.
const MAX_MAILS: usize = 1_000;

/// Behaviour of the local SES. The serialized names are those of the mailbox page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SesMode {
    /// Accepts every mail.
    #[default]
    #[serde(rename = "fine")]
    Accept,
    /// Answers every mail with `TooManyRequestsException`.
    Throttle,
    /// Answers every mail with `MessageRejected`, as the SES sandbox does for an address that is not verified.
    #[serde(rename = "refuse")]
    Reject,
    /// Accepts every mail, then breaks the connection before the response is complete.
    LoseReply,
}

/// Mail that the local SES accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SentMail {
    /// `MessageId` of SES.
    pub id: String,
    /// Addresses of the recipients, separated by commas.
    pub to: String,
    /// Subject line.
    pub subject: String,
    /// HTML body.
    pub html: String,
    /// Plain text body.
    pub text: String,
    /// Time at which SES accepted the mail: RFC 3339 in UTC.
    pub sent_at: String,
    /// Links of the plain text body.
    pub links: Vec<String>,
}

/// Mails that the local SES accepted, and its mode.
#[derive(Debug, Default)]
pub struct Mailbox(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    mails: Vec<SentMail>,
    ses_mode: SesMode,
}

impl Mailbox {
    /// Returns the mails, oldest first.
    #[must_use]
    pub fn mails(&self) -> Vec<SentMail> {
        self.state().mails.clone()
    }

    /// Returns the current mode of SES.
    #[must_use]
    pub fn ses_mode(&self) -> SesMode {
        self.state().ses_mode
    }

    /// Sets the mode of SES for the next mails.
    pub fn set_ses_mode(&self, mode: SesMode) {
        self.state().ses_mode = mode;
    }

    pub(super) fn add(&self, mail: SentMail) {
        let mails = &mut self.state().mails;
        mails.push(mail);
        let excess = mails.len().saturating_sub(MAX_MAILS);
        mails.drain(..excess);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
