//! Model of the ledger: reviews in a plain list, searched by looking at each of them.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{FacetKey, FacetMask, ReviewSet};
use presence_domain::page::PageRequest;
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_store::{ReviewQuery, ReviewWrite, Stores, WriteReviewsError};

/// 2024-02-01, so that a leap day and month ends lie in the range of dates.
const FIRST_SECOND: i64 = 1_706_745_600;
const DAY: i64 = 86_400;
/// Number of a day with many reviews.
const DENSE_DAY: i64 = 29;

/// Reviews as the store should have them.
#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) reviews: BTreeMap<ReviewId, Review>,
}

/// Businesses of two organisations, with the same city names in both.
const BUSINESSES: [(&str, u64, &str); 5] = [
    ("b1", 1, "saint etienne"),
    ("b2", 1, "evora"),
    ("b3", 1, "evora"),
    ("b4", 2, "evora"),
    ("b5", 2, "saint etienne"),
];

/// Returns a random second of a review: often one that other reviews have too.
fn second(rng: &mut Rng) -> i64 {
    let day = if rng.u64(..4) == 0 { DENSE_DAY } else { i64::try_from(rng.u64(..400)).expect("small") };
    let edge = [0, 1, DAY / 2, DAY - 1];
    let of_day = match rng.u64(..8) {
        index @ 0..4 => edge[usize::try_from(index).expect("small")],
        _ => i64::try_from(rng.u64(..86_400)).expect("small"),
    };
    FIRST_SECOND + day * DAY + of_day
}

/// Returns one of the values.
fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())]
}

/// Returns a random review. Organisation 2 has few.
pub(super) fn review(rng: &mut Rng, number: usize) -> Review {
    let (business, org, city) =
        if rng.u64(..20) == 0 { pick(rng, &BUSINESSES[3..]) } else { pick(rng, &BUSINESSES[..3]) };
    let business_id = BusinessId::parse(business).expect("an id");
    let partner = pick(rng, &Partner::ALL);
    let partner_id = format!("review {number}");
    let date = second(rng);
    Review {
        id: ReviewId::derive(&business_id, partner, &partner_id, 0),
        version: 1,
        org_id: OrgId::new(org).expect("an id"),
        business_id,
        city_key: city.to_owned(),
        partner,
        key: partner_id.clone(),
        partner_id,
        author_name: None,
        date,
        update_date: (rng.u64(..3) == 0).then(|| second(rng)),
        delete_date: None,
        rating: pick(rng, &Rating::ALL),
        title: None,
        content: pick(rng, &[None, Some(""), Some("  "), Some("Très bon accueil")]).map(str::to_owned),
        reply_comment: None,
        state: pick(rng, &ReviewState::ALL),
        link: None,
        seen_at: None,
    }
}

/// Returns a random search.
pub(super) fn query(rng: &mut Rng) -> ReviewQuery {
    let org = |number| OrgId::new(number).expect("an id");
    let city = |number, name: &str| ReviewSet::City(org(number), name.to_owned());
    let business = |number: usize| {
        let (id, org_id, _) = BUSINESSES[number];
        ReviewSet::Business(org(org_id), BusinessId::parse(id).expect("an id"))
    };
    let sets = match rng.u64(..10) {
        0..3 => vec![ReviewSet::Org(org(1))],
        3 => vec![ReviewSet::Org(org(2))],
        4 => vec![ReviewSet::Org(org(1)), ReviewSet::Org(org(2))],
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
        0 => Some(second(rng)),
        1 => Some(second(rng).div_euclid(DAY) * DAY - i64::try_from(rng.u64(..2)).expect("small")),
        _ => None,
    };
    let (from, to) = (bound(rng), bound(rng));
    let size = pick(rng, &[1, 7, 30, 100]);
    ReviewQuery {
        sets,
        mask,
        from,
        to,
        newest_first: rng.u64(..2) == 0,
        page: PageRequest { page: 1 + rng.u64(..=300 / size), size },
    }
}

/// True if the set counts the review.
fn is_in(review: &Review, set: &ReviewSet) -> bool {
    match set {
        ReviewSet::Org(org_id) => *org_id == review.org_id,
        ReviewSet::City(org_id, city_key) => *org_id == review.org_id && *city_key == review.city_key,
        ReviewSet::Business(org_id, business_id) => *org_id == review.org_id && *business_id == review.business_id,
    }
}

impl Model {
    /// Returns the expected result of a search: the number of matches, and the ids on the page.
    pub(super) fn find(&self, query: &ReviewQuery) -> (u64, Vec<ReviewId>) {
        let in_sets = |review: &Review| query.sets.iter().any(|set| is_in(review, set));
        let in_range = |at: i64| query.from.is_none_or(|from| from <= at) && query.to.is_none_or(|to| at <= to);
        let mut matches: Vec<_> = self
            .reviews
            .values()
            .filter(|review| {
                in_sets(review) && in_range(review.effective_at()) && query.mask.contains(FacetKey::of(review))
            })
            .map(|review| (review.effective_at(), review.id.clone()))
            .collect();
        matches.sort_unstable();
        if query.newest_first {
            matches.reverse();
        }
        let count = matches.len() as u64;
        let range = query.page.range(count);
        let ids = (0..).zip(matches).filter(|(position, _)| range.contains(position)).map(|(_, (_, id))| id).collect();
        (count, ids)
    }

    /// Writes reviews to the model and to the store, as many in one transaction as fit.
    pub(super) async fn write(&mut self, store: &Stores, reviews: Vec<Review>) {
        let write = |new: Review| ReviewWrite { old: self.reviews.get(&new.id).cloned(), new };
        let mut writes: Vec<_> = reviews.into_iter().map(write).collect();
        writes.sort_by_key(|write| (write.new.city_key.clone(), write.new.effective_at()));
        let mut rest = &writes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(ReviewWrite::count_fitting(rest));
            match store.reviews.write_reviews(now).await {
                Ok(()) => {}
                Err(WriteReviewsError::Stale(positions)) => panic!("nobody else writes, but {positions:?} changed"),
                Err(WriteReviewsError::Failed(error)) => panic!("{error}"),
            }
            rest = later;
        }
        for ReviewWrite { old, new } in writes {
            let version = old.map_or(1, |old| old.version + 1);
            self.reviews.insert(new.id.clone(), Review { version, ..new });
        }
    }
}
