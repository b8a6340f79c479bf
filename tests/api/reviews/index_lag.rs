//! Lag of the index of businesses behind its table: every page is correct nevertheless.

use std::collections::{BTreeMap, HashSet};

use fastrand::Rng;
use presence_domain::ids::OrgId;
use presence_domain::instant::format_second;
use presence_domain::review::{Rating, Review, ReviewId, ReviewState};
use presence_local::Options;
use presence_store::ReviewWrite;
use presence_tests::ConnectorLayer as _;
use presence_tests::{Fixtures, LagConnector, TestStack, counting_waves, long_timeouts, plain_http, rng};
use serde_json::{Value, json};

use super::fixtures::{ReviewFixtures, describe_page, seeded_review, write_reviews};
use crate::imports::large_dataset::second;

/// Starts review fixtures whose functions read lagging indexes once [`freeze`] is called.
async fn lagging() -> (ReviewFixtures, LagConnector) {
    let lag = LagConnector::new(0);
    (review_fixtures(lagging_options(&lag)).await, lag)
}

fn lagging_options(lag: &LagConnector) -> Options {
    Options { http_client: Some(lag.over(plain_http())), ..long_timeouts() }
}

async fn review_fixtures(options: Options) -> ReviewFixtures {
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    ReviewFixtures::seeded(stack, fixtures).await
}

/// Makes every index answer from now on as it did for the same query before.
async fn freeze(review_fixtures: &ReviewFixtures, lag: &LagConnector) {
    lag.set_reads(u64::MAX);
    // The connector takes its kept answers as outdated after any write through it.
    let user = format!("/user/{}", review_fixtures.fixtures.manager_1.id);
    assert_eq!(
        review_fixtures.stack.post(&user, review_fixtures.key("admin_1"), &json!({"phone": "1"})).await.status,
        200
    );
}

/// Returns so many reviews of a business with one star, a minute apart.
fn one_star_reviews(count: usize) -> Vec<Review> {
    let template = Review { rating: Rating::ALL[0], ..seeded_review("a") };
    let review = |number: usize| {
        let partner_id = format!("one star {number}");
        let id = ReviewId::derive(&template.business_id, template.partner, &partner_id, 0);
        let date = second("2025-07-14") + 60 * i64::try_from(number).expect("small");
        Review { id, date, partner_id, ..template.clone() }
    };
    (0..count).map(review).collect()
}

/// Writes reviews and then their changed versions, and freezes the index between the two.
async fn change_behind_the_index(
    review_fixtures: &ReviewFixtures,
    lag: &LagConnector,
    reviews: &[Review],
    mut change: impl FnMut(&mut Review),
) -> Vec<Review> {
    write_reviews(
        &review_fixtures.stack,
        reviews.iter().map(|new| ReviewWrite { old: None, new: new.clone() }).collect(),
    )
    .await;
    review_fixtures.ask("admin_1", "business__in=lyon-1").await;
    review_fixtures.ask("admin_1", "business__in=lyon-1,lyon-2,etienne").await;
    let changed: Vec<Review> = reviews
        .iter()
        .map(|old| {
            let mut new = old.clone();
            change(&mut new);
            new
        })
        .collect();
    let writes =
        reviews.iter().zip(&changed).map(|(old, new)| ReviewWrite { old: Some(old.clone()), new: new.clone() });
    write_reviews(&review_fixtures.stack, writes.collect()).await;
    freeze(review_fixtures, lag).await;
    changed
}

async fn page(review_fixtures: &ReviewFixtures, query: &str) -> (u64, u64, Vec<Value>) {
    let reply = review_fixtures.ask("admin_1", query).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.text);
    let body = reply.json();
    let number = |name: &str| body[name].as_u64().expect("a number");
    (number("count"), number("max_page"), body["reviews"].as_array().expect("a list").clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn reviews_that_the_filter_no_longer_matches_are_neither_shown_nor_counted() {
    let (review_fixtures, lag) = lagging().await;
    change_behind_the_index(&review_fixtures, &lag, &one_star_reviews(100), |review| review.rating = Rating::ALL[4])
        .await;
    for query in ["business__in=lyon-1&rating=1", "business__in=lyon-1&rating=1&order_by=update_date&per_page=100"] {
        assert_eq!(page(&review_fixtures, query).await, (0, 1, Vec::new()), "{query}");
    }
    assert!(lag.stale_answers() > 0, "the index did lag");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_outdated_review_is_shown_for_any_number_of_them() {
    let lag = LagConnector::new(0);
    let review_fixtures = review_fixtures(counting_waves(lagging_options(&lag))).await;
    change_behind_the_index(&review_fixtures, &lag, &one_star_reviews(1_300), |review| {
        review.state = ReviewState::Deleted;
    })
    .await;
    for number in [1, 2, 7, 40] {
        let (_, _, shown) =
            page(&review_fixtures, &format!("business__in=lyon-1&state=treated&rating=1&page={number}")).await;
        assert_eq!(shown, Vec::<Value>::new(), "page {number}");
    }
    let spent = review_fixtures.ask("admin_1", "business__in=lyon-1&state=treated&rating=1").await.cost();
    assert!(spent.waves <= 2 + 1 + 6, "a bounded number of rounds: {spent:?}");
}

/// Changes a field that a filter or the scope depends on.
fn change_randomly(review: &mut Review, rng: &mut Rng) {
    match rng.u8(..7) {
        0 => review.rating = Rating::ALL[rng.usize(..5)],
        1 => review.state = ReviewState::ALL[rng.usize(..3)],
        2 => review.content = None,
        3 => review.update_date = Some(second("2025-07-14") + rng.i64(0..200 * 60)),
        4 => review.update_date = Some(second("2024-01-01") + rng.i64(0..1_000 * 86_400)),
        5 => review.org_id = OrgId::new(2).expect("an id"),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_shows_each_match_once_and_in_order_after_any_change_behind_the_index() {
    let (review_fixtures, lag) = lagging().await;
    let mut rng = rng("reviews behind the index");
    let reviews: Vec<Review> = one_star_reviews(150);
    let changed =
        change_behind_the_index(&review_fixtures, &lag, &reviews, |review| change_randomly(review, &mut rng)).await;
    let truth: BTreeMap<&str, &Review> = changed.iter().map(|review| (review.id.as_str(), review)).collect();
    let ratings = ["", "&rating=1", "&rating__in=2,3,4,5"];
    let states = ["", "&state=treated", "&state=deleted,not_treated"];
    let contents = ["", "&content__isnull=true"];
    for number in 0..60 {
        let (rating, state, content) = (rng.usize(..3), rng.usize(..3), rng.usize(..2));
        let (oldest_first, size) = (rng.bool(), [3, 30, 100][rng.usize(..3)]);
        let order_by = if oldest_first { "&order_by=update_date" } else { "" };
        let filters = format!("{}{}{}", ratings[rating], states[state], contents[content]);
        let query =
            format!("business__in=lyon-1{filters}{order_by}&per_page={size}&page={}", 1 + rng.usize(..=100 / size));
        let (count, _, shown) = page(&review_fixtures, &query).await;
        assert!(count >= shown.len() as u64 && shown.len() <= size, "{number}, {query}: {count}, {}", shown.len());
        let mut order = Vec::new();
        for one in &shown {
            let id = one["id"].as_str().expect("an id");
            let review = truth.get(id).copied().cloned().unwrap_or_else(|| seeded_by_id(id));
            let is_right = |wanted: bool, what: &str| assert!(wanted, "{number}, {query}: {what} of {one}");
            assert_eq!(one["rating"], review.rating.get(), "as it is by now");
            is_right(rating == 0 || (rating == 1) == (review.rating == Rating::ALL[0]), "the rating");
            is_right(state == 0 || (state == 1) == (review.state == ReviewState::Treated), "the state");
            is_right(content == 0 || review.content.is_none(), "the content");
            is_right(review.org_id.get() == 1, "the organisation");
            order.push((format_second(review.effective_at()), id.to_owned()));
        }
        let mut sorted = order.clone();
        sorted.sort();
        if !oldest_first {
            sorted.reverse();
        }
        assert_eq!(order, sorted, "{number}, {query}");
        assert_eq!(order.iter().collect::<HashSet<_>>().len(), order.len(), "{number}, {query}: one came twice");
    }
    assert!(lag.stale_answers() > 0, "the index did lag");
}

/// Returns a review of the fixtures by its id.
fn seeded_by_id(id: &str) -> Review {
    ["a", "b"].map(seeded_review).into_iter().find(|review| review.id.as_str() == id).expect("a review of the business")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_the_index_misplaces_is_shown_in_its_place_or_not_at_all() {
    let (review_fixtures, lag) = lagging().await;
    let queries =
        ["business__in=lyon-1,lyon-2&state=treated", "business__in=lyon-1,lyon-2&update_date__gte=2025-01-15"];
    for (query, names) in queries.into_iter().zip(["2 in all: d a", "3 in all: d c b"]) {
        assert_eq!(describe_page(&review_fixtures.ask("admin_1", query).await), format!("page 1 of 1, {names}"));
    }

    let (a, d) = (seeded_review("a"), seeded_review("d"));
    let deleted = Review { state: ReviewState::Deleted, ..d.clone() };
    let earlier = Review { update_date: Some(second("2025-01-02")), ..a.clone() };
    write_reviews(
        &review_fixtures.stack,
        vec![ReviewWrite { old: Some(d), new: deleted }, ReviewWrite { old: Some(a), new: earlier }],
    )
    .await;
    freeze(&review_fixtures, &lag).await;
    for (query, names) in queries.into_iter().zip(["1 in all: a", "3 in all: d c b"]) {
        assert_eq!(
            describe_page(&review_fixtures.ask("admin_1", query).await),
            format!("page 1 of 1, {names}"),
            "{query}"
        );
    }
    assert!(lag.stale_answers() > 0, "the index did lag");
}
