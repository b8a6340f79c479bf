//! Parts that every request of the function shares: built once, when the function starts.

use std::sync::Arc;

use presence_api::Authenticator;
use presence_domain::rate_limit::RateLimit;
use presence_runtime::clock::Clock;
use presence_store::{CategoryStore, Database};

/// Parts of the function.
pub struct App {
    pub(crate) authenticator: Authenticator,
    pub(crate) categories: CategoryStore,
}

impl App {
    /// Puts the parts together. Keys that have no limit of their own have the default one; `None` is no limit. Makes no call.
    pub fn new(database: &Database, clock: Arc<dyn Clock>, default_limit: Option<RateLimit>) -> Self {
        let authenticator = Authenticator::new(database, clock, default_limit);
        Self { authenticator, categories: CategoryStore::new(database) }
    }

    /// Opens the connection to DynamoDB, and returns the parts as requests share them. A failure is logged and ignored: the first request
    /// meets it again.
    ///
    /// Lambda runs this in init, when the CPU is not throttled and no request waits. The local stack starts the function in the same way.
    pub async fn start(self) -> Arc<Self> {
        self.authenticator.connect().await;
        Arc::new(self)
    }
}
