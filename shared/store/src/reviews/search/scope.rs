//! Scope of a search: the review sets that the caller may see and the filter names.

use std::collections::HashSet;

use super::ReviewFilter;
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
        match self.searched_sets(scope, filter).await? {
            Some(sets) => self.search(&filter.target(sets, page)).await,
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
    pub(super) async fn searched_sets(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
    ) -> Result<Option<Vec<ReviewSet>>, Error> {
        Ok(match (scope.only_org(), &filter.businesses, &filter.city_key) {
            // A business of another organisation has no tree in this one. So nothing has to be looked up.
            (Some(own), Some(ids), None) => Some(ids.iter().map(|id| ReviewSet::Business(own, id.clone())).collect()),
            (_, Some(ids), city_key) => Some(self.business_sets(scope, ids, city_key.as_deref()).await?),
            (Some(own), None, _) => Some(vec![filter.set_in(own)]),
            (None, None, _) => None,
        })
    }

    /// Returns the sets of those businesses that the scope covers, and that are in the city if one is given. A business that has moved
    /// has two.
    async fn business_sets(
        &self,
        scope: Scope,
        ids: &[BusinessId],
        city_key: Option<&str>,
    ) -> Result<Vec<ReviewSet>, Error> {
        let locations = self.businesses.get_review_locations(ids).await?;
        let mut sets = Vec::new();
        for id in ids.iter().collect::<HashSet<_>>() {
            let Some(ReviewLocation { location, other_org_id, .. }) = locations.get(id) else { continue };
            if city_key.is_some_and(|city| city != location.city_key) {
                continue;
            }
            // While a business moves, each of its reviews is in one of two organisations.
            let orgs = std::iter::once(location.org_id).chain(*other_org_id);
            let covered = orgs.filter(|org_id| scope.covers(Some(*org_id)));
            sets.extend(covered.map(|org_id| ReviewSet::Business(org_id, id.clone())));
        }
        Ok(sets)
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

    fn target(&self, sets: impl IntoIterator<Item = ReviewSet>, page: PageRequest) -> SearchTarget {
        SearchTarget::new(sets, self.posting_filter(), self.newest_first, page)
    }
}

fn empty_page(request: PageRequest) -> Page<Review> {
    Page { request, count: 0, items: Vec::new() }
}
