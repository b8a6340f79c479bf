//! Tests of the synthetic database against the embedded one.

use std::collections::HashMap;

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
    for named in named_stats(synthetic.distribution()) {
        let expected = run_stats(&real(), &named).await.expect("statistics");
        let outcome = run_stats(&synthetic.store(), &named).await.expect("statistics");
        assert_eq!(outcome.stats, expected.stats, "{}", named.name);
        assert_eq!(outcome.cost, expected.cost, "{}", named.name);
    }
    embedded.stop();
}

#[tokio::test]
async fn unsupported_operation_is_refused() {
    let store = SyntheticDatabase::new(Distribution::new(10)).expect("a database").store();
    assert!(store.reviews.register_org_with_reviews(OrgId::new(1).expect("an id")).await.is_err());
    let by_id: HashMap<_, _> = store.businesses.get_locations(&[]).await.expect("no call");
    assert!(by_id.is_empty());
}
