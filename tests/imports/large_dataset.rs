//! Data set on which a search takes all its steps: a month that is too large to be read as a whole, between small ones.

use presence_domain::instant::DateInput;
use presence_domain::review::{Partner, Rating, Review, ReviewState};
use presence_domain::text::city_key;
use presence_tests::TestStack;
use presence_tests::reviews::test_review;

/// Businesses: id, organisation, city.
const BUSINESSES: [(&str, u64, &str); 3] = [("m1", 1, "Lyon"), ("m2", 1, "Paris"), ("m3", 2, "Lyon")];
/// Number of reviews of the big month: more than a search reads of a month without its days.
const BIG_MONTH: i64 = 2_080;
/// Number of days with reviews in the big month.
const BIG_DAYS: i64 = 26;
/// Days with a review in a small month.
const SMALL_DAYS: [&str; 10] = ["01", "02", "05", "09", "10", "11", "14", "20", "26", "28"];
/// Small months with their businesses. The big month is 2025-07, of `m1` and `m2`.
const SMALL_MONTHS: [(&str, &str); 5] =
    [("m1", "2025-05"), ("m2", "2025-06"), ("m1", "2025-08"), ("m3", "2025-06"), ("m3", "2025-08")];
/// Reviews that tests name: name, business, time, rating, state.
const NAMED: [(&str, &str, &str, u8, ReviewState); 6] = [
    ("top", "m1", "2025-08-25T10:00:00", 5, ReviewState::Treated),
    ("end", "m1", "2025-08-10T11:00:00", 1, ReviewState::NotTreated),
    ("mid", "m1", "2025-07-05T12:00:00", 3, ReviewState::NotTreated),
    ("low", "m2", "2025-06-15T12:00:00", 3, ReviewState::NotTreated),
    ("start", "m2", "2025-06-10T13:00:00", 1, ReviewState::NotTreated),
    ("far", "m3", "2025-08-25T11:00:00", 5, ReviewState::Treated),
];

/// Returns the seconds since 1970 of a date.
pub(crate) fn second(text: &str) -> i64 {
    DateInput::parse(text).expect("a date").first_second()
}

/// Returns a review of a business. The name is its partner id.
pub(crate) fn review(name: &str, business: &str, at: i64, rating: u8, state: ReviewState) -> Review {
    let (_, org, city) = BUSINESSES.iter().find(|(id, ..)| *id == business).expect("a business");
    let rating = Rating::ALL[usize::from(rating - 1)];
    Review { date: at, rating, state, ..test_review(Partner::Partner8, name, (business, *org, &city_key(city))) }
}

/// Returns all reviews of the data set.
pub(crate) fn reviews() -> Vec<Review> {
    let named =
        NAMED.iter().map(|(name, business, at, rating, state)| review(name, business, second(at), *rating, *state));
    let big = (0..BIG_MONTH).map(|n| {
        let at = second("2025-07-01") + n % BIG_DAYS * 86_400 + n / BIG_DAYS * 1_000;
        numbered_review(&format!("big {n}"), if n % 3 == 0 { "m2" } else { "m1" }, at, n)
    });
    let small = SMALL_MONTHS.iter().flat_map(|(business, month)| {
        (0..).zip(SMALL_DAYS).map(move |(n, day)| {
            let at = second(&format!("{month}-{day}")) + 3_600 * (2 * n + 1);
            numbered_review(&format!("{business} {month} {day}"), business, at, n)
        })
    });
    named.chain(big).chain(small).collect()
}

/// Returns a review whose rating and state follow from its number.
fn numbered_review(name: &str, business: &str, at: i64, n: i64) -> Review {
    let rating = u8::try_from(n % 5 + 1).expect("small");
    let state = ReviewState::ALL[usize::from(n % 7 != 0) + usize::from(n % 11 == 0)];
    review(name, business, at, rating, state)
}

/// Writes the data set into a stack without reviews.
pub(crate) async fn fill(stack: &TestStack) {
    for (id, org, city) in BUSINESSES {
        stack.create_business(org, id, city).await;
    }
    stack.fill_reviews(&reviews()).await;
}
