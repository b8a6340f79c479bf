//! Oracle of statistics: random requests, compared with the counts of a list and with the count of the search.

use futures::{StreamExt as _, stream};
use presence_ops::Exit;
use presence_tests::{Fixtures, TestStack, rng, rounds};

use super::dataset::Dataset;
use super::random_stats::RandomStats;
use super::{CHANGES, NEWCOMERS, REVIEWS, callers};
use crate::api::CONCURRENT_REQUESTS;

/// Number of requests in each of the three rounds. Each is followed by a search.
const REQUESTS: usize = 240;

/// Makes so many random requests, and compares the answers with the dataset and with searches by the same filters.
pub(crate) async fn check_some_stats(
    stack: &TestStack,
    fixtures: &Fixtures,
    dataset: &Dataset,
    rng: &mut fastrand::Rng,
    (round, count): (&str, usize),
) {
    let callers = callers(fixtures).map(|(caller, org)| (caller, dataset.sorted(org), dataset.city_names(org)));
    let requests = (0..count).zip(callers.iter().cycle()).map(|(number, (caller, seen, shops))| {
        let RandomStats { filters, group_by, expected } = RandomStats::random(rng, seen, shops);
        async move {
            let stats = stack.get(&format!("/reviews/stats?{filters}{group_by}"), &caller.key).await;
            let search = stack.get(&format!("/reviews?per_page=1&{filters}"), &caller.key).await;
            (format!("{round}, {number}: {} {filters}{group_by}", caller.email), expected, stats, search)
        }
    });
    let mut answers = stream::iter(requests).buffered(CONCURRENT_REQUESTS);
    while let Some((what, expected, stats, search)) = answers.next().await {
        assert_eq!((stats.status, stats.json()), (200, expected.clone()), "{what}");
        assert_eq!((search.status, &search.json()["count"]), (200, &expected["count"]), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_random_statistics_are_those_of_a_list_before_and_after_changes() {
    let mut rng = rng("statistics oracle");
    let (stack, fixtures) = Fixtures::start().await;
    let mut dataset = Dataset::build(&mut rng, REVIEWS);
    let (orgs, shops) = dataset.org_and_shop_rows();
    stack.import("orgs", &orgs).await.expect(Exit::Done);
    stack.import("businesses", &shops).await.expect(Exit::Done);
    stack.fill_reviews(&dataset.reviews()).await;
    check_some_stats(&stack, &fixtures, &dataset, &mut rng, ("at first", rounds(REQUESTS))).await;

    stack.import("reviews", &dataset.change(&mut rng, CHANGES, NEWCOMERS)).await.expect(Exit::Done);
    dataset.move_shops();
    stack.import("businesses", &dataset.org_and_shop_rows().1).await.expect(Exit::Done);
    check_some_stats(&stack, &fixtures, &dataset, &mut rng, ("changed", rounds(REQUESTS))).await;

    dataset.move_shops();
    stack.import("businesses", &dataset.org_and_shop_rows().1).await.expect(Exit::Done);
    stack.import("reviews", &dataset.restore(&mut rng)).await.expect(Exit::Done);
    check_some_stats(&stack, &fixtures, &dataset, &mut rng, ("changed back", rounds(REQUESTS))).await;
}
