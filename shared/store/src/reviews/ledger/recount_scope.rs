//! Scope of a recount: the months, review sets and reviews of an organisation, as counts and `business-index` list them.

use std::collections::{BTreeMap, BTreeSet};

use super::item::Posting;
use crate::client::parallel::parallel;
use crate::keys::effective_between;
use crate::{BusinessLocation, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{Day, Month, ReviewSet};
use presence_domain::review::ReviewId;

/// Maximum number of partitions that are read at a time.
const READS_IN_FLIGHT: u16 = 16;

/// Review sets and reviews to recount in one month. Reviews that the sets' postings name are recounted too.
#[derive(Clone, Debug, Default)]
pub(super) struct RecountScope {
    pub(super) sets: BTreeSet<ReviewSet>,
    pub(super) ids: BTreeSet<ReviewId>,
}

/// A review as `business-index` lists it, and the review sets of its business.
#[derive(Clone, Debug)]
pub(super) struct ListedReview {
    pub(super) posting: Posting,
    pub(super) sets: [ReviewSet; 2],
}

/// Everything that is listed of one month of an organisation.
#[derive(Debug, Default)]
pub(super) struct MonthListing {
    pub(super) scope: RecountScope,
    pub(super) listed: Vec<ListedReview>,
}

impl ReviewStore {
    /// Returns every month of an organisation that has reviews or counts, both ends included. `None` leaves an end open.
    pub(super) async fn list_months(
        &self,
        org_id: OrgId,
        from: Option<Month>,
        to: Option<Month>,
    ) -> Result<BTreeMap<Month, MonthListing>, Error> {
        let businesses = self.businesses.list_by_org(org_id).await?;
        let mut months: BTreeMap<Month, MonthListing> = BTreeMap::new();
        for (set, month) in self.list_counted_months(org_id, &businesses, from, to).await? {
            months.entry(month).or_default().scope.sets.insert(set);
        }
        for (city, posting) in self.list_postings(org_id, &businesses, from, to).await? {
            let month = months.entry(Day::of(posting.effective_at).month()).or_default();
            month.scope.sets.insert(city.clone());
            month.scope.ids.insert(posting.id.clone());
            month.listed.push(ListedReview { posting, sets: [ReviewSet::Org(org_id), city] });
        }
        for month in months.values_mut() {
            month.scope.sets.insert(ReviewSet::Org(org_id));
        }
        Ok(months)
    }

    /// Returns the months with counts of each review set: of the organisation, and of the cities of its businesses.
    async fn list_counted_months(
        &self,
        org_id: OrgId,
        businesses: &[(BusinessId, BusinessLocation)],
        from: Option<Month>,
        to: Option<Month>,
    ) -> Result<Vec<(ReviewSet, Month)>, Error> {
        let cities = businesses.iter().map(|(_, location)| city_of(org_id, location));
        let sets: BTreeSet<ReviewSet> = cities.chain([ReviewSet::Org(org_id)]).collect();
        let reads = sets.iter().map(|set| self.query_month_counts(set, from, to));
        let counts = parallel(READS_IN_FLIGHT, reads).await?;
        let months = sets.iter().zip(counts);
        Ok(months.flat_map(|(set, counts)| counts.into_keys().map(|month| (set.clone(), month))).collect())
    }

    /// Returns the postings of an organisation's businesses by `business-index`, each with the set of its city.
    async fn list_postings(
        &self,
        org_id: OrgId,
        businesses: &[(BusinessId, BusinessLocation)],
        from: Option<Month>,
        to: Option<Month>,
    ) -> Result<Vec<(ReviewSet, Posting)>, Error> {
        let first_second = from.map(|month| month.first_day().start());
        let last_second = to.map(|month| month.last_day().end());
        let between = effective_between(first_second, last_second);
        let reads = businesses.iter().map(|(id, _)| self.query_business_postings(id, between.clone()));
        let postings = parallel(READS_IN_FLIGHT, reads).await?;
        let cities = businesses.iter().map(|(_, location)| city_of(org_id, location));
        let postings = cities.zip(postings);
        Ok(postings.flat_map(|(city, postings)| postings.into_iter().map(move |one| (city.clone(), one))).collect())
    }
}

fn city_of(org_id: OrgId, location: &BusinessLocation) -> ReviewSet {
    ReviewSet::City(org_id, location.city_key.clone())
}
