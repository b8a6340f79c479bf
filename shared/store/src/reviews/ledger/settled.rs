//! Finds the certain errors of a month, while reviews may be written to it.

use std::collections::{BTreeMap, BTreeSet};

use super::recount::{Checked, Differences, RecountScope, count};
use super::write::Key;
use crate::ReviewStore;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::Month;
use presence_domain::review::{Review, ReviewId};

/// Looks at a month that is being written. A difference that is uncertain then is looked at again the next day.
const TRIES: usize = 3;

impl ReviewStore {
    /// Returns what differs between a month and its reviews, and no difference that a write in between has made: each was
    /// seen twice, and no review that could have moved its item was written meanwhile.
    pub(super) async fn settled(
        &self,
        org_id: OrgId,
        month: Month,
        extent: &RecountScope,
    ) -> Result<Differences, Error> {
        let mut before = self.check_month(org_id, month, extent.clone()).await?;
        for _ in 0..TRIES {
            if before.differences.is_empty() {
                break;
            }
            let after = self.check_month(org_id, month, extent.clone()).await?;
            let certain = certain(&before, &after);
            if !certain.is_empty() {
                return Ok(certain);
            }
            before = after;
        }
        Ok(Differences::new())
    }
}

/// The differences that both looks saw, in items that no write between them has touched. The ledger is read before the
/// reviews: where a review has one version in both looks, it had it when the second look read the ledger.
fn certain(before: &Checked, after: &Checked) -> Differences {
    let mut touched: BTreeSet<Key> = BTreeSet::new();
    let (old, new) = (by_id(&before.reviews), by_id(&after.reviews));
    let ids: BTreeSet<&ReviewId> = before.versions.keys().chain(after.versions.keys()).collect();
    for id in ids {
        let (first, second) = (before.versions.get(id), after.versions.get(id));
        if first == second {
            continue;
        }
        // It was elsewhere in between, and nobody knows where.
        if first.zip(second).is_some_and(|(first, second)| *second != first + 1) {
            return Differences::new();
        }
        let places = [old.get(id), new.get(id)].into_iter().flatten();
        touched.extend(places.flat_map(|review| count(std::slice::from_ref(*review)).into_keys()));
    }
    let same =
        |(key, differences): (&Key, &_)| before.differences.get(key) == Some(differences) && !touched.contains(key);
    let seen = after.differences.iter().filter(|(key, differences)| same((key, differences)));
    seen.map(|(key, differences)| (key.clone(), differences.clone())).collect()
}

fn by_id(reviews: &[Review]) -> BTreeMap<&ReviewId, &Review> {
    reviews.iter().map(|review| (&review.id, review)).collect()
}
