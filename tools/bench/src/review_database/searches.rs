//! Searches whose reads are counted: named ones, and any number of random ones.

use presence_domain::access::Principal;
use presence_domain::calendar::{Day, SECONDS_OF_DAY};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{FACET_KEY_COUNT, FacetKey, FacetMask, Partner, Review, ReviewState};
use presence_domain::text::city_key;
use presence_domain::user::Role;
use presence_store::{ReviewFilter, Stores};

use crate::cost::{Cost, measure_cost};
use crate::distribution::{CITIES_BY_SIZE, DENSE_DAY, Distribution};

/// Number of reviews on a page.
pub(crate) const PER_PAGE: u64 = PageRequest::DEFAULT_SIZE;
/// Numbers of businesses in lists. The last one is what a request line holds.
pub(super) const BUSINESS_LISTS: [usize; 3] = [20, 100, 385];
/// Last second of the distribution: that of 2025-12-31.
pub(super) const LAST_SECOND: i64 = 1_767_225_599;
/// Number of seconds of the distribution: five years.
const ALL_SECONDS: i64 = 1_826 * SECONDS_OF_DAY;

/// Position of a page among the pages of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PagePosition {
    /// Page 1.
    First,
    /// Page in the middle.
    Middle,
    /// Last full page, or page 1 if no page is full.
    Last,
}

impl PagePosition {
    /// Positions in the order of their pages.
    pub(crate) const ALL: [Self; 3] = [Self::First, Self::Middle, Self::Last];

    /// Returns the page at this position among the pages of `count` reviews.
    pub(crate) fn page(self, count: u64) -> PageRequest {
        let full_pages = (count / PER_PAGE).max(1);
        let page = match self {
            Self::First => 1,
            Self::Middle => full_pages.div_ceil(2),
            Self::Last => full_pages,
        };
        PageRequest { page, size: PER_PAGE }
    }

    /// Returns the name of the position in a table.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::First => "page 1",
            Self::Middle => "middle page",
            Self::Last => "last page",
        }
    }
}

/// Search of reviews with its name in a table.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// Name of the search in a table.
    pub(crate) name: String,
    /// Filter of the search.
    pub(crate) filter: ReviewFilter,
}

impl Search {
    fn new(name: impl Into<String>, filter: ReviewFilter) -> Self {
        Self { name: name.into(), filter }
    }
}

/// Result of a search and its cost.
#[derive(Clone, Debug)]
pub(crate) struct SearchOutcome {
    /// Page of reviews.
    pub(crate) page: Page<Review>,
    /// Calls, waves and units. Verifying the key is not included.
    pub(crate) cost: Cost,
}

/// Searches as a user of the organisation. Returns the page and its cost. The store needs the `WavesConnector`.
pub(crate) async fn run_search(
    store: &Stores,
    filter: &ReviewFilter,
    request: PageRequest,
) -> Result<SearchOutcome, Error> {
    let caller = Principal { user_id: UserId::random(), org_id: OrgId::new(1), role: Role::OrgAdmin };
    let (reviews, filter) = (store.reviews.clone(), filter.clone());
    let search = async move { reviews.search_reviews(caller.scope(), &filter, request).await };
    let (page, cost) = measure_cost(search).await;
    Ok(SearchOutcome { page: page?, cost })
}

/// Returns searches of all kinds: each dimension of a filter alone, from common to rare, and some combinations.
pub(crate) fn named_searches(distribution: &Distribution) -> Vec<Search> {
    let rare = FacetMask::from_predicate(|state, rating, partner, _| {
        (state, rating.get(), partner) == (ReviewState::Deleted, 5, Partner::Partner9)
    });
    let dense_day_end = Day::parse(DENSE_DAY).map_or(0, Day::end);
    let mut searches = vec![
        Search::new("no filter", ReviewFilter::ALL),
        Search::new("no filter, oldest first", ReviewFilter { newest_first: false, ..ReviewFilter::ALL }),
        Search::new("up to the dense day", ReviewFilter { to: Some(dense_day_end), ..ReviewFilter::ALL }),
        Search::new(
            "not treated (35 %)",
            masked(FacetMask::from_predicate(|state, _, _, _| state == ReviewState::NotTreated)),
        ),
        Search::new("rated 1 (10 %, 3 runs)", masked(FacetMask::from_predicate(|_, rating, _, _| rating.get() == 1))),
        Search::new(
            "with content (60 %, 45 runs)",
            masked(FacetMask::from_predicate(|_, _, _, has_content| has_content)),
        ),
        Search::new("0.15 %", masked(rare)),
        Search::new("rarest facets (0.006 %)", masked(rarest_facets())),
        Search::new("400 days to the second", last_seconds(400 * SECONDS_OF_DAY)),
        Search::new("10 days to the second", last_seconds(10 * SECONDS_OF_DAY)),
        Search::new("an afternoon", last_seconds(20_000)),
    ];
    for (city, share) in CITIES_BY_SIZE.iter().zip(["30", "3", "0.3", "0.03", "0.003"]) {
        let filter = ReviewFilter { city_key: Some(city_key(city)), ..ReviewFilter::ALL };
        searches.push(Search::new(format!("a city of {share} %"), filter));
    }
    let rare_in_city = ReviewFilter { city_key: Some(city_key(CITIES_BY_SIZE[0])), ..masked(rare) };
    searches.push(Search::new("0.15 % of a city of 30 %", rare_in_city));
    let small_business = Some(vec![distribution.small_business().id.clone()]);
    searches.push(Search::new("a business of 1,000", ReviewFilter { businesses: small_business, ..ReviewFilter::ALL }));
    searches.extend(BUSINESS_LISTS.map(|number| {
        let filter = ReviewFilter { businesses: Some(listed(distribution, number)), ..ReviewFilter::ALL };
        Search::new(format!("{number} businesses"), filter)
    }));
    searches
}

/// Returns a list of businesses: every n-th one, so that all sizes are among them.
pub(super) fn listed(distribution: &Distribution, number: usize) -> Vec<BusinessId> {
    let all = distribution.businesses();
    all.iter().step_by((all.len() / number).max(1)).take(number).map(|business| business.id.clone()).collect()
}

/// Returns a search with a random mask, range, city and order. It names no business, so that the ledger serves it.
pub(crate) fn random_search(rng: &mut fastrand::Rng) -> Search {
    let city_key = (rng.u8(0..2) == 0).then(|| random_city(rng));
    let (from, to) = random_range(rng);
    let mask = random_mask(rng);
    Search::new("random", ReviewFilter { businesses: None, city_key, mask, from, to, newest_first: rng.bool() })
}

fn masked(mask: FacetMask) -> ReviewFilter {
    ReviewFilter { mask, ..ReviewFilter::ALL }
}

/// Returns the filter of a range that ends in the middle of a day, so that the day is cut.
fn last_seconds(seconds: i64) -> ReviewFilter {
    let end = LAST_SECOND - 5 * SECONDS_OF_DAY - 40_000;
    ReviewFilter { from: Some(end - seconds), to: Some(end), ..ReviewFilter::ALL }
}

fn rarest_facets() -> FacetMask {
    FacetMask::from_predicate(|state, rating, partner, has_content| {
        (state, rating.get(), partner, has_content) == (ReviewState::Deleted, 2, Partner::Partner9, false)
    })
}

fn random_city(rng: &mut fastrand::Rng) -> String {
    let position = rng.usize(0..=CITIES_BY_SIZE.len());
    CITIES_BY_SIZE.get(position).map_or_else(|| "saint-martin 7".to_owned(), |city| city_key(city))
}

fn random_range(rng: &mut fastrand::Rng) -> (Option<i64>, Option<i64>) {
    let lengths = [3_600, SECONDS_OF_DAY, 28 * SECONDS_OF_DAY, 400 * SECONDS_OF_DAY, ALL_SECONDS];
    let from = rng.i64(LAST_SECOND - ALL_SECONDS..LAST_SECOND);
    let max_length = lengths[rng.usize(0..lengths.len())];
    let to = from + rng.i64(1..max_length);
    // One range in four has whole days: no day of it is cut.
    let has_whole_days = rng.u8(0..4) == 0;
    let (from, to) = if has_whole_days { (Day::of(from).start(), Day::of(to).end()) } else { (from, to) };
    let (is_open_at_start, is_open_at_end) = (rng.u8(0..3) == 0, rng.u8(0..3) == 0);
    ((!is_open_at_start).then_some(from), (!is_open_at_end).then_some(to))
}

/// Returns a random mask: no filter, scattered facet keys, one of them, or facets as users select them.
fn random_mask(rng: &mut fastrand::Rng) -> FacetMask {
    match rng.u8(0..6) {
        0 => FacetMask::ALL,
        1 => {
            let keys = rng.u128(..);
            mask_of_keys(|key| keys >> key & 1 == 1)
        }
        2 => {
            let selected = rng.usize(0..FACET_KEY_COUNT);
            mask_of_keys(|key| key == selected)
        }
        _ => {
            let (states, ratings, partners, content) = (rng.u8(1..8), rng.u8(1..32), rng.u8(1..8), rng.u8(1..4));
            FacetMask::from_predicate(|state, rating, partner, has_content| {
                states >> state as u8 & 1 == 1
                    && ratings >> (rating.get() - 1) & 1 == 1
                    && partners >> partner as u8 & 1 == 1
                    && content >> u8::from(has_content) & 1 == 1
            })
        }
    }
}

/// Returns the mask of the facet keys whose numbers are admitted.
fn mask_of_keys(admits: impl Fn(usize) -> bool) -> FacetMask {
    FacetMask::from_predicate(|state, rating, partner, has_content| {
        admits(usize::from(FacetKey::new(state, rating, partner, has_content).number()))
    })
}
