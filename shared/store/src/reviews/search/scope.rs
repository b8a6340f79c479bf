//! Scope of a search: the review sets that the caller may see and the filter names.

use std::collections::HashSet;

use super::ReviewFilter;
use super::business_locations::BusinessLocations;
use super::target::SearchTarget;
use crate::businesses::ReviewLocation;
use crate::{ReviewQuery, ReviewStore};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::is_empty_range;
use presence_domain::ledger::{PostingFilter, ReviewSet};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::Review;

/// Review sets that a filter names in a scope.
pub(super) struct NamedSets {
    pub(super) sets: Vec<ReviewSet>,
    /// Locations of the businesses that the filter names, if they chose the sets; `None` if they were not read.
    pub(super) locations: Option<BusinessLocations>,
}

impl ReviewStore {
    /// Returns one page of the matching reviews in the scope, and their number.
    pub async fn search_reviews(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> Result<Page<Review>, Error> {
        if filter.matches_nothing() {
            return Ok(empty_page(page));
        }
        match self.named_sets(scope, filter).await? {
            Some(named) => {
                let business_city = filter.unchecked_city(named.locations.as_ref());
                self.search(&SearchTarget { business_city, ..filter.target(named.sets, page) }).await
            }
            None => Box::pin(self.search_all_orgs(filter, page)).await,
        }
    }

    /// Returns one page of the matching reviews in review sets, and their number. Sets outside the scope match nothing.
    pub async fn find_reviews(&self, scope: Scope, query: &ReviewQuery) -> Result<Page<Review>, Error> {
        let sets: Vec<ReviewSet> = query.sets.iter().filter(|set| scope.covers(Some(set.org_id()))).cloned().collect();
        if query.mask.is_empty() || is_empty_range(query.from, query.to) {
            return Ok(empty_page(query.page));
        }
        let filter = PostingFilter { mask: query.mask, from: query.from, to: query.to };
        self.search(&SearchTarget::new(sets, filter, query.newest_first, query.page)).await
    }

    /// Searches the reviews of all organisations.
    ///
    /// The search starts with the cached list of organisations, while the list is read. If the list has changed, the result
    /// is discarded and the search is done again. Otherwise the list costs no wave.
    async fn search_all_orgs(&self, filter: &ReviewFilter, page: PageRequest) -> Result<Page<Review>, Error> {
        let target = |orgs: &[OrgId]| filter.target(orgs.iter().map(|org_id| filter.set_in(*org_id)), page);
        let cached = self.listed_orgs.get();
        let early = target(&cached);
        // With an empty cache the target has no trees, and makes no read.
        let (orgs, found) = futures::try_join!(self.orgs_with_reviews(), self.search(&early))?;
        if *orgs == *cached {
            return Ok(found);
        }
        self.listed_orgs.set(&orgs);
        self.search(&target(&orgs)).await
    }

    /// Returns the sets that a filter names in a scope; `None` for one set of each organisation with reviews.
    pub(super) async fn named_sets(&self, scope: Scope, filter: &ReviewFilter) -> Result<Option<NamedSets>, Error> {
        let sets = match (scope.only_org(), &filter.businesses) {
            // A business of another organisation has no tree in this one. So nothing has to be looked up.
            (Some(own), Some(ids)) => ids.iter().map(|id| ReviewSet::Business(own, id.clone())).collect(),
            (Some(own), None) => vec![filter.set_in(own)],
            (None, Some(ids)) => return self.business_sets(ids, filter.city_key.as_deref()).await.map(Some),
            (None, None) => return Ok(None),
        };
        Ok(Some(NamedSets { sets, locations: None }))
    }

    /// Returns the sets of businesses of all organisations, in the city if one is given. A business that has moved has two.
    async fn business_sets(&self, ids: &[BusinessId], city_key: Option<&str>) -> Result<NamedSets, Error> {
        let locations = self.read_locations(ids).await?;
        let mut sets = Vec::new();
        for id in ids.iter().collect::<HashSet<_>>() {
            let Some(ReviewLocation { location, other_org_id, .. }) = locations.get(id) else { continue };
            if city_key.is_some_and(|city| city != location.city_key) {
                continue;
            }
            // While a business moves, each of its reviews is in one of two organisations.
            let orgs = std::iter::once(location.org_id).chain(*other_org_id);
            sets.extend(orgs.map(|org_id| ReviewSet::Business(org_id, id.clone())));
        }
        Ok(NamedSets { sets, locations: Some(locations) })
    }
}

impl ReviewFilter {
    /// Returns the set of an organisation that the filter names: the organisation or a city.
    pub(super) fn set_in(&self, org_id: OrgId) -> ReviewSet {
        match &self.city_key {
            None => ReviewSet::Org(org_id),
            Some(city_key) => ReviewSet::City(org_id, city_key.clone()),
        }
    }

    /// Returns the part of the filter that postings are compared with.
    pub(super) fn posting_filter(&self) -> PostingFilter {
        PostingFilter { mask: self.mask, from: self.from, to: self.to }
    }

    /// Returns the city that the locations of named businesses must be compared with; `None` if the filter names no businesses or no
    /// city, or these locations chose the sets.
    pub(super) fn unchecked_city(&self, locations: Option<&BusinessLocations>) -> Option<String> {
        let is_unchecked = self.businesses.is_some() && locations.is_none();
        self.city_key.clone().filter(|_| is_unchecked)
    }

    fn target(&self, sets: impl IntoIterator<Item = ReviewSet>, page: PageRequest) -> SearchTarget {
        SearchTarget::new(sets, self.posting_filter(), self.newest_first, page)
    }
}

fn empty_page(request: PageRequest) -> Page<Review> {
    Page { request, count: 0, items: Vec::new() }
}
