//! Searches of the comparison. Each backend turns their filters into its own reads.

use anyhow::Context as _;
use presence_bench::distribution::{CITIES_BY_SIZE, Distribution};
pub(super) use presence_bench::synthetic_dynamodb::PagePosition;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::{FacetMask, SECONDS_OF_DAY};
use presence_domain::page::PageRequest;
use presence_domain::review::{Partner, Rating, ReviewState};
use presence_domain::text::city_key;
use presence_store::ReviewFilter;

use super::match_counts::MatchCounts;

/// Last second of the range of dates: 2025-11-24T22:43:52, so that the range cuts its first and its last day.
const RANGE_END: i64 = 1_764_024_232;
/// Range of 400 days, both ends included.
pub(super) const DATE_RANGE: (i64, i64) = (RANGE_END - 400 * SECONDS_OF_DAY, RANGE_END);
/// Labels of the lists of businesses, and their lengths. The last one is what a request line holds.
const BUSINESS_LISTS: [(&str, usize); 3] = [("20 businesses", 20), ("100 businesses", 100), ("385 businesses", 385)];
/// Labels of the cities of five sizes.
const CITY_LABELS: [&str; 5] = ["city of 30 %", "city of 3 %", "city of 0.3 %", "city of 0.03 %", "city of 0.003 %"];

/// Filter of reviews. A review must match all parts; an absent part matches every review.
#[derive(Clone, Debug, Default)]
pub(super) struct Filter {
    pub(super) state: Option<ReviewState>,
    pub(super) rating: Option<Rating>,
    pub(super) partner: Option<Partner>,
    pub(super) has_content: Option<bool>,
    /// Folded name of the city.
    pub(super) city_key: Option<String>,
    /// Businesses of which one must match. An empty list matches every business.
    pub(super) businesses: Vec<BusinessId>,
    /// First and last effective second since 1970.
    pub(super) date_range: Option<(i64, i64)>,
}

/// Search for one page, newest reviews first.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// Name of the filter. It is the same for every number of reviews.
    pub(super) label: &'static str,
    pub(super) filter: Filter,
    pub(super) position: PagePosition,
    pub(super) page: PageRequest,
    /// Number of matching reviews, counted by the generator.
    pub(super) match_count: u64,
}

impl Filter {
    /// Returns the mask of state, rating, partner and content.
    pub(super) fn mask(&self) -> FacetMask {
        FacetMask::from_predicate(|state, rating, partner, has_content| {
            self.state.is_none_or(|only| only == state)
                && self.rating.is_none_or(|only| only == rating)
                && self.partner.is_none_or(|only| only == partner)
                && self.has_content.is_none_or(|only| only == has_content)
        })
    }

    /// Converts the filter into that of the store.
    pub(super) fn for_store(&self) -> ReviewFilter {
        ReviewFilter {
            businesses: (!self.businesses.is_empty()).then(|| self.businesses.clone()),
            city_key: self.city_key.clone(),
            mask: self.mask(),
            from: self.date_range.map(|(from, _)| from),
            to: self.date_range.map(|(_, to)| to),
            newest_first: true,
        }
    }
}

impl Search {
    fn new(label: &'static str, filter: Filter, position: PagePosition, match_count: u64) -> Self {
        let last = match_count.div_ceil(PageRequest::DEFAULT_SIZE).max(1);
        let page = match position {
            PagePosition::First => 1,
            PagePosition::Middle => last.div_ceil(2),
            PagePosition::Last => last,
        };
        Self { label, filter, position, page: PageRequest { page, ..PageRequest::default() }, match_count }
    }

    /// Returns the name of the filter with that of the page.
    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.label, self.position.label())
    }
}

/// Returns the searches of the comparison: three pages without a filter, and the first and the last page of each filter.
pub(super) fn searches(reviews: &Distribution) -> anyhow::Result<Vec<Search>> {
    let match_counts = MatchCounts::new(reviews);
    let unfiltered = |position| Search::new("no filter", Filter::default(), position, reviews.total());
    let mut searches = PagePosition::ALL.map(unfiltered).to_vec();
    for (label, filter) in filters(reviews)? {
        let match_count = match_counts.count(&filter);
        let ends = [PagePosition::First, PagePosition::Last];
        searches.extend(ends.map(|position| Search::new(label, filter.clone(), position, match_count)));
    }
    Ok(searches)
}

fn filters(reviews: &Distribution) -> anyhow::Result<Vec<(&'static str, Filter)>> {
    let mut filters = facet_filters()?;
    for (label, city) in CITY_LABELS.into_iter().zip(CITIES_BY_SIZE) {
        filters.push((label, Filter { city_key: Some(city_key(city)), ..Filter::default() }));
    }
    filters.push(("400 days", Filter { date_range: Some(DATE_RANGE), ..Filter::default() }));
    let one = vec![reviews.small_business().id.clone()];
    filters.push(("one business", Filter { businesses: one, ..Filter::default() }));
    let all: Vec<BusinessId> = reviews.businesses().into_iter().rev().map(|business| business.id).collect();
    for (label, length) in BUSINESS_LISTS {
        if let Some(businesses) = all.get(..length) {
            filters.push((label, Filter { businesses: businesses.to_vec(), ..Filter::default() }));
        }
    }
    Ok(filters)
}

fn facet_filters() -> anyhow::Result<Vec<(&'static str, Filter)>> {
    let rating = |number| Rating::new(number).context("a rating is from 1 to 5").map(Some);
    let rare = Filter {
        state: Some(ReviewState::Deleted),
        rating: rating(5)?,
        partner: Some(Partner::Partner9),
        ..Filter::default()
    };
    let rarest = Filter { rating: rating(2)?, has_content: Some(false), ..rare.clone() };
    Ok(vec![
        ("rating 5", Filter { rating: rating(5)?, ..Filter::default() }),
        ("not treated", Filter { state: Some(ReviewState::NotTreated), ..Filter::default() }),
        ("with content", Filter { has_content: Some(true), ..Filter::default() }),
        ("0.15 % filter", rare),
        ("rarest facets", rarest),
    ])
}
