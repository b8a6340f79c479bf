//! Oracle of searches and statistics: random requests, compared with a brute-force search of a list.
//!
//! They run at first, after changes of reviews, and after shops moved to other cities and back. Imports make the changes.

pub(crate) mod dataset;
mod random_query;
mod random_stats;
pub(crate) mod stats;

use futures::{StreamExt as _, stream};
use presence_ops::Exit;
use presence_tests::{Fixtures, TestStack, TestUser, rng, rounds};
use serde_json::Value;

use dataset::Dataset;
use random_query::RandomQuery;

use crate::api::CONCURRENT_REQUESTS;

const REVIEWS: usize = 3_200;
/// Number of requests of each kind in each of the three rounds.
const REQUESTS: usize = 100;
const CHANGES: usize = 300;
const NEWCOMERS: usize = 40;
/// Largest number of reviews of a month that a search reads as a whole; a larger month is read by days.
const MAX_WHOLE_MONTH: usize = 2_000;

/// Returns callers of every role, each with the organisation that it sees, or none for all.
fn callers(fixtures: &Fixtures) -> [(&TestUser, Option<u64>); 6] {
    [
        (&fixtures.manager_1, Some(1)),
        (&fixtures.provider, None),
        (&fixtures.admin_1, Some(1)),
        (&fixtures.provider_in_1, None),
        (&fixtures.admin_2, Some(2)),
        (&fixtures.manager_2, Some(2)),
    ]
}

/// Makes so many random requests with accepted paths, and compares the answers with the dataset.
pub(crate) async fn check_some_queries(
    stack: &TestStack,
    fixtures: &Fixtures,
    dataset: &Dataset,
    rng: &mut fastrand::Rng,
    (round, count, accepts): (&str, usize, fn(&str) -> bool),
) {
    let callers = callers(fixtures).map(|(caller, org)| (caller, dataset.sorted(org)));
    let requests = (0..count).zip(callers.iter().cycle()).map(|(number, (caller, seen))| {
        let random_query = std::iter::repeat_with(|| RandomQuery::random(rng, seen))
            .find(|random_query| accepts(&random_query.path))
            .expect("one that fits");
        async move {
            let reply = stack.get(&random_query.path, &caller.key).await;
            (format!("{round}, {number}: {} {}", caller.email, random_query.path), random_query, reply)
        }
    });
    let mut answers = stream::iter(requests).buffered(CONCURRENT_REQUESTS);
    while let Some((what, random_query, reply)) = answers.next().await {
        assert_eq!(reply.status, 200, "{what}: {}", reply.text);
        let mut body = reply.json();
        let reviews = body.as_object_mut().and_then(|body| body.remove("reviews")).unwrap_or_default();
        assert_eq!(body, random_query.envelope, "{what}");
        let shown: Vec<_> = reviews.as_array().into_iter().flatten().map(|review| &review["id"]).collect();
        assert_eq!(shown, random_query.ids.iter().collect::<Vec<_>>(), "{what}");
        assert_eq!(reviews.get(0).unwrap_or(&Value::Null), &random_query.first, "{what}");
    }
}

/// Makes a round of random requests of both kinds. A search has a month that is read by days.
async fn check_round(stack: &TestStack, fixtures: &Fixtures, dataset: &Dataset, rng: &mut fastrand::Rng, round: &str) {
    let in_crowd = dataset.reviews_in_crowded_month();
    assert!(in_crowd > MAX_WHOLE_MONTH, "{round}: {in_crowd} in the crowded month");
    check_some_queries(stack, fixtures, dataset, rng, (round, rounds(REQUESTS), |_| true)).await;
    stats::check_some_stats(stack, fixtures, dataset, rng, (round, rounds(REQUESTS))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_random_request_is_answered_like_a_brute_force_search_before_and_after_changes() {
    let mut rng = rng("reviews oracle");
    let (stack, fixtures) = Fixtures::start().await;
    let mut dataset = Dataset::build(&mut rng, REVIEWS);
    let (orgs, shops) = dataset.org_and_shop_rows();
    stack.import("orgs", &orgs).await.expect(Exit::Done);
    stack.import("businesses", &shops).await.expect(Exit::Done);
    stack.fill_reviews(&dataset.reviews()).await;
    check_round(&stack, &fixtures, &dataset, &mut rng, "at first").await;

    stack.import("reviews", &dataset.change(&mut rng, CHANGES, NEWCOMERS)).await.expect(Exit::Done);
    dataset.move_shops();
    stack.import("businesses", &dataset.org_and_shop_rows().1).await.expect(Exit::Done);
    check_round(&stack, &fixtures, &dataset, &mut rng, "changed").await;

    dataset.move_shops();
    stack.import("businesses", &dataset.org_and_shop_rows().1).await.expect(Exit::Done);
    stack.import("reviews", &dataset.restore(&mut rng)).await.expect(Exit::Done);
    stack.import("reviews", &dataset.change(&mut rng, CHANGES, 0)).await.expect(Exit::Done);
    check_round(&stack, &fixtures, &dataset, &mut rng, "changed back").await;
    let audit = stack.stores().reviews.audit_reviews(None).await.expect("the store answers");
    assert_eq!(audit.findings, []);
}
