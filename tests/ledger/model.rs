//! Random reviews of two organisations, and random searches of them.

use fastrand::Rng;
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask, Review, ReviewState};
use presence_ledger::ReviewSet;
use presence_store::ReviewFilter;
pub(super) use presence_tests::ReviewModel as Model;
use presence_tests::reviews::{DAY, ReviewQuery, business_id, org_id, pick, random_review, random_second};

/// Businesses of two organisations, with the same city names in both.
const BUSINESSES: [(&str, u64, &str); 5] = [
    ("b1", 1, "saint etienne"),
    ("b2", 1, "evora"),
    ("b3", 1, "evora"),
    ("b4", 2, "evora"),
    ("b5", 2, "saint etienne"),
];

/// Returns a random review. Organisation 2 has few.
pub(super) fn review(rng: &mut Rng, number: usize) -> Review {
    let place = if rng.u64(..20) == 0 { pick(rng, &BUSINESSES[3..]) } else { pick(rng, &BUSINESSES[..3]) };
    random_review(rng, &format!("review {number}"), place)
}

/// Returns the review with one change that moves it in the ledger.
pub(super) fn changed(rng: &mut Rng, old: &Review) -> Review {
    let other = review(rng, 0);
    let mut new = old.clone();
    match rng.u64(..5) {
        0 => new.state = if old.state == ReviewState::Deleted { other.state } else { ReviewState::Deleted },
        1 => new.rating = other.rating,
        2 => new.update_date = other.update_date,
        3 => new.content = other.content,
        _ => "besancon".clone_into(&mut new.city_key),
    }
    new
}

/// Returns a random search.
pub(super) fn query(rng: &mut Rng) -> ReviewQuery {
    let city = |number, name: &str| ReviewSet::City(org_id(number), name.to_owned());
    let business = |number: usize| {
        let (id, org, _) = BUSINESSES[number];
        ReviewSet::Business(org_id(org), business_id(id))
    };
    let sets = match rng.u64(..10) {
        0..3 => vec![ReviewSet::Org(org_id(1))],
        3 => vec![ReviewSet::Org(org_id(2))],
        4 => vec![ReviewSet::Org(org_id(1)), ReviewSet::Org(org_id(2))],
        5 => vec![city(1, "evora"), city(2, "evora")],
        6 => vec![business(0), business(2)],
        7 => vec![business(1), business(3), business(4)],
        8 => vec![business(rng.usize(..BUSINESSES.len()))],
        _ => vec![city(1, "saint etienne")],
    };
    // Any set of facet keys. The parameters of a request can only name products of states, ratings, partners and content.
    let (bits, everything) = (rng.u128(..), rng.u8(..4) == 0);
    let mask = FacetMask::from_predicate(|state, rating, partner, has_content| {
        everything || bits >> FacetKey::new(state, rating, partner, has_content).number() & 1 == 1
    });
    let bound = |rng: &mut Rng| match rng.u64(..4) {
        0 => Some(random_second(rng)),
        1 => Some(random_second(rng).div_euclid(DAY) * DAY - i64::try_from(rng.u64(..2)).expect("small")),
        _ => None,
    };
    let (from, to) = (bound(rng), bound(rng));
    let size = pick(rng, &[1, 7, 30, 100]);
    let filter = ReviewFilter { mask, from, to, newest_first: rng.u64(..2) == 0, ..ReviewFilter::ALL };
    ReviewQuery { sets, filter, page: PageRequest { page: 1 + rng.u64(..=300 / size), size } }
}
