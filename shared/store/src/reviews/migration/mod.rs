//! Migration from the first edition of the ledger: builds the trees of each organisation from its reviews.
//!
//! The first edition counted reviews in items of their own: facet counts (`T#`) and postings (`L#`). They stay while functions
//! of an earlier version may read them, and nothing else reads them. [`finish`] deletes them.
//!
//! An organisation is done when it has a directory. Until then its searches answer 503, and nothing may be written. The
//! directory is put last, so a migration that ends anywhere is simply run again.

mod finish;
mod first_edition;
mod index_status;

use std::collections::BTreeSet;

use super::registered_orgs::Registration;
use crate::{MigrationCounts, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of times that the trees of an organisation are built, while somebody else writes them too.
const MAX_BUILDS: usize = 3;

impl ReviewStore {
    /// Builds the trees of every organisation whose reviews are only in the first edition of the ledger. Returns counts of
    /// organisations: `current` ones, and those that were `rewritten`, or would be in a dry run.
    ///
    /// Imports must pause. Can be repeated after an interruption: organisations that are done are left alone.
    ///
    /// # Errors
    /// Occurs also while `listing-index` is being built: it would hide reviews.
    pub async fn migrate_ledger(&self, dry_run: bool) -> Result<MigrationCounts, Error> {
        let mut counts = MigrationCounts::default();
        for org_id in self.orgs_with_reviews().await? {
            if self.is_migrated(org_id).await? {
                counts.current += 1;
                continue;
            }
            counts.rewritten += 1;
            if !dry_run {
                self.check_listing_index().await?;
                Box::pin(self.build_ledger(org_id)).await?;
                self.db.note_progress();
            }
        }
        Ok(counts)
    }

    /// True if the reviews of an organisation are in the present edition of the ledger.
    async fn is_migrated(&self, org_id: OrgId) -> Result<bool, Error> {
        Ok(self.registration(org_id).await? == Registration::SecondEdition
            || self.query_log(org_id).await?.has_directory)
    }

    async fn build_ledger(&self, org_id: OrgId) -> Result<(), Error> {
        // The index may lag behind the last import. The first edition names its reviews at once.
        let posted = self.list_first_edition(org_id).await?;
        for _ in 0..MAX_BUILDS {
            let read = self.read_org_postings(org_id, &posted, usize::MAX).await?;
            let Some((postings, position)) = read else { continue };
            if self.build_org(postings, &position, None).await?.lost.is_empty() {
                return self.mark_migrated(org_id).await;
            }
        }
        Err(Error::Unavailable("the trees of an organisation kept changing while they were built".into()))
    }

    /// Returns the organisations that are not migrated.
    async fn list_unmigrated(&self) -> Result<BTreeSet<OrgId>, Error> {
        let mut unmigrated = BTreeSet::new();
        for org_id in self.orgs_with_reviews().await? {
            if !self.is_migrated(org_id).await? {
                unmigrated.insert(org_id);
            }
        }
        Ok(unmigrated)
    }
}
