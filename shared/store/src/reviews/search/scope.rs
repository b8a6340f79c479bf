//! Scope of a search: the review sets that the caller may see and the filter names.

use super::ReviewFilter;
use super::org_source::{NamedSets, OrgSource};
use super::target::ScopedTarget;
use crate::ReviewStore;
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::Review;
use presence_ledger::search::SearchTarget;
use presence_ledger::{PostingFilter, ReviewSet};

impl ReviewStore {
    /// Returns one page of the matching reviews in the scope, and their number.
    pub async fn search_reviews(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> Result<Page<Review>, Error> {
        self.find_reviews(scope, None, filter, page).await
    }

    /// Returns one page of the matching reviews in these review sets, and their number. `None` is for those that the filter names.
    ///
    /// No review may be in two of the sets. Sets outside the scope match nothing.
    pub async fn find_reviews(
        &self,
        scope: Scope,
        sets: Option<&[ReviewSet]>,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> Result<Page<Review>, Error> {
        if filter.matches_nothing() {
            return Ok(Page { request: page, count: 0, items: Vec::new() });
        }
        let (mut retries, mut first_begun) = (self.db.retries(), None);
        loop {
            let NamedSets { sets, source } = match sets {
                Some(sets) => {
                    let covered = sets.iter().filter(|set| scope.covers(Some(set.org_id())));
                    NamedSets { sets: covered.cloned().collect(), source: OrgSource::Scope }
                }
                None => self.named_sets(scope, filter).await?,
            };
            let search = SearchTarget::new(sets, filter.posting_filter(), filter.newest_first, page);
            let cut = self.plan_cut(&search.orgs, false, &mut first_begun).await?;
            let target = ScopedTarget { search, business_city: filter.unchecked_city(&source), source, cut };
            if let Some(found) = self.search(&target).await? {
                return Ok(found);
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("businesses kept moving while their reviews were searched".into()));
            }
        }
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

    /// Returns the city that the locations of named businesses must be compared with. `None` if the filter names no businesses or no city,
    /// or if these locations chose the sets.
    pub(super) fn unchecked_city(&self, source: &OrgSource) -> Option<String> {
        let is_unchecked = self.businesses.is_some() && source.locations().is_none();
        self.city_key.clone().filter(|_| is_unchecked)
    }
}
