//! Directories of users in memory, checked by every request.
//!
//! A function keeps the users of an organisation in memory, and searches there. It uses a directory only if the directory adds up to
//! the head of the organisation, which every request reads strongly. A directory that is out of date is refreshed (`refresh.rs`).
//! `shared/docs/directory-check.md` explains the check by an example.

mod cache;
mod memory;
mod refresh;
#[cfg(test)]
mod simulation;
mod source;

use std::sync::Arc;

pub(crate) use self::cache::{DirectoryCache, RequestStart};
pub(crate) use self::memory::MeasuredDirectory;
pub(crate) use self::refresh::ChangePage;
use self::source::TableSource;
use crate::UserStore;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::user_directory::DirectoryHead;

impl UserStore {
    /// Returns the directory of one organisation. `head` was read strongly in this request. The directory is complete, and as current
    /// as the head or newer.
    pub(crate) async fn get_directory(
        &self,
        org_id: Option<OrgId>,
        head: DirectoryHead,
        started: RequestStart,
    ) -> Result<Arc<MeasuredDirectory>, Error> {
        if let Some(current) = self.directory_cache.get_current(org_id, &head, started) {
            return Ok(current);
        }
        // One request at a time refreshes an organisation. The others wait for it, and usually need no refresh of their own.
        let _guard = self.directory_cache.lock_of(org_id).lock().await;
        if let Some(current) = self.directory_cache.get_current(org_id, &head, started) {
            return Ok(current);
        }
        let last = self.directory_cache.get_last(org_id);
        let source = TableSource { store: self, org_id };
        let mut directory = Box::pin(refresh::refresh(&source, last, head)).await?;
        if directory.needs_merge() {
            directory = Arc::new(directory.merged());
        }
        Ok(self.directory_cache.insert(org_id, directory, started))
    }
}
