//! Searches of reviews, users and categories.

use std::sync::Arc;

use fastrand::Rng;
use presence::clock::MachineTimer;
use presence::store::{Pace, Patience, Store};
use presence_local::aws_limits::Throttling;
use presence_local::{AwsLimits, DynamoDb, LimitCounts, Options};
use presence_tests::{Cast, World, patient, plain_http};

use super::{ENOUGH, counts, each_seed, limits, world, world_with};
use crate::api::categories::{DIRECTORY, load, numbered, parse};
use crate::api::reviews::oracle::town::Town;
use crate::api::reviews::oracle::{ask_some, import_by};
use crate::store::lag::model::{Model, list};

/// Enough for a month that is searched by its days.
const REVIEWS: usize = 3_200;
/// Requests of each round.
const REQUESTS: usize = 24;
/// Reviews that change, and that come.
const CHANGES: [usize; 2] = [30, 8];
/// Random changes of users, each with a search behind it.
const STEPS: usize = 25;

/// An operator's store, which meets the limits, too.
fn operator(world: &World) -> Store {
    // As long as something is written: many workers share the units of a hot partition.
    let pace = Arc::new(Pace::new(Arc::new(MachineTimer::start())));
    let options = Options { patience: Patience::Import(pace), ..patient() };
    world.store_through(plain_http(), options, world.table_prefix())
}

async fn search_reviews(seed: u64) -> LimitCounts {
    // At the rates of AWS: an update of a large group of slips costs much of them.
    let throttling = Throttling { strays: 0.05, ..Throttling::default() };
    let world = world_with(AwsLimits { throttling: Some(throttling), ..limits(seed) }).await;
    let mut dice = Rng::with_seed(seed);
    let cast = Cast::enter(&world).await;
    let mut town = Town::build(&mut dice, REVIEWS);
    let (orgs, shops) = town.places();
    import_by(&world, world.store(), "orgs", &orgs).await;
    import_by(&world, world.store(), "businesses", &shops).await;
    world.stack.fill_reviews(&town.reviews()).expect("the table can be filled");
    ask_some(&world, &cast, &town, &mut dice, ("at first", REQUESTS, |_| true)).await;

    let operator = operator(&world);
    let [changes, newcomers] = CHANGES;
    import_by(&world, &operator, "reviews", &town.change(&mut dice, changes, newcomers)).await;
    // Counts of single businesses come from an index: they are exact once it has caught up.
    let by_ledger = |path: &str| !path.contains("business__in");
    ask_some(&world, &cast, &town, &mut dice, ("changed", REQUESTS, by_ledger)).await;
    world.caught_up().await;
    ask_some(&world, &cast, &town, &mut dice, ("caught up", REQUESTS, |_| true)).await;
    assert_eq!(world.store().audit_reviews(None).await.expect("the store answers").findings, []);
    counts(&world)
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_reviews_are_right_under_the_limits_of_aws() {
    let sum = each_seed("reviews", search_reviews).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.cut > 0 && sum.emptied > 0), "{sum:?}");
}

async fn search_users(seed: u64) -> LimitCounts {
    let world = world(seed).await;
    let mut dice = Rng::with_seed(seed);
    let cast = Cast::enter(&world).await;
    let mut model = Model::of(&cast);
    let searches = [("", None), ("?org_id=1", Some(1)), ("?org_id=2", Some(2))];
    for step in 0..STEPS {
        model.change(&world, &cast.provider.key, &mut dice).await;
        let (search, org) = *dice.choice(&searches).expect("three");
        let found = list(&world, &cast.provider.key, search).await;
        assert_eq!(found, Some(model.listed(org)), "step {step}, {search}: nobody gives up before the deadline");
        assert_eq!(world.get("/user/stats", &cast.provider.key).await.json(), model.stats(), "step {step}");
    }
    assert_eq!(world.audit().await, []);
    counts(&world)
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_users_are_right_under_the_limits_of_aws() {
    let sum = each_seed("users", search_users).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.cut > 0), "{sum:?}");
}

async fn search_categories(seed: u64) -> LimitCounts {
    let world = world(seed).await;
    let cast = Cast::enter(&world).await;
    // Another function over the same tables, past the limits: what it answers is right.
    let dynamodb = DynamoDb::At(world.stack.database_url().to_owned());
    let calm = World::with(Options { dynamodb, table_prefix: world.table_prefix().to_owned(), ..patient() }).await;
    let operator = operator(&world);
    load(&operator, parse(DIRECTORY)).await;
    for round in 0..4 {
        load(&operator, numbered(3 + round, &format!("Word {round}"))).await;
        for path in [
            "/category/search?lang=FR",
            "/category/search?lang=GB&name=word&per_page=2&page=2",
            "/category/c-bank?lang=DE",
        ] {
            let [limited, right] = [&world, &calm].map(|of| of.get(path, &cast.manager_1.key));
            let (limited, right) = futures::join!(limited, right);
            assert_eq!((limited.status, limited.text), (200, right.text), "round {round}, {path}");
        }
    }
    counts(&world)
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_categories_are_right_under_the_limits_of_aws() {
    let sum = each_seed("categories", search_categories).await;
    assert!(sum.calls < ENOUGH || (sum.throttled > 0 && sum.cut > 0), "{sum:?}");
}
