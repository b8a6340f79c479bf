//! Imports while functions have an older directory in memory.

use std::collections::HashSet;

use presence_local::Options;
use presence_tests::Cost;
use presence_tests::{Fixtures, TestStack, counting_waves, long_timeouts};

use super::{DIRECTORY, list_all_pages, load, numbered, parse};

/// Starts a second stack over the same tables: another warm function.
async fn start_beside(stack: &TestStack) -> TestStack {
    TestStack::with(counting_waves(stack.second_stack_options())).await
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_import_every_warm_function_serves_the_new_directory_on_its_next_request() {
    let (stack, fixtures) = Fixtures::counting_waves().await;
    let others = [start_beside(&stack).await, start_beside(&stack).await];
    let key = &fixtures.manager_1.key;
    for (round, word) in ["Shop", "Store", "Market", "Mall"].into_iter().enumerate() {
        load(stack.stores(), numbered(40 + round, word)).await;
        for function in [&stack, &others[0], &others[1]] {
            let found = function.get(&format!("/category/search?lang=GB&name={word}"), key).await;
            assert_eq!(found.json()["count"], 40 + round, "{word}: {}", found.text);
            let one = function.get("/category/n0003?lang=EN", key).await;
            assert_eq!(one.json()["name"], format!("{word} 3"));
            // The directory is in memory, so only the key and the version are read, in parallel.
            assert_eq!(one.cost(), Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 0.0 }, "{word}");
        }
    }
    load(stack.stores(), parse(DIRECTORY)).await;
    for function in [&stack, &others[0], &others[1]] {
        let all = function.get("/category/search?lang=DE", key).await;
        assert_eq!(all.json()["count"], 43 + 8, "categories that an import lacks stay, and a new language is served");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pages_together_have_every_category_once_in_every_language() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let key = stack.local.keys()["BUSINESS_MANAGER"].clone();
    let refused = stack.get("/category/search?lang=XX", &key).await.json();
    let languages = refused["errors"]["json"]["lang"]["choices"].as_array().expect("the languages").clone();
    assert!(languages.len() >= 6, "{languages:?}");
    for lang in &languages {
        let lang = lang.as_str().expect("a code");
        for size in [30, 100, 7] {
            let ids = list_all_pages(&stack, &key, &format!("lang={lang}&per_page={size}")).await;
            assert!(ids.len() >= 250, "{} categories", ids.len());
            assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len(), "{lang} by {size}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_has_every_fallback_of_names() {
    let stack = TestStack::with(Options { sample: true, ..long_timeouts() }).await;
    let key = stack.local.keys()["PROVIDER"].clone();
    for (lang, name, shown) in [
        ("FR", "boulangerie", "Boulangerie"),
        ("ES", "food_bakery", "Panadería"),
        ("IT", "beer garden", "Beer garden"),
        ("PT", "eat_trinkhalle", "eat_trinkhalle"),
        ("DE", "trinkh", "Trinkhalle"),
    ] {
        let found = stack.get(&format!("/category/search?lang={lang}&name={name}"), &key).await.json();
        assert_eq!((&found["count"], &found["categories"][0]["name"]), (&1.into(), &shown.into()), "{lang} {name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_categories_there_is_no_language_and_no_category() {
    let (stack, fixtures) = Fixtures::start().await;
    let search = stack.get("/category/search?lang=GB", &fixtures.admin_1.key).await;
    let refused = r#"{"errors":{"json":{"lang":{"explanation":"is not one of the choices","choices":[]}}}}"#;
    assert_eq!((search.status, search.text.as_str()), (400, refused));
    assert_eq!(stack.get("/category/c-bank?lang=GB", &fixtures.admin_1.key).await.status, 404);
}
