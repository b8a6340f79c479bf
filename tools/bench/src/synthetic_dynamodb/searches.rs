//! Searches to be counted: named ones, and any number of random ones.

use std::sync::Arc;

use presence_domain::access::Principal;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::ledger::{CELLS, Cell, CellMask, Day, SECONDS_OF_DAY};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{Partner, Review, ReviewState};
use presence_domain::text::city_key;
use presence_domain::user::Role;
use presence_store::meter::{Cost, Meter};
use presence_store::{ReviewFilter, Store};

use crate::distribution::{CITIES_BY_SIZE, DENSE_DAY, Distribution};

/// Reviews on a page: what the budget is for.
pub const PER_PAGE: u64 = PageRequest::DEFAULT_SIZE;
/// The last second of the distribution: that of 2025-12-31.
const LAST_SECOND: i64 = 1_767_225_599;

/// Which page of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PagePosition {
    /// Page 1.
    First,
    /// The page in the middle.
    Middle,
    /// The last page that is full, or the first.
    Last,
}

impl PagePosition {
    /// Every position.
    pub const ALL: [Self; 3] = [Self::First, Self::Middle, Self::Last];

    /// The number of the page where so many reviews match.
    #[must_use]
    pub fn page(self, count: u64) -> PageRequest {
        let full = (count / PER_PAGE).max(1);
        let page = match self {
            Self::First => 1,
            Self::Middle => full.div_ceil(2),
            Self::Last => full,
        };
        PageRequest { page, size: PER_PAGE }
    }
}

/// A search.
#[derive(Clone, Debug)]
pub struct Search {
    /// What it is called in a table.
    pub name: String,
    /// What it asks for.
    pub filter: ReviewFilter,
}

/// What a search found and cost.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// The page.
    pub page: Page<Review>,
    /// Calls, waves and units, without the key.
    pub cost: Cost,
}

/// Searches, as a user of the organisation, for the page and what it costs.
pub async fn run_search(store: &Store, filter: &ReviewFilter, request: PageRequest) -> Result<SearchOutcome, Error> {
    let meter = Arc::new(Meter::default());
    let caller = Principal { user_id: UserId::random(), org_id: OrgId::new(1), role: Role::OrgAdmin };
    let page = Arc::clone(&meter).watch(store.search_reviews(caller.scope(), filter, request)).await?;
    Ok(SearchOutcome { page, cost: meter.cost() })
}

/// What is measured by name.
#[must_use]
pub fn named(distribution: &Distribution) -> Vec<Search> {
    let all = everything();
    let mask = |mask| ReviewFilter { mask, ..all.clone() };
    let range = |from: i64, to: i64| ReviewFilter { from: Some(from), to: Some(to), ..all.clone() };
    let end = LAST_SECOND - 5 * SECONDS_OF_DAY - 40_000;
    let dense = Day::parse(DENSE_DAY).map_or(0, Day::end);
    let seldom = CellMask::of(|state, rating, partner, _| {
        state == ReviewState::Deleted && rating.get() == 5 && partner == Partner::Partner9
    });
    let mut searches = vec![
        ("no filter".to_owned(), all.clone()),
        ("no filter, oldest first".to_owned(), ReviewFilter { newest_first: false, ..all.clone() }),
        ("up to the dense day".to_owned(), ReviewFilter { to: Some(dense), ..all.clone() }),
        ("not treated (35 %)".to_owned(), mask(CellMask::of(|state, _, _, _| state == ReviewState::NotTreated))),
        ("rated 1 (10 %, 3 runs)".to_owned(), mask(CellMask::of(|_, rating, _, _| rating.get() == 1))),
        ("with content (60 %, 45 runs)".to_owned(), mask(CellMask::of(|_, _, _, has_content| has_content))),
        ("0.15 %".to_owned(), mask(seldom)),
        ("rarest cell (0.006 %)".to_owned(), mask(rarest())),
        ("400 days to the second".to_owned(), range(end - 400 * SECONDS_OF_DAY, end)),
        ("10 days to the second".to_owned(), range(end - 10 * SECONDS_OF_DAY, end)),
        ("an afternoon".to_owned(), range(end - 20_000, end)),
    ];
    for (city, share) in CITIES_BY_SIZE.iter().zip(["30", "3", "0.3", "0.03", "0.003"]) {
        searches.push((format!("a city of {share} %"), ReviewFilter { city_key: Some(city_key(city)), ..all.clone() }));
    }
    let seldom_there = ReviewFilter { city_key: Some(city_key(CITIES_BY_SIZE[0])), mask: seldom, ..all.clone() };
    searches.push(("0.15 % of a city of 30 %".to_owned(), seldom_there));
    let small = Some(vec![distribution.small_business().id.clone()]);
    searches.push(("a business of 1,000".to_owned(), ReviewFilter { businesses: small, ..all }));
    searches.into_iter().map(|(name, filter)| Search { name, filter }).collect()
}

/// A search by book of which nothing is expected: any mask, any range, any city, either order.
#[must_use]
pub fn random(rng: &mut fastrand::Rng) -> Search {
    let city_key = (rng.u8(0..2) == 0).then(|| city(rng));
    let (from, to) = range(rng);
    let filter = ReviewFilter { businesses: None, city_key, mask: mask(rng), from, to, newest_first: rng.bool() };
    Search { name: "random".to_owned(), filter }
}

fn everything() -> ReviewFilter {
    ReviewFilter { businesses: None, city_key: None, mask: CellMask::ALL, from: None, to: None, newest_first: true }
}

fn rarest() -> CellMask {
    CellMask::of(|state, rating, partner, has_content| {
        (state, rating.get(), partner, has_content) == (ReviewState::Deleted, 2, Partner::Partner9, false)
    })
}

fn city(rng: &mut fastrand::Rng) -> String {
    let place = rng.usize(0..=CITIES_BY_SIZE.len());
    CITIES_BY_SIZE.get(place).map_or_else(|| "saint-martin 7".to_owned(), |city| city_key(city))
}

fn range(rng: &mut fastrand::Rng) -> (Option<i64>, Option<i64>) {
    let first = LAST_SECOND - 1_826 * SECONDS_OF_DAY;
    let longest = [3_600, SECONDS_OF_DAY, 28 * SECONDS_OF_DAY, 400 * SECONDS_OF_DAY, 1_826 * SECONDS_OF_DAY];
    let from = rng.i64(first..LAST_SECOND);
    let longest = longest[rng.usize(0..longest.len())];
    let to = from + rng.i64(1..longest);
    // Sometimes at the edges of days, which are not cut then.
    let (from, to) = if rng.u8(0..4) == 0 { (Day::of(from).start(), Day::of(to).end()) } else { (from, to) };
    let (open_start, open_end) = (rng.u8(0..3) == 0, rng.u8(0..3) == 0);
    ((!open_start).then_some(from), (!open_end).then_some(to))
}

/// A filter as users make it, or scattered cells, or a single one.
fn mask(rng: &mut fastrand::Rng) -> CellMask {
    match rng.u8(0..6) {
        0 => CellMask::ALL,
        1 => {
            let cells = rng.u128(..);
            cells_of(|cell| cells >> cell & 1 == 1)
        }
        2 => {
            let one = rng.usize(0..CELLS);
            cells_of(|cell| cell == one)
        }
        _ => {
            let (states, ratings, partners, content) = (rng.u8(1..8), rng.u8(1..32), rng.u8(1..8), rng.u8(1..4));
            CellMask::of(|state, rating, partner, has_content| {
                states >> state as u8 & 1 == 1
                    && ratings >> (rating.get() - 1) & 1 == 1
                    && partners >> partner as u8 & 1 == 1
                    && content >> u8::from(has_content) & 1 == 1
            })
        }
    }
}

fn cells_of(admits: impl Fn(usize) -> bool) -> CellMask {
    CellMask::of(|state, rating, partner, has_content| {
        admits(usize::from(Cell::new(state, rating, partner, has_content).number()))
    })
}
