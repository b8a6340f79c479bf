//! What is searched for: one description, which each contender turns into its own reads.

use presence_domain::ids::BusinessId;
use presence_domain::ledger::FacetMask;
use presence_domain::page::PageRequest;
use presence_domain::review::{Partner, Rating, ReviewState};
use presence_store::ReviewFilter;

/// All parts must admit a review; an absent one admits every review.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) state: Option<ReviewState>,
    pub(super) rating: Option<Rating>,
    pub(super) partner: Option<Partner>,
    pub(super) has_content: Option<bool>,
    /// The folded name.
    pub(super) city_key: Option<String>,
    /// Those of one of these; of any where there is none.
    pub(super) businesses: Vec<BusinessId>,
    /// The first and the last effective second since 1970.
    pub(super) between: Option<(i64, i64)>,
}

/// Which page of what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum PagePosition {
    First,
    Middle,
    Last,
}

/// One search, newest first.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// What is searched for, in words that are the same for every number of reviews.
    pub(super) what: &'static str,
    pub(super) filter: Filter,
    pub(super) place: PagePosition,
    pub(super) page: PageRequest,
    /// How many reviews match, by counting them when they were made.
    pub(super) match_count: u64,
}

impl Filter {
    /// The cells that it admits.
    pub(super) fn mask(&self) -> FacetMask {
        FacetMask::from_predicate(|state, rating, partner, has_content| {
            self.state.is_none_or(|only| only == state)
                && self.rating.is_none_or(|only| only == rating)
                && self.partner.is_none_or(|only| only == partner)
                && self.has_content.is_none_or(|only| only == has_content)
        })
    }

    /// As the store takes it.
    pub(super) fn for_store(&self) -> ReviewFilter {
        ReviewFilter {
            businesses: (!self.businesses.is_empty()).then(|| self.businesses.clone()),
            city_key: self.city_key.clone(),
            mask: self.mask(),
            from: self.between.map(|(from, _)| from),
            to: self.between.map(|(_, to)| to),
            newest_first: true,
        }
    }
}

impl PagePosition {
    /// In words.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::First => "page 1",
            Self::Middle => "middle page",
            Self::Last => "last page",
        }
    }
}

impl Search {
    /// A page, of the default size, of so many matching reviews.
    pub(super) fn new(what: &'static str, filter: Filter, place: PagePosition, match_count: u64) -> Self {
        let last = match_count.div_ceil(PageRequest::DEFAULT_SIZE).max(1);
        let page = match place {
            PagePosition::First => 1,
            PagePosition::Middle => last.div_ceil(2),
            PagePosition::Last => last,
        };
        Self { what, filter, place, page: PageRequest { page, ..PageRequest::default() }, match_count }
    }

    /// What and which page.
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.what, self.place.as_str())
    }
}
