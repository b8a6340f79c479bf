//! URLs of a running stack.

use super::Stack;
use crate::{deliveries, docs, events, mail, replies, review_pages};

impl Stack {
    /// Returns the base URL of version 2 of the API.
    pub fn base_url(&self) -> String {
        format!("{}/api/v2", self.origin())
    }

    /// Returns the URL of the start page.
    pub fn home_url(&self) -> String {
        format!("{}/", self.origin())
    }

    /// Returns the URL of the page with the sent mails.
    pub fn mailbox_url(&self) -> String {
        format!("{}{}", self.origin(), mail::MAILBOX_PATH)
    }

    /// Returns the URL of the page with the events.
    pub fn events_url(&self) -> String {
        format!("{}{}", self.origin(), events::EVENTS_PATH)
    }

    /// Returns the URL of the page with the webhooks.
    pub fn webhooks_url(&self) -> String {
        format!("{}{}", self.origin(), deliveries::WEBHOOKS_PATH)
    }

    /// Returns the endpoint URL of the local `EventBridge`.
    pub fn event_bridge_url(&self) -> String {
        format!("{}{}", self.origin(), events::EVENT_BRIDGE_PATH)
    }

    /// Returns the URL of the list of replies that the local queue took.
    pub fn replies_url(&self) -> String {
        format!("{}{}", self.origin(), replies::REPLIES_PATH)
    }

    /// Returns the endpoint URL of the local SQS.
    pub fn sqs_url(&self) -> String {
        format!("{}{}", self.origin(), replies::SQS_PATH)
    }

    /// Returns the URL of the API documentation, on which calls can be tried.
    pub fn docs_url(&self) -> String {
        format!("{}{}", self.origin(), docs::DOCS_PATH)
    }

    /// Returns the URL of the page with statistics of reviews.
    pub fn stats_url(&self) -> String {
        format!("{}{}", self.origin(), review_pages::STATS_PATH)
    }

    /// Returns the URL of the page with the reviews, on which they can be answered.
    pub fn reviews_url(&self) -> String {
        format!("{}{}", self.origin(), review_pages::REVIEWS_PATH)
    }

    fn origin(&self) -> String {
        format!("http://{}", self.gateway.addr())
    }
}
