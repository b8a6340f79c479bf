//! Cost of searches of 10,000 reviews, without the cost of the key.

use presence_domain::review::{FacetKey, FacetMask, Partner, Rating, Review, ReviewState};
use presence_tests::reviews::{org_id, test_review};
use presence_tests::{Cost, Fixtures, Reply, SavedFixtures, TestStack, counting_waves, rng};
use tokio::sync::OnceCell;

use super::fixtures::ReviewFixtures;
use crate::imports::large_dataset::second;

const REVIEWS: usize = 10_000;
const DAYS: i64 = 1_800;
pub(super) const BUSINESSES: usize = 400;
/// One business in ten is in this city, and it has three tenths of the reviews.
pub(super) const LARGE_CITY: &str = "lyon";
/// Request that reads nothing but the key. Afterwards the function knows the caller.
pub(super) const NOTHING: &str = "rating=5&rating__in=4";
pub(super) const KEY: Cost = Cost { calls: 1, waves: 1, read_units: 1.0, write_units: 0.0 };

/// Tables that have the fixtures and the reviews.
static SAVED: SavedFixtures = OnceCell::const_new();

/// Limits of a search by a function that was just started, without the key.
struct Budget {
    what: &'static str,
    query: String,
    waves: u64,
    calls: u64,
    units: f64,
}

fn budget(what: &'static str, query: impl Into<String>, (waves, calls, units): (u64, u64, f64)) -> Budget {
    Budget { what, query: query.into(), waves, calls, units }
}

pub(super) fn businesses(numbers: std::ops::Range<usize>) -> String {
    numbers.map(|number| format!("b{number}")).collect::<Vec<_>>().join(",")
}

/// Returns reviews with texts of usual length. Two fifths are recent, five stars are most frequent, and few are deleted.
fn reviews() -> Vec<Review> {
    let mut rng = rng("budget");
    let mut review = |number: usize| {
        let is_large = rng.u8(..10) < 3;
        let business = if is_large { rng.usize(..40) } else { rng.usize(40..BUSINESSES) };
        let city = if is_large { LARGE_CITY.to_owned() } else { format!("city {}", business % 50) };
        let partner = Partner::ALL[rng.usize(..3)];
        let age = if rng.u8(..5) < 2 { rng.i64(0..180) } else { rng.i64(0..DAYS) };
        let state = if rng.u16(..700) == 0 { ReviewState::Deleted } else { ReviewState::ALL[rng.usize(..2)] };
        Review {
            key: format!("{number:032}"),
            author_name: Some("Camille Martin".to_owned()),
            date: second("2025-12-31") - age * 86_400 - rng.i64(0..86_400),
            rating: Rating::ALL[4_usize.saturating_sub(rng.usize(..9) / 2)],
            content: (rng.u8(..3) > 0).then(|| "Très bon accueil. ".repeat(8)),
            state,
            link: Some("https://example.org/reviews/1234567890".to_owned()),
            ..test_review(partner, &format!("review {number}"), (&format!("b{business}"), 1, &city))
        }
    };
    (0..REVIEWS).map(&mut review).collect()
}

async fn fill(stack: &TestStack) -> Fixtures {
    let fixtures = Fixtures::create(stack).await;
    stack.fill_reviews(&reviews()).await;
    fixtures
}

/// Starts a stack with the fixtures and the reviews.
pub(super) async fn filled_stack() -> (TestStack, Fixtures) {
    let stack = TestStack::counting_waves().await;
    let fixtures = Fixtures::copy(&stack, &SAVED, |stack| Box::pin(fill(stack))).await;
    // The first use of a key in an hour is a write.
    ask(&stack, &fixtures.admin_1.key, NOTHING).await;
    (stack, fixtures)
}

/// Starts another instance of each function, which knows the caller and nothing else.
pub(super) async fn just_started(stack: &TestStack, key: &str) -> TestStack {
    let started = TestStack::with(counting_waves(stack.second_stack_options())).await;
    assert_eq!(ask(&started, key, NOTHING).await.cost(), KEY);
    started
}

async fn ask(stack: &TestStack, key: &str, query: &str) -> Reply {
    let reply = stack.get(&format!("/reviews?{query}"), key).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.text);
    reply
}

/// Returns the cost of a search without that of the key, which is read beside it.
pub(super) fn cost_of_search(reply: &Reply) -> Cost {
    let Cost { calls, waves, read_units, write_units } = reply.cost();
    Cost { calls: calls - KEY.calls, waves, read_units: read_units - KEY.read_units, write_units }
}

fn count(reviews: &[Review], mask: FacetMask) -> usize {
    reviews.iter().filter(|review| mask.contains(FacetKey::of(review))).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_a_function_that_was_just_started_keep_their_budgets_and_repeated_ones_take_one_wave() {
    let (stack, fixtures) = filled_stack().await;
    let key = &fixtures.admin_1.key;
    let last = REVIEWS.div_ceil(30);
    let mut exceeded = Vec::new();
    let (frequent, any, many) = ((2, 5, 14.0), (4, 15, 30.0), (4, 15, 60.0));
    for Budget { what, query, waves, calls, units } in [
        budget("page 1", "", (1, 4, 8.0)),
        budget("page 1, oldest first", "order_by=update_date", (1, 4, 8.0)),
        budget("page in the middle", format!("page={}", last / 2), any),
        budget("last page", format!("page={last}"), (2, 4, 8.0)),
        budget("last page, oldest first", format!("order_by=update_date&page={last}"), (2, 4, 8.0)),
        budget("largest page", "per_page=100", any),
        budget("rating", "rating=5", frequent),
        budget("state", "state=treated", frequent),
        budget("large city", format!("business_city={LARGE_CITY}"), frequent),
        budget("rating, page in the middle", "rating=5&page=40", any),
        budget("rare filter", "state=deleted", any),
        budget("rarest filter", "state=deleted&rating=1&partner__in=partner_1", any),
        budget("small city", "business_city=city%2013", any),
        budget("small city, filtered", "business_city=city%2013&rating=3", any),
        budget("part of the time", "update_date__gte=2022-03-05T10:00:00&update_date__lte=2023-04-09T11:00:00", any),
        budget("one business", "business__in=b7", any),
        budget("20 businesses", format!("business__in={}", businesses(0..20)), many),
        budget("100 businesses", format!("business__in={}", businesses(0..100)), (4, 15, 140.0)),
        budget("385 businesses", format!("business__in={}", businesses(0..385)), (4, 20, 320.0)),
    ] {
        let started = just_started(&stack, key).await;
        let cold = cost_of_search(&ask(&started, key, &query).await);
        let warm = cost_of_search(&ask(&started, key, &query).await);
        let warm_waves = if query.matches(",b").count() < 100 { 1 } else { 2 };
        let is_within = cold.waves <= waves
            && cold.calls <= calls
            && cold.read_units <= units
            && cold.write_units < 0.1
            && warm.waves <= warm_waves
            && warm.read_units <= cold.read_units;
        if !is_within {
            exceeded.push(format!("{what}: {cold:?}, again {warm:?}"));
        }
    }
    assert!(exceeded.is_empty(), "{}", exceeded.join("\n"));
    let fives = FacetMask::from_predicate(|_, rating, _, _| rating.get() == 5);
    assert_eq!(ask(&stack, key, "rating=5").await.json()["count"], count(&reviews(), fives));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_page_and_another_filter_take_one_wave_in_a_warm_function() {
    let (stack, fixtures) = filled_stack().await;
    let key = &fixtures.admin_1.key;
    let started = just_started(&stack, key).await;
    let (ten, mut exceeded) = (businesses(0..10), Vec::new());
    for queries in [
        [String::new(), "page=2".to_owned(), "page=3".to_owned(), "rating=5".to_owned(), "rating=5&page=2".to_owned()],
        [
            format!("business_city={LARGE_CITY}"),
            format!("business_city={LARGE_CITY}&page=2"),
            format!("business_city={LARGE_CITY}&rating=5"),
            format!("business_city={LARGE_CITY}&state=treated"),
            format!("business_city={LARGE_CITY}&per_page=10"),
        ],
        [
            format!("business__in={ten}"),
            format!("business__in={ten}&rating=5"),
            format!("business__in={ten}&page=2"),
            format!("business__in={ten}&state=treated"),
            format!("business__in={ten}&per_page=10"),
        ],
    ] {
        for (number, query) in queries.iter().enumerate() {
            let spent = cost_of_search(&ask(&started, key, query).await);
            if number > 0 && spent.waves > 1 {
                exceeded.push(format!("{query}: {spent:?}"));
            }
        }
    }
    assert!(exceeded.is_empty(), "{}", exceeded.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_without_possible_matches_reads_only_the_key() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    review_fixtures.ask("admin_1", "").await;
    for query in [NOTHING, "update_date__gte=2025-02-01&update_date__lte=2025-01-01", "business__in=a%20b"] {
        let reply = review_fixtures.ask("admin_1", query).await;
        assert_eq!((reply.json()["count"].as_u64(), reply.cost()), (Some(0), KEY), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_of_a_few_reviews_read_the_log_the_root_and_the_reviews() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    review_fixtures.stack.stores().reviews.fold_reviews(org_id(1)).await.expect("the store answers");
    review_fixtures.ask("admin_1", "").await;
    for (query, count, calls, units) in [
        // The key and the log for one unit each, and eight reviews in one Query of the index.
        ("", 8, 3, 1.0 + 1.0 + 0.5),
        ("rating=5", 2, 3, 1.0 + 1.0 + 0.5),
    ] {
        let reply = review_fixtures.ask("admin_1", query).await;
        let cost = Cost { calls, waves: 1, read_units: units, write_units: 0.0 };
        assert_eq!((reply.json()["count"].as_u64(), reply.cost()), (Some(count), cost), "{query}");
    }
    // A business of another organisation has no tree in this one: its root is looked for in vain.
    let foreign = review_fixtures.ask("admin_1", "business__in=lyon-9").await;
    assert_eq!((foreign.json()["count"].as_u64(), foreign.cost().waves), (Some(0), 1));
}
