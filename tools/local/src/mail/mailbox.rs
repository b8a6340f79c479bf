//! Mailbox of the local SES: the mails that it accepted, the mode in which it works, and its feedback.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::{Notify, watch};

use super::simulator;

/// Number of mails that are kept. The oldest are dropped first.
const MAX_MAILS: usize = 1_000;
/// Region in the message ids of SES.
const REGION: &str = "eu-west-1";

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

/// Mail of the mailbox, with what SES would add to it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct KeptMail {
    #[serde(flatten)]
    pub(super) mail: SentMail,
    /// Address of the sender, with its name.
    pub(super) from: String,
}

impl KeptMail {
    /// Returns the headers with which SES sends the mail, in their order.
    pub(super) fn headers(&self) -> [(&'static str, String); 7] {
        let Self { mail, from } = self;
        let sent_at = mail.sent_at.parse::<Timestamp>();
        let date =
            sent_at.map_or_else(|_| mail.sent_at.clone(), |at| at.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string());
        [
            ("From", from.clone()),
            ("To", mail.to.clone()),
            ("Subject", mail.subject.clone()),
            ("Date", date),
            ("Message-ID", format!("<{}@{REGION}.amazonses.com>", mail.id)),
            ("MIME-Version", "1.0".to_owned()),
            ("Content-Type", "multipart/alternative; text/plain and text/html in UTF-8".to_owned()),
        ]
    }
}

/// Mails that the local SES accepted, and its mode.
#[derive(Debug, Default)]
pub struct Mailbox {
    state: Mutex<State>,
    /// Wakes the task that hands feedback to the mailer.
    has_feedback: Notify,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    mails: Vec<KeptMail>,
    /// Events about bounces and complaints that the mailer has not been handed, oldest first.
    feedback: VecDeque<Value>,
    ses_mode: SesMode,
}

impl Mailbox {
    /// Returns the mails, oldest first.
    pub fn mails(&self) -> Vec<SentMail> {
        self.state().mails.iter().map(|kept| kept.mail.clone()).collect()
    }

    /// Returns the mails with their senders, newest first.
    pub(super) fn kept_mails(&self) -> Vec<KeptMail> {
        self.state().mails.iter().rev().cloned().collect()
    }

    /// Returns the mail with this `MessageId`.
    pub(super) fn find(&self, id: &str) -> Option<KeptMail> {
        self.state().mails.iter().find(|kept| kept.mail.id == id).cloned()
    }

    /// Deletes the mail with this `MessageId`. Returns false if there is none.
    pub(super) fn delete(&self, id: &str) -> bool {
        let mut state = self.state();
        let count = state.mails.len();
        state.mails.retain(|kept| kept.mail.id != id);
        let is_deleted = state.mails.len() < count;
        drop(state);
        self.changed.send_replace(());
        is_deleted
    }

    /// Deletes every mail.
    pub(super) fn clear(&self) {
        self.state().mails.clear();
        self.changed.send_replace(());
    }

    /// Returns the current mode of SES.
    pub fn ses_mode(&self) -> SesMode {
        self.state().ses_mode
    }

    /// Sets the mode of SES for the next mails.
    pub fn set_ses_mode(&self, mode: SesMode) {
        self.state().ses_mode = mode;
        self.changed.send_replace(());
    }

    /// Returns the oldest event about a bounce or a complaint, and forgets it.
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

    /// Returns a channel that tells of each further change of the mails or of the mode.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(super) fn add(&self, mail: SentMail, from: String) {
        let event = simulator::feedback_event(&mail);
        let has_feedback = event.is_some();
        let mut state = self.state();
        state.mails.push(KeptMail { mail, from });
        let excess = state.mails.len().saturating_sub(MAX_MAILS);
        state.mails.drain(..excess);
        state.feedback.extend(event);
        let excess = state.feedback.len().saturating_sub(MAX_MAILS);
        state.feedback.drain(..excess);
        drop(state);
        self.changed.send_replace(());
        if has_feedback {
            self.has_feedback.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
