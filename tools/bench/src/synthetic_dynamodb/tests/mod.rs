mod budget;

use std::collections::HashMap;

use presence_local::embedded::EmbeddedDynamo;
use presence_store::{items_of_reviews, schema};

use super::*;

/// Reviews in both: enough for months that are read whole and months that are not.
const TOTAL: u64 = 10_000;
const SEARCHES: usize = 60;
const SEED: u64 = 20_251_103;

#[tokio::test(flavor = "multi_thread")]
async fn it_answers_and_costs_as_the_embedded_database_does() {
    let distribution = Distribution::new(TOTAL);
    let embedded = EmbeddedDynamo::start(0, None).expect("a database");
    let real = Store::new(&presence_local::sdk_config(&embedded.endpoint_url()), PREFIX);
    real.create_tables().await.expect("tables");
    for reviews in distribution.months() {
        let items = items_of_reviews(&reviews).expect("items");
        embedded.import(&real.name(&schema::REVIEWS), items).expect("an empty table");
    }
    real.put_business(distribution.small_business()).await.expect("a business");
    let mut rng = fastrand::Rng::with_seed(SEED);
    let mut searches = named(&distribution);
    searches.extend((0..SEARCHES).map(|_| random(&mut rng)));
    let connector = store(distribution).expect("a store");
    for Search { name, filter } in searches {
        let count = run_search(&real, &filter, PagePosition::First.page(0)).await.expect("a page").page.count;
        let request = PagePosition::ALL[rng.usize(0..3)].page(count);
        let expected = run_search(&real, &filter, request).await.expect("a page");
        let counted = run_search(&connector, &filter, request).await.expect("a page");
        assert_eq!(counted.page, expected.page, "{name}: {filter:?}");
        assert_eq!(counted.cost, expected.cost, "{name}, {request:?}: {filter:?}");
    }
    embedded.stop();
}

#[tokio::test]
async fn what_it_does_not_count_it_refuses() {
    let store = store(Distribution::new(10)).expect("a store");
    assert!(store.open_book(presence_domain::ids::OrgId::new(1).expect("an id")).await.is_err());
    let by_id: HashMap<_, _> = store.business_places(&[]).await.expect("no call");
    assert!(by_id.is_empty());
}
