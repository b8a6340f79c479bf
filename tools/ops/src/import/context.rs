//! Shared state of an import.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use presence_domain::audit::Actor;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_runtime::clock::Clock;
use presence_store::{CategoryImport, Stores};

use super::transfers::BusinessTransfers;

/// Stores and state that all rows of an import share.
pub(super) struct ImportContext {
    pub(super) stores: Stores,
    pub(super) dry_run: bool,
    /// Cache of organisations that exist: most rows of a file name the same few.
    known_orgs: Mutex<HashSet<OrgId>>,
    /// Import of categories in progress: all rows become visible together.
    pub(super) category_import: tokio::sync::Mutex<Option<CategoryImport>>,
    /// Businesses that moved to another organisation.
    pub(super) transfers: BusinessTransfers,
}

impl ImportContext {
    pub(super) fn new(stores: Stores, clock: Arc<dyn Clock>, actor: Actor, dry_run: bool) -> Self {
        let transfers = BusinessTransfers::new(stores.users.clone(), clock, actor, dry_run);
        let (known_orgs, category_import) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { stores, dry_run, known_orgs, category_import, transfers }
    }

    /// True if the organisation has been imported.
    pub(super) async fn has_org(&self, id: OrgId) -> Result<bool, Error> {
        if self.known_orgs.lock().unwrap_or_else(PoisonError::into_inner).contains(&id) {
            return Ok(true);
        }
        let exists = self.stores.businesses.has_org(id).await?;
        if exists {
            self.known_orgs.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        }
        Ok(exists)
    }
}
