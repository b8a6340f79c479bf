//! Write units of folds: of the newest reviews of a large organisation, in portions of a writer and of an import.

use fastrand::Rng;
use presence_domain::review::{Partner, Rating, Review, ReviewState};
use presence_ledger::OrgPostings;
use presence_ledger::tree::FACETS_FROM;
use presence_store::meter::measured;
use presence_store::{FoldLimits, ReviewStore, ReviewWrite, bulk_org_items};
use presence_tests::reviews::{org_id, test_review, write_reviews};
use presence_tests::{TestStack, rng};

const REVIEWS: u32 = 100_000;
/// Five years before the newest stored review, 2021-01-01.
const FIRST_SECOND: i64 = 1_609_459_200;
const SECONDS: i64 = 5 * 365 * 86_400;
/// Cities with 30 %, 3 %, 0.3 % and 0.03 % of the reviews, in parts of 10,000. Others share the rest.
const LARGE_CITIES: [u32; 4] = [3_000, 300, 30, 3];
const OTHER_CITIES: u32 = 195;
/// Businesses of the largest city, and of each other one.
const BUSINESSES: [u32; 2] = [150, 2];

/// Returns one of the values, each with its weight.
fn weighted<T: Copy>(rng: &mut Rng, of: &[(T, u32)]) -> T {
    let mut left = rng.u32(0..of.iter().map(|(_, weight)| weight).sum());
    for (value, weight) in of {
        match left.checked_sub(*weight) {
            None => return *value,
            Some(rest) => left = rest,
        }
    }
    of[0].0
}

/// Returns the review with this number. Numbers from [`REVIEWS`] on are newer than all before.
fn review(rng: &mut Rng, number: u32) -> Review {
    let part = rng.u32(0..10_000);
    let large = LARGE_CITIES.iter().scan(0, |until, size| {
        *until += size;
        Some(*until)
    });
    let city = large
        .enumerate()
        .find(|(_, until)| part < *until)
        .map_or_else(|| 4 + rng.u32(0..OTHER_CITIES), |(city, _)| u32::try_from(city).expect("small"));
    let business = rng.u32(0..BUSINESSES[usize::from(city > 0)]);
    let partner = weighted(rng, &[(Partner::ALL[0], 70), (Partner::ALL[1], 24), (Partner::ALL[2], 6)]);
    let ratings = [10, 5, 10, 25, 50];
    let ratings: Vec<_> = Rating::ALL.into_iter().zip(ratings).collect();
    let states = ReviewState::ALL.into_iter().zip([60, 35, 5]);
    let place = (&*format!("c{city}-b{business}"), 1, &*format!("city {city}"));
    Review {
        date: FIRST_SECOND + SECONDS * i64::from(number) / i64::from(REVIEWS),
        rating: weighted(rng, &ratings),
        content: (rng.u8(..10) < 6).then(|| "Bien".to_owned()),
        state: weighted(rng, &states.collect::<Vec<_>>()),
        ..test_review(partner, &number.to_string(), place)
    }
}

/// Stores the trees of reviews. Folds read no reviews, so that these are left out.
async fn fill_trees(stack: &TestStack, reviews: impl Iterator<Item = Review>) {
    let (mut postings, mut items) = (OrgPostings::new(org_id(1)), Vec::new());
    for review in reviews {
        postings.add(&review);
    }
    bulk_org_items(postings, FACETS_FROM, |item| {
        items.push(item);
        Ok(())
    })
    .expect("items");
    stack.fill_items(items).await;
}

/// Writes reviews, and folds them. Returns the write units of the fold for each review.
async fn units_of_fold(store: &ReviewStore, reviews: Vec<Review>) -> f64 {
    let count = u32::try_from(reviews.len()).expect("few");
    let mut writes: Vec<_> = reviews.into_iter().map(|new| ReviewWrite { old: None, new }).collect();
    writes.sort_by_key(|write| presence_ledger::ReviewNumber::of(&write.new.id).lane());
    write_reviews(store, &writes).await;
    let (report, cost) = measured(store.fold_reviews(org_id(1))).await;
    let report = report.expect("the store answers");
    assert_eq!((report.changes, report.mismatches, report.lost), (u64::from(count), 0, false));
    cost.write_units / f64::from(count)
}

#[tokio::test(flavor = "multi_thread")]
async fn folds_of_the_newest_reviews_write_few_units_for_each() {
    let (stack, mut rng) = (TestStack::start().await, rng("units of folds"));
    fill_trees(&stack, (0..REVIEWS).map(|number| review(&mut rng, number))).await;
    let limits = FoldLimits { fold_from: u64::MAX, ..FoldLimits::default() };
    let store = stack.stores().reviews.clone().with_fold_limits(limits);
    let mut next = REVIEWS;
    let mut newest = |count: u32| {
        next += count;
        (next - count..next).map(|number| review(&mut rng, number)).collect::<Vec<_>>()
    };
    let mut sum = 0.0;
    for _ in 0..4 {
        sum += units_of_fold(&store, newest(512)).await;
    }
    assert!(sum / 4.0 <= 2.0, "{} units for each of 512 reviews", sum / 4.0);
    let imported = units_of_fold(&store, newest(10_000)).await;
    assert!(imported <= 0.5, "{imported} units for each of 10,000 reviews");
}
