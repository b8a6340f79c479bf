//! Parts that every request of the function shares: built once, when the function starts.

use std::sync::Arc;

use presence_api::Authenticator;
use presence_domain::rate_limit::RateLimit;
use presence_runtime::clock::Clock;
use presence_runtime::sign_in_url::SignInUrl;
use presence_store::{BusinessStore, Database, UserStore};

/// Parts of the function.
pub struct App {
    pub(crate) authenticator: Authenticator,
    pub(crate) users: UserStore,
    pub(crate) businesses: BusinessStore,
    pub(crate) clock: Arc<dyn Clock>,
    /// Page where users sign in, if another program has one.
    pub(crate) sign_in_url: Option<SignInUrl>,
}

impl App {
    /// Puts the parts together. Keys that have no limit of their own have the default one; `None` is no limit. Makes no call.
    pub fn new(database: &Database, clock: Arc<dyn Clock>, default_limit: Option<RateLimit>) -> Self {
        Self {
            authenticator: Authenticator::new(database, Arc::clone(&clock), default_limit),
            users: UserStore::new(database),
            businesses: BusinessStore::new(database),
            clock,
            sign_in_url: None,
        }
    }

    /// Opens the connection to DynamoDB, and returns the parts as requests share them. A failure is logged and ignored: the first request
    /// meets it again.
    ///
    /// Lambda runs this in init, when the CPU is not throttled and no request waits. The local stack starts the function in the same way.
    pub async fn start(self) -> Arc<Self> {
        self.authenticator.connect().await;
        Arc::new(self)
    }

    /// Sets the page where users sign in, to which the end of an invitation leads; `None` is none.
    #[must_use]
    pub fn with_sign_in_url(self, sign_in_url: Option<SignInUrl>) -> Self {
        Self { sign_in_url, ..self }
    }
}
