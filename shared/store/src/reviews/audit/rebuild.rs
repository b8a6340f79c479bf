//! Rebuild by the operator: makes the trees of an organisation what its reviews make them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::report::{INDEX_TIME, MisplacedReview, SLICE};
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::ReviewId;
use presence_ledger::PostingKey;
use presence_ledger::audit::FiledReview;

/// Maximum number of times that a rebuild looks at the organisation: once to correct, once to see that all is right, and again
/// while reviews are written.
const PASSES: u32 = 5;
/// Number of reviews whose texts are in memory at a time while they are moved.
const MOVED_AT_ONCE: usize = 1_000;

/// Report of a rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RebuildReport {
    /// Number of reviews of the organisation.
    pub reviews: usize,
    /// Number of reviews that were counted elsewhere than where their business is.
    pub moved: u64,
    /// Number of trees that were corrected or rebuilt.
    pub rewritten: usize,
}

impl ReviewStore {
    /// Makes the trees of an organisation what its reviews make them, and moves reviews to where their business is.
    ///
    /// Searches and imports may go on: a root is put only if it is still the one that was compared.
    pub async fn rebuild_reviews(&self, org_id: OrgId) -> Result<RebuildReport, Error> {
        let mut report = RebuildReport::default();
        for _ in 0..PASSES {
            self.fold_unless_damaged(org_id).await?;
            let is_right = Box::pin(self.rebuild_once(org_id, &mut report)).await?;
            // Only a pass that changed nothing shows that all is right.
            if is_right {
                self.sweep_org(org_id).await?;
                self.forget_wrong_slices(org_id).await?;
                return Ok(report);
            }
        }
        Err(Error::Unavailable("reviews kept being written while their trees were corrected".into()))
    }

    /// Deletes nodes that no tree of the organisation uses.
    async fn sweep_org(&self, org_id: OrgId) -> Result<(), Error> {
        let mut nodes = 0;
        for set in self.auditor().sets_of_org(org_id).await? {
            nodes += self.sweep_set(&set).await?;
        }
        tracing::info!(%org_id, nodes, "unused nodes were deleted");
        Ok(())
    }

    /// Corrects what is wrong. True if nothing was.
    async fn rebuild_once(&self, org_id: OrgId, report: &mut RebuildReport) -> Result<bool, Error> {
        let (mut is_right, mut from) = (true, PostingKey::FIRST);
        report.reviews = 0;
        loop {
            let slice = self.list_slice(org_id, from, SLICE).await?;
            report.reviews += slice.listed.len();
            let wrong = self.auditor().find_wrong_trees(&slice, INDEX_TIME).await?;
            report.rewritten += self.auditor().mend_trees(org_id, &wrong, usize::MAX).await?;
            let moved = self.move_misplaced(&slice.listed).await?;
            report.moved += moved;
            is_right &= wrong.is_empty() && moved == 0;
            if slice.is_last() {
                break;
            }
            from = slice.keys.end;
        }
        if report.reviews > 0 {
            self.register_org_with_reviews(org_id).await?;
        }
        Ok(is_right)
    }

    /// Moves reviews to where their business is. Returns their number. Reviews of a business that does not exist have no place to
    /// move to.
    async fn move_misplaced(&self, reviews: &[FiledReview]) -> Result<u64, Error> {
        let mut by_business: BTreeMap<BusinessId, Vec<ReviewId>> = BTreeMap::new();
        for MisplacedReview { review, location } in self.find_misplaced_reviews(reviews).await? {
            if let Some(id) = location.and(review.id.to_id()) {
                by_business.entry(review.business_id().clone()).or_default().push(id);
            }
        }
        let mut moved = 0;
        for (business, ids) in by_business {
            for ids in ids.chunks(MOVED_AT_ONCE) {
                moved += self.place_reviews(&business, ids.to_vec()).await?;
            }
        }
        Ok(moved)
    }

    /// Folds the log of an organisation. A tree that cannot be read stops the fold, and is left to the audit.
    pub(super) async fn fold_unless_damaged(&self, org_id: OrgId) -> Result<(), Error> {
        match self.fold_reviews(org_id).await {
            Err(Error::Internal(error)) => {
                tracing::error!(%org_id, %error, "the log of an organisation cannot be folded");
                Ok(())
            }
            folded => folded.map(drop),
        }
    }
}
