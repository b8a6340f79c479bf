//! Calls, round trips and units of a search, and the writes that an import adds.

use std::collections::BTreeSet;

use presence_tests::ConnectorLayer as _;
use presence_tests::{Cost, FaultConnector, TestStack, counting_waves, in_process_client, long_timeouts};

use super::{fill, put};
use crate::imports::import_env::ImportEnv;

fn reading(calls: u64, waves: u64, read_units: f64) -> Cost {
    Cost { calls, waves, read_units, write_units: 0.0 }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_search_is_one_read_beside_the_key_whatever_it_asks() {
    let stack = TestStack::counting_waves().await;
    let fixtures = fill(&stack).await;
    for caller in [&fixtures.provider, &fixtures.admin_1] {
        assert_eq!(stack.get("/business/search", &caller.key).await.status, 200);
        for query in ["", "query=boutique", "city=lyon", "per_page=1&page=3", "query=nothing"] {
            let reply = stack.get(&format!("/business/search?{query}"), &caller.key).await;
            assert_eq!((reply.status, reply.cost()), (200, reading(2, 1, 2.0)), "{query}");
        }
    }
    let refused = stack.get("/business/search?org_id=2", &fixtures.admin_1.key).await;
    assert_eq!((refused.status, refused.cost()), (403, reading(1, 1, 1.0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_after_a_change_reads_its_entry_and_its_business() {
    let stack = TestStack::counting_waves().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.provider.key;
    assert_eq!(stack.get("/business/search", key).await.status, 200);
    put(stack.stores(), ("m1", 1, "Autre", "Lyon")).await;
    // The key and the entry, the free slot after it, the business.
    let changed = stack.get("/business/search", key).await;
    assert_eq!((changed.status, changed.cost()), (200, reading(4, 3, 4.0)));
    assert_eq!(stack.get("/business/search", key).await.cost(), reading(2, 1, 2.0), "warm again");
    put(stack.stores(), ("m1", 1, "Autre", "Lyon")).await;
    assert_eq!(stack.get("/business/search", key).await.cost(), reading(2, 1, 2.0), "an equal row announces nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_starts_scans_the_table_once() {
    let stack = TestStack::counting_waves().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.admin_1.key;
    assert_eq!(stack.get("/user/me", key).await.status, 200);
    stack.stores().businesses.release_changes().await.expect("the store answers");
    let started = TestStack::with(counting_waves(stack.second_stack_options())).await;
    let cold = started.get("/business/search", key).await;
    // The key, the head of the log before and after the scan, and the next slot.
    assert_eq!((cold.status, cold.cost().calls, cold.cost().write_units), (200, 5, 0.0), "{:?}", cold.cost());
    assert_eq!(started.get("/business/search", key).await.cost(), reading(2, 1, 2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_announces_its_rows_in_batches() {
    let (rows, faults) = (320, FaultConnector::new());
    let stack = TestStack::with(long_timeouts()).await;
    let stores = stack.stores_through(faults.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let puts = (0..rows).map(|number| {
        let stores = stores.clone();
        tokio::spawn(async move { put(&stores, (&format!("row-{number}"), 1, "Shop", "Lyon")).await })
    });
    for put in puts.collect::<Vec<_>>() {
        put.await.expect("a written business");
    }
    stores.businesses.release_changes().await.expect("the store answers");
    let observed = faults.observed();
    let written: Vec<_> = observed.iter().filter(|attempt| attempt.operation == "PutItem").collect();
    let key = |item: &serde_json::Value| item["Item"]["pk"]["S"].as_str().unwrap_or_default().to_owned();
    let keys: Vec<_> = written.iter().map(|attempt| key(&attempt.request)).collect();
    let businesses = keys.iter().filter(|key| key.starts_with("BUSINESS#")).collect::<BTreeSet<_>>().len();
    let entries: Vec<_> = written.iter().filter(|attempt| key(&attempt.request).starts_with("CHANGES#")).collect();
    let heads = keys.iter().filter(|key| *key == "CHANGES").count();
    assert_eq!((businesses, heads, keys.len()), (rows, 1, rows + 1 + entries.len()), "nothing else is written");
    let announced: Vec<usize> = entries
        .iter()
        .map(|attempt| attempt.request["Item"]["businesses"]["M"].as_object().expect("a map").len())
        .collect();
    assert_eq!(announced.iter().sum::<usize>(), rows, "each row is announced once");
    assert!(announced.iter().all(|count| *count <= 32), "{announced:?}");
    assert!(entries.len() < rows / 2, "rows that are written together share an entry: {announced:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_business_is_found_at_once() {
    let env = ImportEnv::new().await;
    let fixtures = presence_tests::Fixtures::create(&env.stack).await;
    let key = &fixtures.provider.key;
    let count = async |city: &str| {
        let reply = env.stack.get(&format!("/business/search?city={city}"), key).await;
        reply.json()["count"].as_u64().expect("a count")
    };
    let before = count("lyon").await;
    let rows = r#"{"id": "s4", "org_id": 1, "name": "Neu", "city": "Lyon"}"#;
    env.import_without_faults("businesses", rows).await;
    assert_eq!(count("lyon").await, before + 1);
    env.import_without_faults("businesses", &rows.replace("Lyon", "Köln")).await;
    assert_eq!((count("lyon").await, count("koln").await), (before, 1));
}
