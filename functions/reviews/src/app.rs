//! Parts that every request of the function shares: built once, when the function starts.

use std::sync::Arc;

use presence_api::Authenticator;
use presence_domain::rate_limit::RateLimit;
use presence_runtime::clock::Clock;
use presence_store::{BusinessStore, Database, FoldLimits, ReviewStore, UserStore};

/// Parts of the function.
pub struct App {
    pub(crate) authenticator: Authenticator,
    pub(crate) reviews: ReviewStore,
    pub(crate) businesses: BusinessStore,
    pub(crate) users: UserStore,
    pub(crate) clock: Arc<dyn Clock>,
    /// True if replies are sent to their partners.
    pub(crate) has_replies: bool,
}

impl App {
    /// Puts the parts together. Keys that have no limit of their own have the default one; `None` is no limit. Makes no call.
    pub fn new(database: &Database, clock: Arc<dyn Clock>, default_limit: Option<RateLimit>) -> Self {
        Self {
            authenticator: Authenticator::new(database, Arc::clone(&clock), default_limit),
            // The auditor folds what people change: few reviews, and folding needs more rights.
            reviews: ReviewStore::new(database)
                .with_fold_limits(FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() }),
            businesses: BusinessStore::new(database),
            users: UserStore::new(database),
            clock,
            has_replies: false,
        }
    }

    /// Opens the connection to DynamoDB by a read of the organisations with reviews, and returns the parts as requests share them. A
    /// failure is logged and ignored: the first request meets it again.
    ///
    /// Lambda runs this in init, when the CPU is not throttled and no request waits. The local stack starts the function in the same way.
    pub async fn start(self) -> Arc<Self> {
        self.reviews.connect().await;
        Arc::new(self)
    }

    /// Sets if replies are sent to their partners.
    #[must_use]
    pub fn with_replies(self, has_replies: bool) -> Self {
        Self { has_replies, ..self }
    }
}
