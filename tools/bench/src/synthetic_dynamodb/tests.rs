//! Tests of the synthetic database against the embedded one.

use std::collections::HashMap;

use aws_smithy_http_client::Builder;
use presence_domain::access::Principal;
use presence_domain::ids::UserId;
use presence_domain::ledger::tree::FACETS_FROM;
use presence_domain::user::Role;
use presence_local::embedded::EmbeddedDynamo;
use presence_store::meter::Meter;
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
    let plain = presence_local::sdk_config(&embedded.endpoint_url());
    let config = plain.clone().into_builder().http_client(WavesConnector.over(Builder::new().build_http())).build();
    // Stores of their own for each search: what is cached costs nothing.
    let real = || Stores::new(Database::new(&config, PREFIX));
    real().database.create_tables().await.expect("tables");
    let reviews: Vec<_> = distribution.months().flatten().collect();
    let items = bulk_review_items(&reviews, FACETS_FROM).expect("items");
    embedded.import(&real().database.name(&schema::REVIEWS), items).expect("an empty table");
    let filled = Stores::new(Database::new(&plain, PREFIX));
    for business in distribution.businesses() {
        filled.businesses.put(&business).await.expect("a business");
    }
    let mut rng = fastrand::Rng::with_seed(COMPARISON_SEED);
    let mut searches = named_searches(&distribution);
    searches.extend((0..COMPARED_SEARCHES).map(|_| random_search(&mut rng)));
    let synthetic = SyntheticDatabase::new(distribution).expect("a database");
    for Search { name, filter } in searches {
        let count = run_search(&real(), &filter, PagePosition::First.page(0)).await.expect("a page").page.count;
        let request = PagePosition::ALL[rng.usize(0..3)].page(count);
        let expected = run_search(&real(), &filter, request).await.expect("a page");
        let outcome = run_search(&synthetic.store(), &filter, request).await.expect("a page");
        assert_eq!(outcome.page, expected.page, "{name}: {filter:?}");
        assert_eq!(outcome.cost, expected.cost, "{name}, {request:?}: {filter:?}");
    }
    let org_id = synthetic.distribution().org().id;
    for named in named_stats(synthetic.distribution()) {
        let expected = run_stats(&start_store(real(), org_id).await.expect("a store"), &named).await;
        let expected = expected.expect("statistics");
        let outcome = run_stats(&start_store(synthetic.store(), org_id).await.expect("a store"), &named).await;
        let outcome = outcome.expect("statistics");
        assert_eq!(outcome.stats, expected.stats, "{}", named.name);
        assert_eq!(outcome.cost, expected.cost, "{}", named.name);
    }
    embedded.stop();
}

/// Database with so many reviews in an embedded `DynamoDB`, and the number that is written into both.
const WRITTEN_INTO: u64 = 8_000;

#[tokio::test(flavor = "multi_thread")]
async fn synthetic_database_writes_and_costs_as_the_embedded_one() {
    let distribution = Distribution::new(WRITTEN_INTO);
    let org_id = distribution.org().id;
    let embedded = EmbeddedDynamo::start(0, None).expect("a database");
    let real = Stores::new(Database::new(&presence_local::sdk_config(&embedded.endpoint_url()), PREFIX));
    real.database.create_tables().await.expect("tables");
    let reviews: Vec<_> = distribution.months().flatten().collect();
    let items = bulk_review_items(&reviews, FACETS_FROM).expect("items");
    embedded.import(&real.database.name(&schema::REVIEWS), items).expect("an empty table");
    let synthetic = SyntheticDatabase::new(distribution).expect("a database");
    let mut moved = reviews[7_000].clone();
    moved.date -= 90 * 86_400;
    let stores = [real, synthetic.store_without_waves()];
    for is_newest in [true, false] {
        let new = write_units::copies_of_last_month(synthetic.distribution(), 150, is_newest, "both");
        let portions = [&new[..120], &new[120..121], &new[121..122], &new[122..], std::slice::from_ref(&moved)];
        let mut costs = Vec::new();
        for store in &stores {
            let meter = Arc::new(Meter::default());
            let work = async {
                for portion in portions {
                    store.reviews.upsert_reviews(portion).await.expect("the portion is written");
                }
                store.reviews.fold_reviews(org_id).await.expect("a fold")
            };
            let report = Arc::clone(&meter).watch(work).await;
            costs.push((report, meter.cost().calls, meter.cost().read_units, meter.cost().write_units));
        }
        assert_eq!(costs[0], costs[1], "newest: {is_newest}");
        moved.date += 45 * 86_400;
    }
    let written: f64 = synthetic.take_written().values().map(|written| written.units).sum();
    assert!(written > 900.0, "{written}");
    let scope = Principal { user_id: UserId::random(), org_id: Some(org_id), role: Role::OrgAdmin }.scope();
    for Search { name, filter } in named_searches(synthetic.distribution()) {
        let [expected, found] =
            stores.each_ref().map(|store| store.reviews.search_reviews(scope, &filter, PagePosition::First.page(0)));
        let (expected, found) = (expected.await.expect("a page"), found.await.expect("a page"));
        assert_eq!(found, expected, "{name}");
    }
    embedded.stop();
}

#[tokio::test]
async fn unsupported_operation_is_refused() {
    let stores = SyntheticDatabase::new(Distribution::new(10)).expect("a database").store();
    assert!(stores.database.create_tables().await.is_err());
    let by_id: HashMap<_, _> = stores.businesses.get_locations(&[]).await.expect("no call");
    assert!(by_id.is_empty());
}
