//! What every request of a function shares: built once, when the function starts.

use std::sync::Arc;

use crate::auth::Callers;
use crate::clock::{Clock, SystemClock};
use crate::config::Config;
use crate::store::{Store, sdk_loader};

/// The parts of a function.
pub struct App {
    /// The tables.
    pub store: Store,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Whom the keys belonged to that were seen lately.
    pub callers: Callers,
}

impl App {
    /// Puts the parts together.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, callers: Callers::default() }
    }

    /// Builds the parts from the environment. Makes no call.
    pub async fn from_env() -> Self {
        let config = Config::from_env();
        let store = Store::new(&sdk_loader().load().await, &config.table_prefix);
        Self::new(store, Arc::new(SystemClock))
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("store", &self.store).finish_non_exhaustive()
    }
}
