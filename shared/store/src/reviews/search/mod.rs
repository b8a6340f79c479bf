//! Search of reviews: exact count and any page, from the trees of the review sets and the log that completes them.
//!
//! 1. [`scope`]: the filter and the caller's scope choose review sets. Each has a tree.
//! 2. [`attempt`]: the [`Searcher`](presence_ledger::search::Searcher) reads logs and trees, and finds the postings of the page. Beside them
//!    the locations of businesses are read, if the filter also names a city ([`business_locations`]), and the reviews that are expected.
//! 3. [`bodies`]: the reviews of the page are read, each in the version that its posting names.
//!
//! For a caller of all organisations, the source of these is read again after the logs ([`org_source`]), and so are the moves of
//! businesses between them ([`moves`]).
//!
//! All that is answered is the state of the organisation at one position of its log. If anything that is read is newer, the
//! search begins again ([`attempt`]).

mod attempt;
mod bodies;
mod business_locations;
mod moves;
mod org_source;
mod scope;
mod stats;
mod target;

pub(crate) use moves::KnownMoves;
pub use stats::StatsError;

use std::sync::{Arc, Mutex, PoisonError};

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::instant::is_empty_range;
use presence_domain::review::FacetMask;

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

impl ReviewFilter {
    /// Filter that admits every review, newest first.
    pub const ALL: Self =
        Self { businesses: None, city_key: None, mask: FacetMask::ALL, from: None, to: None, newest_first: true };
}

/// Cache of the organisations with reviews, as they were listed last. They may have changed since.
#[derive(Debug, Default)]
pub(crate) struct ListedOrgs(Mutex<Arc<[OrgId]>>);

impl ListedOrgs {
    fn get(&self) -> Arc<[OrgId]> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set(&self, orgs: &[OrgId]) {
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
}
