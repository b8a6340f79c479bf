//! Oracle of statistics: random requests, compared with the counts of a list and with the count of the search.

use futures::{StreamExt as _, stream};
use presence_tests::{Fixtures, TestStack};

use super::callers;
use super::dataset::Dataset;
use super::random_stats::RandomStats;
use crate::api::CONCURRENT_REQUESTS;

/// Makes so many random requests, each followed by a search. Compares the answers with the dataset and with searches by the same filters.
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
