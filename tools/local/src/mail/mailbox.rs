//! What was sent, and how SES behaves.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// Mails that are kept; older ones are forgotten.
const KEPT: usize = 1_000;

/// How the local SES behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weather {
    /// It takes every mail.
    #[default]
    Fine,
    /// It takes none: too many were sent.
    Throttle,
    /// It takes none, as in the sandbox: it does not know the address.
    Refuse,
    /// It takes every mail, and never says so.
    LoseReply,
}

/// A mail that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SentMail {
    /// What SES calls it.
    pub id: String,
    /// The address that it went to.
    pub to: String,
    /// Its subject.
    pub subject: String,
    /// What it says, in HTML.
    pub html: String,
    /// What it says, in plain text.
    pub text: String,
    /// When it was taken, RFC 3339 in UTC.
    pub sent_at: String,
    /// The links in its text.
    pub links: Vec<String>,
}

/// The mails that were sent.
#[derive(Debug, Default)]
pub struct Mailbox(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    mails: Vec<SentMail>,
    weather: Weather,
}

impl Mailbox {
    /// The mails, oldest first.
    #[must_use]
    pub fn mails(&self) -> Vec<SentMail> {
        self.state().mails.clone()
    }

    /// How SES behaves now.
    #[must_use]
    pub fn weather(&self) -> Weather {
        self.state().weather
    }

    /// Changes how SES behaves.
    pub fn set_weather(&self, weather: Weather) {
        self.state().weather = weather;
    }

    pub(super) fn keep(&self, mail: SentMail) {
        let mails = &mut self.state().mails;
        mails.push(mail);
        let forgotten = mails.len().saturating_sub(KEPT);
        mails.drain(..forgotten);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
