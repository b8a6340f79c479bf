//! Lag of the index of reviews and of eventual reads behind the table: every page is exact nevertheless.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::OrgId;
use presence_domain::instant::format_second;
use presence_domain::review::{Rating, Review, ReviewId, ReviewState};
use presence_local::Options;
use presence_store::ReviewWrite;
use presence_tests::ConnectorLayer as _;
use presence_tests::{LagConnector, TestStack, counting_waves, in_process_client, long_timeouts, rng};
use serde_json::{Value, json};

use super::fixtures::{ReviewFixtures, describe_page, seeded_review, write_reviews};
use crate::imports::large_dataset::second;

/// Functions that read lagging indexes and eventual states once [`Lagging::freeze`] is called.
struct Lagging {
    lag: LagConnector,
    /// Functions with warm caches.
    warm: ReviewFixtures,
    /// Functions that were just started.
    cold: TestStack,
}

/// Search with what admits a review to it.
type Search = (&'static str, fn(&Review) -> bool);

const SEARCHES: [Search; 8] = [
    ("", |_| true),
    ("rating=1", |review| review.rating == Rating::ALL[0]),
    ("rating__in=2,3,4,5&state=treated", |review| {
        review.rating != Rating::ALL[0] && review.state == ReviewState::Treated
    }),
    ("content__isnull=true", |review| !review.has_content()),
    ("business__in=lyon-1", |review| review.business_id.as_str() == "lyon-1"),
    ("business__in=lyon-1,lyon-2&rating=1", |review| {
        review.rating == Rating::ALL[0] && ["lyon-1", "lyon-2"].contains(&review.business_id.as_str())
    }),
    ("business_city=lyon", |review| review.city_key == "lyon"),
    ("business_city=lyon&state=deleted,not_treated", |review| {
        review.city_key == "lyon" && review.state != ReviewState::Treated
    }),
];

impl Lagging {
    async fn new() -> Self {
        let lag = LagConnector::new(0);
        let options = |options| Options { http_client: Some(lag.over(in_process_client())), ..options };
        let stack = TestStack::with(counting_waves(options(long_timeouts()))).await;
        let cold = TestStack::with(options(stack.second_stack_options())).await;
        Self { lag, warm: ReviewFixtures::of(stack).await, cold }
    }

    /// Makes every index and eventual read answer from now on as it did for the same request before.
    async fn freeze(&self) {
        self.lag.set_reads(u64::MAX);
        // The connector takes its kept answers as outdated after any write through it.
        let user = format!("/user/{}", self.warm.fixtures.manager_1.id);
        let reply = self.warm.stack.post(&user, self.warm.key("admin_1"), &json!({"phone": "1"})).await;
        assert_eq!(reply.status, 200);
    }

    async fn fold(&self) {
        self.warm.fold().await;
    }

    /// Writes reviews and then their changed versions, and freezes what lags between the two.
    async fn change_behind_the_index(&self, reviews: &[Review], folds: bool, change: impl FnMut(&mut Review)) -> Truth {
        let news = reviews.iter().map(|new| ReviewWrite { old: None, new: new.clone() });
        write_reviews(&self.warm.stack, news.collect()).await;
        self.fold().await;
        for (search, _) in SEARCHES {
            for size in [3, 30] {
                self.warm.ask("admin_1", &format!("{search}&per_page={size}")).await;
            }
            self.warm.stats("admin_1", &format!("{search}&group_by=month")).await;
        }
        let mut changed = reviews.to_vec();
        changed.iter_mut().for_each(change);
        let writes =
            reviews.iter().zip(&changed).map(|(old, new)| ReviewWrite { old: Some(old.clone()), new: new.clone() });
        write_reviews(&self.warm.stack, writes.collect()).await;
        if folds {
            self.fold().await;
        }
        self.freeze().await;
        let seeded = ["a", "b", "c", "d", "e", "f", "g", "h"].map(seeded_review);
        Truth(seeded.into_iter().chain(changed).map(|review| (review.id.clone(), review)).collect())
    }

    /// Asks warm functions, and those that were just started. Both have the page of the truth.
    async fn check(&self, truth: &Truth, (search, admits): Search, (size, page): (usize, usize), oldest_first: bool) {
        let order_by = if oldest_first { "&order_by=update_date" } else { "" };
        let query = format!("{search}{order_by}&per_page={size}&page={page}");
        let expected = truth.page(admits, (size, page), oldest_first);
        let key = self.warm.key("admin_1");
        for (what, stack) in [("warm", &self.warm.stack), ("cold", &self.cold)] {
            let reply = stack.get(&format!("/reviews?{query}"), key).await;
            let body = reply.json();
            let shown = body["reviews"].as_array().into_iter().flatten();
            let ids: Vec<&str> = shown.filter_map(|review| review["id"].as_str()).collect();
            let found = (body["count"].as_u64(), ids);
            let expected = (Some(expected.0), expected.1.iter().map(ReviewId::as_str).collect());
            assert_eq!(found, expected, "{what}, {query}: {}", reply.status);
        }
    }

    /// Asks both for statistics, too.
    async fn check_stats(&self, truth: &Truth, (search, admits): Search) {
        for (what, stack) in [("warm", &self.warm.stack), ("cold", &self.cold)] {
            let path = format!("/reviews/stats?{search}&group_by=month");
            let stats = stack.get(&path, self.warm.key("admin_1")).await;
            assert_eq!((stats.status, figures(&stats.json())), (200, truth.figures(admits)), "{what}, {search}");
        }
    }
}

/// Numbers of reviews by month, and by rating.
type Figures = BTreeMap<String, [u64; Rating::ALL.len()]>;

/// Returns the figures of an answer with groups by month.
fn figures(stats: &Value) -> Figures {
    let groups = stats["groups"].as_array().into_iter().flatten();
    let ratings = |group: &Value| Rating::ALL.map(|rating| group["ratings"][rating.get().to_string()].as_u64());
    groups
        .map(|group| {
            let month = group["key"].as_str().expect("a month").to_owned();
            (month, ratings(group).map(|count| count.expect("a number")))
        })
        .collect()
}

/// Reviews as the table has them.
struct Truth(BTreeMap<ReviewId, Review>);

impl Truth {
    fn figures(&self, admits: fn(&Review) -> bool) -> Figures {
        let mut figures = Figures::new();
        for review in self.0.values().filter(|review| review.org_id.get() == 1 && admits(review)) {
            let month = format_second(review.effective_at())[..7].to_owned();
            figures.entry(month).or_default()[usize::from(review.rating.get()) - 1] += 1;
        }
        figures
    }

    fn page(
        &self,
        admits: fn(&Review) -> bool,
        (size, page): (usize, usize),
        oldest_first: bool,
    ) -> (u64, Vec<ReviewId>) {
        let matches = self.0.values().filter(|review| review.org_id.get() == 1 && admits(review));
        let mut sorted: Vec<_> = matches.map(|review| (review.effective_at(), &review.id)).collect();
        sorted.sort_unstable();
        if !oldest_first {
            sorted.reverse();
        }
        let on_page = sorted.iter().skip((page - 1) * size).take(size);
        (sorted.len() as u64, on_page.map(|(_, id)| (*id).clone()).collect())
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn reviews_that_the_filter_no_longer_matches_are_neither_shown_nor_counted() {
    for folds in [false, true] {
        let lagging = Lagging::new().await;
        let reviews = one_star_reviews(100);
        let truth = lagging.change_behind_the_index(&reviews, folds, |review| review.rating = Rating::ALL[4]).await;
        for search in SEARCHES {
            lagging.check(&truth, search, (30, 1), false).await;
            lagging.check(&truth, search, (100, 1), true).await;
            lagging.check_stats(&truth, search).await;
        }
        assert!(lagging.lag.stale_answers() > 0, "something did lag");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_outdated_review_is_shown_for_any_number_of_them_and_the_waves_are_bounded() {
    let lagging = Lagging::new().await;
    let reviews = one_star_reviews(1_300);
    let truth = lagging.change_behind_the_index(&reviews, true, |review| review.state = ReviewState::Deleted).await;
    for page in [1, 2, 7, 40] {
        for search in SEARCHES {
            lagging.check(&truth, search, (30, page), false).await;
        }
    }
    for search in SEARCHES {
        lagging.check_stats(&truth, search).await;
    }
    let spent = lagging.warm.ask("admin_1", "business__in=lyon-1&state=deleted&rating=1&page=3").await.cost();
    assert!(spent.waves <= 6, "the log, bucket and root, nodes, reviews, and reviews again: {spent:?}");
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
        _ => review.author_name = Some("Zoë".to_owned()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_exact_after_any_change_that_indexes_and_eventual_reads_do_not_show() {
    let mut rng = rng("reviews behind the index");
    for folds in [false, true] {
        let lagging = Lagging::new().await;
        let reviews = one_star_reviews(150);
        let truth = lagging.change_behind_the_index(&reviews, folds, |review| change_randomly(review, &mut rng)).await;
        for _ in 0..30 {
            let search = SEARCHES[rng.usize(..SEARCHES.len())];
            let size = [3, 30, 100][rng.usize(..3)];
            lagging.check(&truth, search, (size, 1 + rng.usize(..=100 / size)), rng.bool()).await;
        }
        for search in SEARCHES {
            lagging.check_stats(&truth, search).await;
        }
        assert!(lagging.lag.stale_answers() > 0, "something did lag");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_the_index_misplaces_is_shown_in_its_place() {
    let lagging = Lagging::new().await;
    let queries =
        ["business__in=lyon-1,lyon-2&state=treated", "business__in=lyon-1,lyon-2&update_date__gte=2025-01-15"];
    for (query, names) in queries.into_iter().zip(["2 in all: d a", "3 in all: d c b"]) {
        assert_eq!(describe_page(&lagging.warm.ask("admin_1", query).await), format!("page 1 of 1, {names}"));
    }

    let (a, d) = (seeded_review("a"), seeded_review("d"));
    let deleted = Review { state: ReviewState::Deleted, ..d.clone() };
    let earlier = Review { update_date: Some(second("2025-01-02")), ..a.clone() };
    let writes = vec![ReviewWrite { old: Some(d), new: deleted }, ReviewWrite { old: Some(a), new: earlier }];
    write_reviews(&lagging.warm.stack, writes).await;
    lagging.freeze().await;
    for (query, names) in queries.into_iter().zip(["1 in all: a", "3 in all: d c b"]) {
        let reply = lagging.warm.ask("admin_1", query).await;
        assert_eq!(describe_page(&reply), format!("page 1 of 1, {names}"), "{query}");
    }
    assert!(lagging.lag.stale_answers() > 0, "something did lag");
}
