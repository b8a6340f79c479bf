//! Searching reviews in a caller's scope: which books or businesses to look at.

use std::sync::{Arc, Mutex, PoisonError};

use crate::client::meter::beside;
use crate::{ReviewQuery, ReviewStore};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::is_empty_range;
use presence_domain::ledger::{FacetKey, FacetMask, ReviewSet};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::Review;

/// The longest folded name of a city. No business has a longer one: it begins a sort key of `city-index`, which may have
/// 1,024 bytes; and the partition of a longer book would not be a key.
const MAX_CITY_KEY_BYTES: usize = 1_024;

/// Which reviews are searched for. All parts must admit a review.
#[derive(Clone, Debug)]
pub struct ReviewFilter {
    /// Those of these businesses. Ids that the caller's scope does not cover match nothing.
    pub businesses: Option<Vec<BusinessId>>,
    /// Those of the businesses in a city, by [`city_key`](presence_domain::text::city_key).
    pub city_key: Option<String>,
    /// The cells.
    pub mask: FacetMask,
    /// The first effective second since 1970.
    pub from: Option<i64>,
    /// The last one.
    pub to: Option<i64>,
    /// Newest first, then id descending; else the exact reverse.
    pub newest_first: bool,
}

/// The organisations that had reviews when they were listed last. Only a guess of what they are now.
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
    /// Whether it is plain without reading that nothing matches.
    fn is_empty(&self) -> bool {
        let reversed = is_empty_range(self.from, self.to);
        let no_such_city = self.city_key.as_ref().is_some_and(|city| city.len() > MAX_CITY_KEY_BYTES);
        let nowhere = self.businesses.as_ref().is_some_and(Vec::is_empty);
        reversed || no_such_city || nowhere || self.mask.is_empty()
    }

    /// True if a review at this second, in this cell, matches.
    pub(crate) fn admits(&self, at: i64, cell: FacetKey) -> bool {
        self.mask.contains(cell) && self.from.is_none_or(|from| from <= at) && self.to.is_none_or(|to| at <= to)
    }

    fn in_orgs(&self, orgs: &[OrgId], page: PageRequest) -> ReviewQuery {
        let book = |org: &OrgId| match &self.city_key {
            None => ReviewSet::Org(*org),
            Some(city) => ReviewSet::City(*org, city.clone()),
        };
        ReviewQuery {
            books: orgs.iter().map(book).collect(),
            mask: self.mask,
            from: self.from,
            to: self.to,
            newest_first: self.newest_first,
            page,
        }
    }
}

impl ReviewStore {
    /// One page of the reviews in the scope that match, and how many there are.
    pub async fn search_reviews(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> Result<Page<Review>, Error> {
        if filter.is_empty() {
            return Ok(Page { request: page, count: 0, items: Vec::new() });
        }
        if let Some(ids) = &filter.businesses {
            let businesses = self.businesses_in(scope, ids, filter.city_key.as_deref()).await?;
            return self.find_reviews_of(scope, &businesses, filter, page).await;
        }
        match scope.only_org() {
            Some(own) => self.find_reviews(scope, &filter.in_orgs(&[own], page)).await,
            None => Box::pin(self.search_every_book(scope, filter, page)).await,
        }
    }

    /// The books of all organisations. Those listed last are searched while the list is read: where it is still the same,
    /// the list costs no wave.
    async fn search_every_book(
        &self,
        scope: Scope,
        filter: &ReviewFilter,
        page: PageRequest,
    ) -> Result<Page<Review>, Error> {
        let guess = self.listed_orgs.get();
        let guessed = filter.in_orgs(&guess, page);
        // Without books it answers without a read.
        let (orgs, found) =
            futures::try_join!(beside(self.orgs_with_reviews()), beside(self.find_reviews(scope, &guessed)))?;
        if *orgs == *guess {
            return Ok(found);
        }
        self.listed_orgs.set(&orgs);
        self.find_reviews(scope, &filter.in_orgs(&orgs, page)).await
    }

    /// The businesses among the ids that the scope covers, and that are in the city where one is named.
    async fn businesses_in(
        &self,
        scope: Scope,
        ids: &[BusinessId],
        city_key: Option<&str>,
    ) -> Result<Vec<BusinessId>, Error> {
        let places = self.businesses.get_locations(ids).await?;
        let wanted = |id: &&BusinessId| {
            let place = places.get(*id);
            place.is_some_and(|place| {
                scope.covers(Some(place.org_id)) && city_key.is_none_or(|city| city == place.city_key)
            })
        };
        Ok(ids.iter().filter(wanted).cloned().collect())
    }
}
