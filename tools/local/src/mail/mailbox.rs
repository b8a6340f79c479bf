//! Mailbox of the local SES: the mails that it accepted, the mode in which it works, and its feedback.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Notify;

use super::simulator;

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
pub struct Mailbox {
    state: Mutex<State>,
    /// Wakes the task that hands feedback to the mailer.
    has_feedback: Notify,
}

#[derive(Debug, Default)]
struct State {
    mails: Vec<SentMail>,
    /// Events about bounces and complaints that the mailer has not been handed, oldest first.
    feedback: VecDeque<Value>,
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

    /// Returns the oldest event about a bounce or a complaint, and forgets it.
    #[must_use]
    pub fn take_feedback(&self) -> Option<Value> {
        self.state().feedback.pop_front()
    }

    /// Waits for the next event about a bounce or a complaint, and takes it.
    pub(super) async fn next_feedback(&self) -> Value {
        loop {
            if let Some(event) = self.take_feedback() {
                return event;
            }
            self.has_feedback.notified().await;
        }
    }

    pub(super) fn add(&self, mail: SentMail) {
        let event = simulator::feedback_event(&mail);
        let has_feedback = event.is_some();
        let mut state = self.state();
        state.mails.push(mail);
        let excess = state.mails.len().saturating_sub(MAX_MAILS);
        state.mails.drain(..excess);
        state.feedback.extend(event);
        let excess = state.feedback.len().saturating_sub(MAX_MAILS);
        state.feedback.drain(..excess);
        drop(state);
        if has_feedback {
            self.has_feedback.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
