//! Budgets of searches: the most units, calls and waves that a search may cost.

use anyhow::ensure;
use presence_domain::page::PageRequest;
use presence_domain::review::FacetMask;
use presence_store::ReviewFilter;

use super::ReviewDatabase;
use super::searches::{PagePosition, Search, SearchOutcome, named_searches, random_search, run_search};
use crate::cost::Cost;
use crate::distribution::Distribution;

/// Number of random searches. Each reads page 1 and another page.
const RANDOM_SEARCHES: usize = 40;
const SEED: u64 = 20_240_229;
/// Largest number of businesses whose search is one wave when it is repeated.
const WARM_BUSINESSES: usize = 100;

/// Most that a search may cost, without the key.
#[derive(Clone, Copy, Debug)]
struct Budget {
    read_units: f64,
    calls: u32,
    waves: u32,
}

/// Budget of a search in an organisation or city, on any page.
const ANY_PAGE: Budget = Budget { read_units: 30.0, calls: 15, waves: 4 };
/// Budget of page 1 without a filter.
const FIRST_PAGE: Budget = Budget { read_units: 8.0, waves: 1, ..ANY_PAGE };
/// Budget of the last page without a filter: its postings are in the root, and its reviews are read when their number is known.
const LAST_PAGE: Budget = Budget { read_units: 8.0, waves: 2, ..ANY_PAGE };
/// Budget of page 1 of a filter that a tenth of the reviews match, or more.
const FIRST_PAGE_OF_TENTH: Budget = Budget { read_units: 14.0, waves: 2, ..ANY_PAGE };
/// Number of businesses of a short list.
const SHORT_LIST: usize = 20;
/// Budget of a short list of businesses.
const SHORT_LIST_BUDGET: Budget = Budget { read_units: 60.0, calls: 60, waves: 4 };
/// Budget of page 1 of a list of 385 businesses, as many as a request line holds.
const LONG_LIST_FIRST_PAGE: Budget = Budget { read_units: 320.0, calls: 320, waves: 4 };
/// Budget of any other page of such a list: a root and a leaf of each business, half a unit each.
const LONG_LIST: Budget = Budget { read_units: 402.0, ..LONG_LIST_FIRST_PAGE };

impl Budget {
    /// Returns the budget of a search with this number of matches among this number of reviews.
    fn of(filter: &ReviewFilter, request: PageRequest, matches: u64, reviews: u64) -> Self {
        if let Some(businesses) = filter.businesses.as_ref().map(Vec::len).filter(|number| *number > 1) {
            return match request.page {
                _ if businesses <= SHORT_LIST => SHORT_LIST_BUDGET,
                1 => LONG_LIST_FIRST_PAGE,
                _ => LONG_LIST,
            };
        }
        let has_range = filter.from.is_some() || filter.to.is_some();
        let has_set = filter.city_key.is_some() || filter.businesses.is_some();
        let is_unfiltered = filter.mask == FacetMask::ALL && !has_range && !has_set;
        match request.page {
            1 if is_unfiltered => FIRST_PAGE,
            page if is_unfiltered && page >= matches.div_ceil(request.size) => LAST_PAGE,
            1 if filter.newest_first && !has_range && matches * 10 >= reviews => FIRST_PAGE_OF_TENTH,
            _ => ANY_PAGE,
        }
    }

    fn admits(&self, cost: Cost) -> bool {
        cost.read_units <= self.read_units && cost.calls <= self.calls && cost.waves <= self.waves
    }
}

/// Cost of a search on one page.
#[derive(Clone, Debug)]
pub(crate) struct CountedSearch {
    /// Name of the search, and its page.
    pub(crate) name: String,
    /// Cost with empty caches.
    pub(crate) cold: Cost,
    /// Cost when it is repeated.
    pub(crate) repeated: Cost,
    /// Cost of the next page, with the caches of this one.
    pub(crate) neighbour: Cost,
}

/// Checks the budgets of named searches on three pages each, and of random searches. Returns the costs of the named ones, and the
/// searches beyond their budgets.
pub(crate) async fn check_budgets(database: &ReviewDatabase) -> anyhow::Result<(Vec<CountedSearch>, Vec<String>)> {
    let (mut counted, mut beyond) = (Vec::new(), Vec::new());
    let distribution = database.distribution();
    for search in named_searches(distribution) {
        let matches = run_search(&database.stores(), &search.filter, PagePosition::First.page(0)).await?.page.count;
        for position in PagePosition::ALL {
            let name = format!("{}, {}", search.name, position.label());
            let one = count_search(database, name, &search, position.page(matches), &mut beyond).await?;
            counted.push(one);
        }
    }
    check_random_searches(database, &mut beyond).await?;
    Ok((counted, beyond))
}

/// Counts a search on one page: with empty caches, repeated, and on the next page.
async fn count_search(
    database: &ReviewDatabase,
    name: String,
    search: &Search,
    request: PageRequest,
    beyond: &mut Vec<String>,
) -> anyhow::Result<CountedSearch> {
    let (store, filter) = (database.stores(), &search.filter);
    let cold = run_search(&store, filter, request).await?;
    let repeated = run_search(&store, filter, request).await?;
    ensure!(cold.page == repeated.page, "{name}: the repeated search has another answer");
    let next = PageRequest { page: request.page + 1, ..request };
    let neighbour = run_search(&store, filter, next).await?;
    let cold_next = run_search(&database.stores(), filter, next).await?;
    ensure!(neighbour.page == cold_next.page, "{name}: the next page is another one with caches");
    check(database.distribution(), &name, filter, request, &cold, beyond);
    if filter.businesses.as_ref().is_none_or(|businesses| businesses.len() <= WARM_BUSINESSES) {
        for (kind, warm, cold) in
            [("repeated", repeated.cost, cold.cost), ("next page", neighbour.cost, cold_next.cost)]
        {
            if warm.waves > 1 || warm.read_units > cold.read_units {
                beyond.push(format!("{name}, {kind}: {warm:?}, cold {cold:?}"));
            }
        }
    }
    Ok(CountedSearch { name, cold: cold.cost, repeated: repeated.cost, neighbour: neighbour.cost })
}

async fn check_random_searches(database: &ReviewDatabase, beyond: &mut Vec<String>) -> anyhow::Result<()> {
    let distribution = database.distribution();
    let mut rng = fastrand::Rng::with_seed(SEED ^ distribution.total);
    for number in 0..RANDOM_SEARCHES {
        let Search { filter, .. } = random_search(&mut rng);
        let name = format!("random {number}: {filter:?}");
        let first = PagePosition::First.page(0);
        let outcome = run_search(&database.stores(), &filter, first).await?;
        check(distribution, &name, &filter, first, &outcome, beyond);
        let request = PagePosition::ALL[rng.usize(0..3)].page(outcome.page.count);
        let outcome = run_search(&database.stores(), &filter, request).await?;
        check(distribution, &name, &filter, request, &outcome, beyond);
    }
    Ok(())
}

fn check(
    distribution: &Distribution,
    name: &str,
    filter: &ReviewFilter,
    request: PageRequest,
    outcome: &SearchOutcome,
    beyond: &mut Vec<String>,
) {
    let budget = Budget::of(filter, request, outcome.page.count, distribution.total);
    if !budget.admits(outcome.cost) {
        beyond.push(format!("{name}: {:?} of {budget:?}", outcome.cost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review_database::fill_log;
    use crate::review_database::searches::PER_PAGE;

    async fn assert_within_budgets(reviews: u64) {
        let database = ReviewDatabase::start(Distribution::new(reviews)).await.expect("a database");
        let (_, beyond) = check_budgets(&database).await.expect("answers");
        assert!(beyond.is_empty(), "{} searches are beyond their budgets:\n{}", beyond.len(), beyond.join("\n"));
    }

    #[tokio::test]
    async fn searches_of_ten_thousand_reviews_are_within_their_budgets() {
        assert_within_budgets(10_000).await;
    }

    #[tokio::test]
    async fn searches_of_a_hundred_thousand_reviews_are_within_their_budgets() {
        assert_within_budgets(100_000).await;
    }

    /// Pages that follow each other, of some months each: beyond a month, another branch begins.
    #[tokio::test]
    async fn each_page_after_another_one_takes_one_wave() {
        let database = ReviewDatabase::start(Distribution::new(100_000)).await.expect("a database");
        let searches = named_searches(database.distribution());
        let mut beyond = Vec::new();
        for (name, pages) in [
            ("no filter", 1..200),
            ("no filter", 1_000..1_150),
            ("no filter, oldest first", 1..150),
            ("up to the dense day", 1..170),
            ("not treated (35 %)", 1..150),
            ("400 days to the second", 250..300),
            ("a city of 30 %", 1..150),
            ("20 businesses", 1..100),
            ("100 businesses", 100..170),
        ] {
            let search = searches.iter().find(|search| search.name == name).expect("a named search");
            let store = database.stores();
            for page in pages.clone() {
                let request = PageRequest { page, size: PER_PAGE };
                let outcome = run_search(&store, &search.filter, request).await.expect("a page");
                if outcome.cost.waves > 1 && page > pages.start {
                    beyond.push(format!("{name}, page {page}: {:?}", outcome.cost));
                }
            }
        }
        assert!(beyond.is_empty(), "{}", beyond.join("\n"));
    }

    /// Just before a fold, each search reads 512 changes more.
    #[tokio::test]
    async fn log_before_a_fold_takes_few_units_and_every_search_keeps_its_budget() {
        let database = ReviewDatabase::start(Distribution::new(100_000)).await.expect("a database");
        fill_log(&database, 512).await.expect("reviews are written");
        let store = database.stores();
        let repeated = async || run_search(&store, &ReviewFilter::ALL, PageRequest::default()).await.expect("a page");
        assert_eq!(repeated().await.page.count, 100_512);
        // The reviews of the page take two units.
        let log_units = repeated().await.cost.read_units - 2.0;
        assert!(log_units <= 8.0, "{log_units} units of the log");
        let (counted, _) = check_budgets(&database).await.expect("answers");
        let of_set = counted.iter().filter(|search| !search.name.contains("businesses"));
        let beyond: Vec<_> = of_set.filter(|search| !ANY_PAGE.admits(search.cold)).collect();
        assert!(beyond.is_empty(), "{beyond:?}");
    }
}
