//! Tests of the synthetic database against the embedded one, and of the budget of a search.

use std::collections::{BTreeMap, HashMap};

use aws_smithy_http_client::Builder;
use presence_domain::ids::OrgId;
use presence_domain::ledger::tree::FACETS_FROM;
use presence_local::embedded::EmbeddedDynamo;
use presence_store::{bulk_review_items, schema};

use super::*;

/// Number of reviews in both databases: some months are read as a whole, some are not.
const COMPARED_REVIEWS: u64 = 10_000;
const COMPARED_SEARCHES: usize = 60;
const COMPARISON_SEED: u64 = 20_251_103;

#[tokio::test(flavor = "multi_thread")]
async fn synthetic_database_answers_and_costs_as_the_embedded_one() {
    let distribution = Distribution::new(COMPARED_REVIEWS);
    let embedded = EmbeddedDynamo::start(0, None).expect("a database");
    let config = presence_local::sdk_config(&embedded.endpoint_url()).into_builder();
    let config = config.http_client(WavesConnector.over(Builder::new().build_http())).build();
    let real = Stores::new(Database::new(&config, PREFIX));
    real.database.create_tables().await.expect("tables");
    let reviews: Vec<_> = distribution.months().flatten().collect();
    let items = bulk_review_items(&reviews, FACETS_FROM).expect("items");
    embedded.import(&real.database.name(&schema::REVIEWS), items).expect("an empty table");
    real.businesses.put(distribution.small_business()).await.expect("a business");
    let mut rng = fastrand::Rng::with_seed(COMPARISON_SEED);
    let mut searches = named_searches(&distribution);
    searches.extend((0..COMPARED_SEARCHES).map(|_| random_search(&mut rng)));
    let synthetic = store(distribution).expect("a store");
    for Search { name, filter } in searches {
        let count = run_search(&real, &filter, PagePosition::First.page(0)).await.expect("a page").page.count;
        let request = PagePosition::ALL[rng.usize(0..3)].page(count);
        let expected = run_search(&real, &filter, request).await.expect("a page");
        let outcome = run_search(&synthetic, &filter, request).await.expect("a page");
        assert_eq!(outcome.page, expected.page, "{name}: {filter:?}");
        assert_eq!(outcome.cost, expected.cost, "{name}, {request:?}: {filter:?}");
    }
    embedded.stop();
}

#[tokio::test]
async fn unsupported_operation_is_refused() {
    let store = store(Distribution::new(10)).expect("a store");
    assert!(store.reviews.register_org_with_reviews(OrgId::new(1).expect("an id")).await.is_err());
    let by_id: HashMap<_, _> = store.businesses.get_locations(&[]).await.expect("no call");
    assert!(by_id.is_empty());
}

/// Sizes of the budget test. The largest one keeps it below half a minute on two busy cores.
const BUDGET_SIZES: [u64; 3] = [10_000, 100_000, 300_000];
/// Largest number of read units of a search.
const BUDGET_READ_UNITS: f64 = 151.0;
/// Largest number of waves of a search, after the key.
const BUDGET_WAVES: u32 = 4;
/// Number of random searches at each size. Each reads page 1 and another page.
const BUDGET_SEARCHES: usize = 40;
const BUDGET_SEED: u64 = 20_240_229;

/// Read units of the full pages of each search, at all sizes and positions.
type UnitsBySearch = BTreeMap<String, Vec<f64>>;

fn assert_within_budget(context: &str, search: &Search, outcome: &SearchOutcome) {
    let cost = outcome.cost;
    let is_within = cost.read_units <= BUDGET_READ_UNITS && cost.waves <= BUDGET_WAVES;
    assert!(is_within, "{context}: {cost:?} for {search:?}");
}

async fn check_named_searches(store: &Stores, size: u64, searches: &[Search], units: &mut UnitsBySearch) {
    for search in searches {
        let mut count = 0;
        for position in PagePosition::ALL {
            let outcome = run_search(store, &search.filter, position.page(count)).await.expect("a page");
            count = outcome.page.count;
            assert_within_budget(&format!("{size}, {position:?}"), search, &outcome);
            // Only full pages are comparable: a page of fewer reviews reads fewer of them.
            if outcome.page.items.len() as u64 == PER_PAGE {
                units.entry(search.name.clone()).or_default().push(outcome.cost.read_units);
            }
        }
    }
}

async fn check_random_searches(store: &Stores, size: u64) {
    let mut rng = fastrand::Rng::with_seed(BUDGET_SEED ^ size);
    for number in 0..BUDGET_SEARCHES {
        let search = random_search(&mut rng);
        let first = run_search(store, &search.filter, PagePosition::First.page(0)).await.expect("a page");
        assert_within_budget(&format!("{size}, random {number}"), &search, &first);
        let request = PagePosition::ALL[rng.usize(0..3)].page(first.page.count);
        let outcome = run_search(store, &search.filter, request).await.expect("a page");
        assert_within_budget(&format!("{size}, random {number}, {request:?}"), &search, &outcome);
    }
}

/// Two kinds of search exceed the factor at ten million reviews, where a day has some thousands: a range that cuts a day (2.6
/// times for 400 days, 4.1 for 10) and a page on the dense day (3.2). Only their postings grow: 16 bytes for each matching
/// review on a day that is cut or shown.
#[tokio::test]
async fn search_costs_at_most_151_units_and_four_waves_at_any_size_and_page() {
    let mut units = UnitsBySearch::new();
    for size in BUDGET_SIZES {
        let distribution = Distribution::new(size);
        let searches = named_searches(&distribution);
        let store = store(distribution).expect("a store");
        check_named_searches(&store, size, &searches, &mut units).await;
        check_random_searches(&store, size).await;
    }
    for (search, units) in units {
        let least = units.iter().copied().fold(f64::MAX, f64::min);
        let most = units.iter().copied().fold(0.0, f64::max);
        assert!(most <= 2.0 * least, "{search}: one page costs {least} units, another {most}");
    }
}
