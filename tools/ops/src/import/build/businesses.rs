//! Businesses of a build: where they are, and the review sets that count their reviews.

use std::collections::HashMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Review, ReviewRow};
use presence_ledger::ReviewSet;
use presence_store::{BusinessLocation, BusinessStore, with_exported_acts};

/// Businesses that the rows name, each as it was when it was looked up first. A build takes some 500 bytes of memory for each.
#[derive(Debug, Default)]
pub(super) struct KnownBusinesses {
    by_id: HashMap<BusinessId, KnownBusiness>,
    numbers: HashMap<ReviewSet, u32>,
    sets: Vec<ReviewSet>,
}

#[derive(Debug)]
struct KnownBusiness {
    location: BusinessLocation,
    /// Numbers of the sets of its organisation, its city and itself; `None` until it has a review.
    sets: Option<[u32; 3]>,
}

impl KnownBusinesses {
    /// Looks up those of the businesses that are not known yet. Those that do not exist stay unknown.
    pub(super) async fn look_up(&mut self, store: &BusinessStore, ids: &[BusinessId]) -> Result<(), Error> {
        let unknown: Vec<BusinessId> = ids.iter().filter(|id| !self.by_id.contains_key(*id)).cloned().collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let found = store.get_locations(&unknown).await?;
        self.by_id.extend(found.into_iter().map(|(id, location)| (id, KnownBusiness { location, sets: None })));
        Ok(())
    }

    /// Returns the review of a row at the location of its business. The error is the reason to reject a row whose business is not
    /// known.
    pub(super) fn locate(&self, row: ReviewRow) -> Result<Review, String> {
        match self.by_id.get(row.business_id()) {
            Some(KnownBusiness { location, .. }) => {
                let acts = row.acts().map(str::to_owned);
                let review = row.into_review(location.org_id, &location.city_key);
                match acts {
                    Some(acts) => with_acts(review, &acts),
                    None => Ok(review),
                }
            }
            None => Err(row.unknown_business()),
        }
    }

    /// Returns the numbers of the sets that count the reviews of a business. Numbers are given in the order of the calls.
    pub(super) fn sets_of(&mut self, id: &BusinessId) -> Option<[u32; 3]> {
        let known = self.by_id.get_mut(id)?;
        if known.sets.is_none() {
            let BusinessLocation { org_id, city_key } = &known.location;
            let sets = [
                ReviewSet::Org(*org_id),
                ReviewSet::City(*org_id, city_key.clone()),
                ReviewSet::Business(*org_id, id.clone()),
            ];
            let (numbers, named) = (&mut self.numbers, &mut self.sets);
            known.sets = Some(sets.map(|set| {
                *numbers.entry(set).or_insert_with_key(|set| {
                    named.push(set.clone());
                    // Four billion sets do not fit the memory.
                    u32::try_from(named.len() - 1).unwrap_or(u32::MAX)
                })
            }));
        }
        known.sets
    }

    /// Returns the set with a number.
    pub(super) fn set(&self, number: u32) -> &ReviewSet {
        &self.sets[number as usize]
    }

    /// Returns the sets with reviews by organisation, ascending.
    pub(super) fn sets_by_org(&self) -> Vec<(OrgId, Vec<ReviewSet>)> {
        let mut sets = self.sets.clone();
        sets.sort_unstable_by_key(ReviewSet::org_id);
        let by_org = sets.chunk_by(|one, other| one.org_id() == other.org_id());
        by_org.map(|sets| (sets[0].org_id(), sets.to_vec())).collect()
    }
}

/// Returns the review of an exported row with the changes that people made to it.
fn with_acts(review: Review, acts: &str) -> Result<Review, String> {
    let bytes = BASE64_STANDARD.decode(acts).ok();
    let review = bytes.and_then(|bytes| with_exported_acts(review, &bytes));
    review.ok_or_else(|| "acts: is not what an export of this version writes".to_owned())
}
