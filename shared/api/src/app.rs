//! What every request of a function shares: built once, when the function starts.

use std::sync::Arc;

use crate::auth::Callers;
use presence_runtime::aws::Aws;
use presence_runtime::clock::{Clock, SystemClock};
use presence_runtime::config::{BadSetting, Config};
use presence_store::Store;

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
    pub fn from_env() -> Result<Self, BadSetting> {
        let store = Store::new(&Aws::from_env()?.dynamodb(), &Config::from_env().table_prefix);
        Ok(Self::new(store, Arc::new(SystemClock)))
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("store", &self.store).finish_non_exhaustive()
    }
}
