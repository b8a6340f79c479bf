//! Search of reviews: exact count and any page, from the trees of the review sets and the log that completes them.
//!
//! 1. [`scope`]: the filter and the caller's scope choose review sets. Each has a tree.
//! 2. [`snapshot`]: the log of the organisation is read strongly. Beside it the roots of the trees, which the log proves.
//!    What the cache predicts is read beside both ([`prediction`]).
//! 3. [`plan`]: each root is completed from the log. The nodes are read that lead to the page.
//! 4. [`bodies`]: the reviews of the page are read, each in the version that its posting names.
//!
//! All that is answered is the state of the organisation at one position of its log. If anything that is read is newer, the
//! search begins again ([`attempt`]).

mod attempt;
mod bodies;
pub(crate) mod cache;
mod migrated;
mod plan;
mod prediction;
mod scope;
mod snapshot;
mod target;

use std::sync::{Arc, Mutex, PoisonError};

use crate::{ReviewQuery, ReviewStore};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::is_empty_range;
use presence_domain::ledger::{FacetKey, FacetMask, ReviewSet};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::Review;

/// Maximum number of bytes in a city key. No business has a longer one, because it is the start of a sort key of
/// `city-index`, which may have 1,024 bytes. Review sets of longer ones would have no valid partition key.
const MAX_CITY_KEY_BYTES: usize = 1_024;

/// Filter of reviews. Every part must admit a review.
#[derive(Clone, Debug)]
pub struct ReviewFilter {
    /// Businesses whose reviews match. Ids that the caller's scope does not cover match nothing.
    pub businesses: Option<Vec<BusinessId>>,
    /// City whose businesses' reviews match, as a [`city_key`](presence_domain::text::city_key).
    pub city_key: Option<String>,
    /// Facets that match.
    pub mask: FacetMask,
    /// First effective second since 1970 that matches.
    pub from: Option<i64>,
    /// Last effective second since 1970 that matches.
    pub to: Option<i64>,
    /// True for newest first, then id descending; false for the exact reverse.
    pub newest_first: bool,
}

/// Cache of the organisations with reviews, as they were listed last. They may have changed since.
#[derive(Debug, Default)]
pub(crate) struct ListedOrgs(Mutex<Arc<[OrgId]>>);

impl ListedOrgs {
    fn get(&self) -> Arc<[OrgId]> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set(&self, orgs: &[OrgId]) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = orgs.into();
    }
}

impl ReviewFilter {
    /// True if it is certain without a read that nothing matches.
    fn matches_nothing(&self) -> bool {
        let is_city_too_long = self.city_key.as_ref().is_some_and(|city| city.len() > MAX_CITY_KEY_BYTES);
        let has_no_business = self.businesses.as_ref().is_some_and(Vec::is_empty);
        is_empty_range(self.from, self.to) || is_city_too_long || has_no_business || self.mask.is_empty()
    }

    /// True if the range of dates and the facets admit a review.
    pub(crate) fn admits(&self, effective_at: i64, facet_key: FacetKey) -> bool {
        self.mask.contains(facet_key)
            && self.from.is_none_or(|from| from <= effective_at)
            && self.to.is_none_or(|to| effective_at <= to)
    }

    /// Returns the query for the reviews of these organisations, or of the city in each of them.
    fn query_in(&self, orgs: &[OrgId], page: PageRequest) -> ReviewQuery {
        let set_of = |org: &OrgId| match &self.city_key {
            None => ReviewSet::Org(*org),
            Some(city) => ReviewSet::City(*org, city.clone()),
        };
        ReviewQuery {
            sets: orgs.iter().map(set_of).collect(),
            mask: self.mask,
            from: self.from,
            to: self.to,
            newest_first: self.newest_first,
            page,
        }
    }
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
            return Ok(Page { request: page, count: 0, items: Vec::new() });
        }
        if let Some(ids) = &filter.businesses {
            let businesses = self.businesses_in(scope, ids, filter.city_key.as_deref()).await?;
            return self.find_reviews_of(scope, &businesses, filter, page).await;
        }
        match scope.only_org() {
            Some(own) => self.find_reviews(scope, &filter.query_in(&[own], page)).await,
            None => Box::pin(self.search_every_org(scope, filter, page)).await,
        }
    }

    /// Searches the reviews of all organisations.
    ///
    /// The search starts with the cached list of organisations, while the list is read. If the list has changed, the result
    /// is discarded and the search is done again. Otherwise the list costs no wave.
    async fn search_every_org(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> Result<Page<Review>, Error> {
        let cached = self.listed_orgs.get();
        let query = filter.query_in(&cached, page);
        // With an empty cache the query has no sets, and makes no read.
        let (orgs, found) = futures::try_join!(self.orgs_with_reviews(), self.find_reviews(scope, &query))?;
        if *orgs == *cached {
            return Ok(found);
        }
        self.listed_orgs.set(&orgs);
        self.find_reviews(scope, &filter.query_in(&orgs, page)).await
    }

    /// Returns those of the businesses that the scope covers, and that are in the city if one is given.
    async fn businesses_in(
        &self,
        scope: Scope,
        ids: &[BusinessId],
        city_key: Option<&str>,
    ) -> Result<Vec<BusinessId>, Error> {
        let locations = self.businesses.get_locations(ids).await?;
        let mut businesses = Vec::new();
        for id in ids {
            let Some(location) = locations.get(id) else { continue };
            if scope.covers(Some(location.org_id)) && city_key.is_none_or(|city| city == location.city_key) {
                businesses.push(id.clone());
            }
        }
        Ok(businesses)
    }
}
