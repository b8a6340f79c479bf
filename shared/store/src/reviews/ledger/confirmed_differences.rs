//! Differences between a month of the ledger and its reviews that are certain, although reviews may be written meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use super::item::LedgerKey;
use super::recount::Recount;
use super::recount_scope::RecountScope;
use super::snapshot::{Differences, LedgerSnapshot};
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::Month;
use presence_domain::review::{Review, ReviewId};

/// Maximum number of times that a month is recounted again while writes come in between. A difference that is uncertain
/// then is looked at again the next day.
const MAX_RECOUNTS: usize = 3;

impl ReviewStore {
    /// Returns the differences of a month that no write in between has caused.
    ///
    /// Two recounts must see the same difference, and no review that changes its item may be written between them.
    pub(super) async fn confirmed_differences(
        &self,
        org_id: OrgId,
        month: Month,
        scope: &RecountScope,
    ) -> Result<Differences, Error> {
        let mut before = self.recount_month(org_id, month, scope.clone()).await?;
        for _ in 0..MAX_RECOUNTS {
            if before.differences.is_empty() {
                break;
            }
            let after = self.recount_month(org_id, month, scope.clone()).await?;
            let confirmed = confirm(&before, &after);
            if !confirmed.is_empty() {
                return Ok(confirmed);
            }
            before = after;
        }
        Ok(Differences::new())
    }
}

/// Returns the differences that both recounts saw, in items that no write between them has changed.
fn confirm(before: &Recount, after: &Recount) -> Differences {
    let Some(changed) = items_changed_between(before, after) else { return Differences::new() };
    let mut confirmed = Differences::new();
    for (key, differences) in &after.differences {
        if before.differences.get(key) == Some(differences) && !changed.contains(key) {
            confirmed.insert(key.clone(), differences.clone());
        }
    }
    confirmed
}

/// Returns the items that writes between two recounts have changed; `None` if they are unknown.
///
/// A recount reads the ledger before the reviews. So a review with the same version in both recounts was not written between
/// their reads of the ledger.
fn items_changed_between(before: &Recount, after: &Recount) -> Option<BTreeSet<LedgerKey>> {
    let (old_reviews, new_reviews) = (by_id(&before.reviews), by_id(&after.reviews));
    let ids: BTreeSet<&ReviewId> = before.versions.keys().chain(after.versions.keys()).collect();
    let mut changed = BTreeSet::new();
    for id in ids {
        let (old_version, new_version) = (before.versions.get(id), after.versions.get(id));
        if old_version == new_version {
            continue;
        }
        if let (Some(old), Some(new)) = (old_version, new_version)
            && *new != old + 1
        {
            // It was written more than once. The items that the first write changed are unknown.
            return None;
        }
        let states = [old_reviews.get(id), new_reviews.get(id)].into_iter().flatten();
        changed.extend(LedgerSnapshot::of_reviews(states.copied()).0.into_keys());
    }
    Some(changed)
}

fn by_id(reviews: &[Review]) -> BTreeMap<&ReviewId, &Review> {
    reviews.iter().map(|review| (&review.id, review)).collect()
}
