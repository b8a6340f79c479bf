//! Searches of reviews, users and categories.

use std::sync::Arc;

use fastrand::Rng;
use presence_local::aws_limits::Throttling;
use presence_local::{AwsLimits, DynamoDb, LimitCounts, Options};
use presence_ops::Exit;
use presence_runtime::clock::SystemTimer;
use presence_store::{RetryPolicy, Stores, WriteRate};
use presence_tests::ops::import;
use presence_tests::{Fixtures, TestStack, in_process_client, long_timeouts};

use super::{ENOUGH, counts, each_seed, limits, stack, stack_with};
use crate::api::categories::{DIRECTORY, load, numbered, parse};
use crate::api::reviews::oracle::check_some_queries;
use crate::api::reviews::oracle::dataset::Dataset;
use crate::api::reviews::oracle::stats::check_some_stats;
use crate::properties::model::Model;
use crate::store::lag::model::{change, list};

/// Number of reviews: enough for a month that is searched by its days.
const REVIEWS: usize = 3_200;
/// Number of requests of each round.
const REQUESTS: usize = 24;
/// Numbers of changed and of new reviews.
const CHANGES: [usize; 2] = [30, 8];
/// Number of random changes of users, each followed by a search.
const STEPS: usize = 25;

/// Returns the stores of an operator, under the same limits.
fn operator(stack: &TestStack) -> Stores {
    // The policy retries while writes succeed, since many workers share the units of a hot partition.
    let pace = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
    let options = Options { retry_policy: RetryPolicy::WhileImporting(pace), ..long_timeouts() };
    stack.stores_through(in_process_client(), options, stack.table_prefix())
}

async fn search_reviews(seed: u64) -> LimitCounts {
    // At the rates of AWS, since an update of a large postings item costs many units.
    let throttling = Throttling { spurious: 0.05, ..Throttling::default() };
    let stack = stack_with(AwsLimits { throttling: Some(throttling), ..limits(seed) }).await;
    let mut rng = Rng::with_seed(seed);
    let fixtures = Fixtures::create(&stack).await;
    let mut dataset = Dataset::build(&mut rng, REVIEWS);
    let (orgs, shops) = dataset.org_and_shop_rows();
    stack.import("orgs", &orgs).await.expect(Exit::Done);
    stack.import("businesses", &shops).await.expect(Exit::Done);
    stack.fill_reviews(&dataset.reviews()).await;
    check_some_queries(&stack, &fixtures, &dataset, &mut rng, ("at first", REQUESTS, |_| true)).await;
    check_some_stats(&stack, &fixtures, &dataset, &mut rng, ("at first", REQUESTS)).await;

    let operator = operator(&stack);
    let [changes, newcomers] = CHANGES;
    let rows = dataset.change(&mut rng, changes, newcomers);
    import(&operator, Arc::clone(&stack.clock) as _, "reviews", &rows).await.expect(Exit::Done);
    // Counts of single businesses come from an index: they are exact once it has caught up.
    let by_ledger = |path: &str| !path.contains("business__in");
    check_some_queries(&stack, &fixtures, &dataset, &mut rng, ("changed", REQUESTS, by_ledger)).await;
    check_some_stats(&stack, &fixtures, &dataset, &mut rng, ("changed", REQUESTS)).await;
    stack.wait_for_indexes().await;
    check_some_queries(&stack, &fixtures, &dataset, &mut rng, ("caught up", REQUESTS, |_| true)).await;
    assert_eq!(stack.stores().reviews.audit_reviews(None).await.expect("the store answers").findings, []);
    counts(&stack)
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_reviews_are_right_under_the_limits_of_aws() {
    let sum = each_seed("reviews", search_reviews).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.truncated_pages > 0 && sum.empty_pages > 0), "{sum:?}");
}

async fn search_users(seed: u64) -> LimitCounts {
    let stack = stack(seed).await;
    let mut rng = Rng::with_seed(seed);
    let fixtures = Fixtures::create(&stack).await;
    let mut model = Model::of(&stack, &fixtures).await;
    let searches = [("", None), ("?org_id=1", Some(1)), ("?org_id=2", Some(2))];
    for step in 0..STEPS {
        change(&mut model, &stack, &fixtures.provider.key, &mut rng).await;
        let (search, org) = *rng.choice(&searches).expect("three");
        let found = list(&stack, &fixtures.provider.key, search).await;
        assert_eq!(found, Some(model.listed(org)), "step {step}, {search}: no retry ends before the deadline");
        assert_eq!(
            stack.get("/user/stats", &fixtures.provider.key).await.json(),
            Model::stats(model.users.values()),
            "step {step}"
        );
    }
    assert_eq!(stack.audit().await, []);
    counts(&stack)
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_users_are_right_under_the_limits_of_aws() {
    let sum = each_seed("users", search_users).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.truncated_pages > 0), "{sum:?}");
}

async fn search_categories(seed: u64) -> LimitCounts {
    let stack = stack(seed).await;
    let fixtures = Fixtures::create(&stack).await;
    // Another function over the same tables without limits gives the expected answers.
    let dynamodb = DynamoDb::Endpoint(stack.local.database_url().to_owned());
    let unlimited =
        TestStack::with(Options { dynamodb, table_prefix: stack.table_prefix().to_owned(), ..long_timeouts() }).await;
    let operator = operator(&stack);
    load(&operator, parse(DIRECTORY)).await;
    for round in 0..4 {
        load(&operator, numbered(3 + round, &format!("Word {round}"))).await;
        for path in [
            "/category/search?lang=FR",
            "/category/search?lang=GB&name=word&per_page=2&page=2",
            "/category/c-bank?lang=DE",
        ] {
            let [limited, right] = [&stack, &unlimited].map(|of| of.get(path, &fixtures.manager_1.key));
            let (limited, right) = futures::join!(limited, right);
            assert_eq!((limited.status, limited.text), (200, right.text), "round {round}, {path}");
        }
    }
    counts(&stack)
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_categories_are_right_under_the_limits_of_aws() {
    let sum = each_seed("categories", search_categories).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.truncated_pages > 0), "{sum:?}");
}
