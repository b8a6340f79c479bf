//! Messages to webhooks, in the form of Standard Webhooks 1.0.0, and their answers.

use jiff::{SignedDuration, Timestamp};
use presence_domain::event::EventData;
use presence_domain::feed::{FeedEvent, format_at};
use presence_domain::webhook::progress::Outcome;
use presence_domain::webhook::{Webhook, WebhookUrl};
use serde::Serialize;

/// Message to a webhook.
#[derive(Clone, Debug)]
pub struct Message {
    /// Address of the receiver.
    pub url: WebhookUrl,
    /// Id of the event, by which a receiver knows it again.
    pub id: String,
    /// Instant of the attempt, in seconds since 1970.
    pub timestamp: i64,
    /// Signatures by all secrets, with a blank between two.
    pub signature: String,
    /// Body.
    pub body: Vec<u8>,
}

/// Answer of a receiver, or the lack of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Status; `None` without an answer.
    pub status: Option<u16>,
    /// Reason for which there is no answer.
    pub error: Option<&'static str>,
    /// Pause that the receiver asks for.
    pub retry_after: Option<SignedDuration>,
    /// Milliseconds that it took.
    pub milliseconds: u64,
}

/// Way to the receivers.
pub trait Sender: Send + Sync + 'static {
    /// Sends a message once.
    fn send(&self, message: &Message) -> impl Future<Output = Answer> + Send;
}

#[derive(Serialize)]
struct Body<'a> {
    r#type: &'a str,
    timestamp: String,
    data: &'a EventData,
}

impl Message {
    /// Returns the message that tells a webhook of an event now.
    pub fn of_event(webhook: &Webhook, event: &FeedEvent, now: Timestamp) -> Self {
        let body = Body { r#type: event.kind.as_str(), timestamp: format_at(event.at), data: &event.data };
        Self::new(webhook, &event.id, serde_json::to_vec(&body).expect("the data of an event is JSON"), now)
    }

    /// Returns the message with this body, signed.
    pub fn new(webhook: &Webhook, id: &str, body: Vec<u8>, now: Timestamp) -> Self {
        let timestamp = now.as_second();
        let signatures: Vec<_> = webhook.secrets.at(now).map(|secret| secret.sign(id, timestamp, &body)).collect();
        Self { url: webhook.url.clone(), id: id.to_owned(), timestamp, signature: signatures.join(" "), body }
    }
}

impl Answer {
    /// Returns the answer that did not come, with the reason.
    pub fn none(error: &'static str) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Returns the outcome of the attempt.
    pub fn outcome(&self) -> Outcome {
        match self.status {
            Some(200..=299) => Outcome::Delivered,
            Some(410) => Outcome::Gone,
            _ => Outcome::Failed { retry_after: self.retry_after },
        }
    }

    /// Returns the reason of a failure for the log of attempts; `None` if the event was delivered.
    pub fn reason(&self) -> Option<String> {
        match (self.outcome(), self.error, self.status) {
            (Outcome::Delivered, ..) => None,
            (_, Some(error), _) => Some(error.to_owned()),
            (_, None, Some(status @ 300..=399)) => Some(format!("status {status}: redirects are not followed")),
            (_, None, Some(status)) => Some(format!("status {status}")),
            (_, None, None) => Some("no answer".to_owned()),
        }
    }
}
