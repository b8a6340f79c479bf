//! Parts that every request of the function shares: built once, when the function starts.

use std::sync::Arc;

use presence_api::Authenticator;
use presence_deliverer::HttpSender;
use presence_domain::rate_limit::RateLimit;
use presence_domain::webhook::WebhookReach;
use presence_runtime::clock::Clock;
use presence_store::{Database, FeedStore, WebhookStore};

/// Parts of the function.
pub struct App {
    pub(crate) authenticator: Authenticator,
    pub(crate) feed: FeedStore,
    pub(crate) webhooks: WebhookStore,
    pub(crate) clock: Arc<dyn Clock>,
    /// True if the feeds have the events of changes.
    pub(crate) has_events: bool,
    /// Way to the receivers of webhooks; `None` if webhooks are not set up.
    pub(crate) sender: Option<HttpSender>,
}

impl App {
    /// Puts the parts together. Keys that have no limit of their own have the default one; `None` is no limit. Makes no call.
    pub fn new(database: &Database, clock: Arc<dyn Clock>, default_limit: Option<RateLimit>) -> Self {
        let authenticator = Authenticator::new(database, Arc::clone(&clock), default_limit);
        let (feed, webhooks) = (FeedStore::new(database), WebhookStore::new(database));
        Self { authenticator, feed, webhooks, clock, has_events: false, sender: None }
    }

    /// Opens the connection to DynamoDB, and returns the parts as requests share them. Lambda runs this in init, when the CPU is not
    /// throttled and no request waits.
    pub async fn start(self) -> Arc<Self> {
        self.feed.connect().await;
        Arc::new(self)
    }

    /// Sets if the feeds have the events of changes.
    #[must_use]
    pub fn with_events(self, has_events: bool) -> Self {
        Self { has_events, ..self }
    }

    /// Sets the receivers that webhooks reach; `None` if webhooks are not set up.
    #[must_use]
    pub fn with_webhooks(self, reach: Option<WebhookReach>) -> Self {
        let sender = reach.map(|reach| HttpSender::new(reach, Arc::clone(&self.clock)));
        Self { sender, ..self }
    }
}
