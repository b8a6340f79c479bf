//! Reviews of the tests, and a list of what the store should have, which is searched by looking at each review.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, Partner, Rating, Review, ReviewId, ReviewState, normalize_text};
use presence_ledger::{ReviewNumber, ReviewSet};
use presence_store::{ReviewFilter, ReviewStore, ReviewWrite};

/// Seconds of a day.
pub const DAY: i64 = 86_400;
/// Start of 2024-02-01. The range of dates has a leap day, ends of months and a new year.
pub const FIRST_SECOND: i64 = 1_706_745_600;
const DAYS: i64 = 400;
/// Days of February, which has most reviews: too many for a month that is read as a whole.
pub const CROWDED_DAYS: i64 = 29;
/// Leap day, which has a fifth of all reviews.
const DENSE_DAY: i64 = 28;

/// Returns the organisation with this number.
pub fn org_id(number: u64) -> OrgId {
    OrgId::new(number).expect("an id")
}

/// Returns the business with this id.
pub fn business_id(id: &str) -> BusinessId {
    BusinessId::parse(id).expect("an id")
}

/// Returns a random element.
pub fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())]
}

/// Returns a review of 1970 with five stars and no optional field. The name is its partner id and its key; the place is business,
/// organisation and key of the city.
pub fn test_review(partner: Partner, name: &str, (business, org, city_key): (&str, u64, &str)) -> Review {
    let business_id = business_id(business);
    Review {
        id: ReviewId::derive(&business_id, partner, name, 0),
        version: 1,
        org_id: org_id(org),
        business_id,
        city_key: city_key.to_owned(),
        partner,
        partner_id: name.to_owned(),
        key: name.to_owned(),
        author_name: None,
        date: 0,
        update_date: None,
        delete_date: None,
        rating: Rating::ALL[4],
        title: None,
        content: None,
        reply_comment: None,
        state: ReviewState::Treated,
        link: None,
        seen_at: None,
        reply: None,
        acted_at: None,
    }
}

/// Returns a review with random dates and facets.
pub fn random_review(rng: &mut Rng, name: &str, place: (&str, u64, &str)) -> Review {
    let content = pick(rng, &[None, Some(""), Some("  "), Some("Très bon accueil")]);
    Review {
        date: random_second(rng),
        update_date: (rng.u8(..3) == 0).then(|| random_second(rng)),
        rating: pick(rng, &Rating::ALL),
        state: pick(rng, &ReviewState::ALL),
        content: content.map(str::to_owned),
        ..test_review(pick(rng, &Partner::ALL), name, place)
    }
}

/// Returns a random second in the range of dates, often the same one.
pub fn random_second(rng: &mut Rng) -> i64 {
    let day = match rng.u8(..20) {
        0..4 => DENSE_DAY,
        4..15 => rng.i64(0..CROWDED_DAYS),
        _ => rng.i64(0..DAYS),
    };
    let of_day = if rng.bool() { pick(rng, &[0, 1, DAY / 2, DAY - 1]) } else { rng.i64(0..DAY) };
    FIRST_SECOND + day * DAY + of_day
}

/// Writes reviews, as many in one transaction as fit.
pub async fn write_reviews(store: &ReviewStore, writes: &[ReviewWrite]) {
    let mut rest = writes;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(ReviewWrite::count_fitting(rest));
        store.write_reviews(now).await.expect("nobody else writes");
        rest = later;
    }
}

/// Returns the reviews that a search admits, in the order of its pages.
pub fn matching<'a>(
    reviews: impl IntoIterator<Item = &'a Review>,
    newest_first: bool,
    admits: impl Fn(&Review) -> bool,
) -> Vec<&'a Review> {
    let mut found: Vec<_> = reviews.into_iter().filter(|review| admits(review)).collect();
    found.sort_by_key(|review| (review.update_date.unwrap_or(review.date), &review.id));
    if newest_first {
        found.reverse();
    }
    found
}

/// Search of given review sets.
#[derive(Clone, Debug)]
pub struct ReviewQuery {
    /// Review sets to search; no review may be in two of them.
    pub sets: Vec<ReviewSet>,
    /// Filter without businesses and without a city.
    pub filter: ReviewFilter,
    /// Page to return.
    pub page: PageRequest,
}

/// Reviews as the store should have them.
#[derive(Debug, Default)]
pub struct ReviewModel {
    /// Reviews by id.
    pub reviews: BTreeMap<ReviewId, Review>,
}

impl ReviewModel {
    /// Writes reviews to the list and to the store, which learns of their organisations.
    pub async fn write(&mut self, store: &ReviewStore, reviews: Vec<Review>) {
        for number in [1, 2] {
            store.register_org_with_reviews(org_id(number)).await.expect("the store answers");
        }
        let write = |new: Review| ReviewWrite { old: self.reviews.get(&new.id).cloned(), new };
        let mut writes: Vec<_> = reviews.into_iter().map(write).collect();
        // Changes of one lane share an item of the log, so that more of them fit into a transaction.
        writes.sort_by_key(|write| (write.new.org_id, ReviewNumber::of(&write.new.id).lane()));
        write_reviews(store, &writes).await;
        self.add(writes.into_iter().map(|ReviewWrite { old, new }| {
            let version = old.map_or(1, |old| old.version + 1);
            Review { version, ..new }
        }));
    }

    /// Adds reviews to the list as if they were stored.
    pub fn add(&mut self, reviews: impl IntoIterator<Item = Review>) {
        self.reviews.extend(reviews.into_iter().map(|review| (review.id.clone(), review)));
    }

    /// Returns random reviews of the list with a change, each once.
    pub fn changed(&self, rng: &mut Rng, count: usize, change: impl Fn(&mut Rng, &Review) -> Review) -> Vec<Review> {
        let reviews: Vec<_> = self.reviews.values().collect();
        let changed = std::iter::repeat_with(|| {
            let old = pick(rng, &reviews);
            change(rng, old)
        });
        let changed: BTreeMap<_, _> = changed.take(count).map(|review| (review.id.clone(), review)).collect();
        changed.into_values().collect()
    }

    /// Returns the expected result of a search: the number of matches, and the ids on the page.
    pub fn find(&self, query: &ReviewQuery) -> (u64, Vec<ReviewId>) {
        let ReviewFilter { mask, from, to, newest_first, .. } = query.filter;
        let found = matching(self.reviews.values(), newest_first, |review| {
            let at = review.update_date.unwrap_or(review.date);
            query.sets.iter().any(|set| is_in(review, set))
                && from.is_none_or(|from| from <= at)
                && to.is_none_or(|to| at <= to)
                && mask.contains(FacetKey::of(review))
        });
        let count = found.len() as u64;
        let range = query.page.range(count);
        let on_page = (0..).zip(found).filter(|(position, _)| range.contains(position));
        (count, on_page.map(|(_, review)| review.id.clone()).collect())
    }

    /// Asserts that a search of the operator finds what the list has.
    pub async fn assert_finds(&self, store: &ReviewStore, query: &ReviewQuery, what: &str) {
        let ReviewQuery { sets, filter, page } = query;
        let found = store.find_reviews(crate::operator_scope(), Some(sets), filter, *page).await;
        let page = found.expect("the store answers");
        let ids: Vec<ReviewId> = page.items.iter().map(|review| review.id.clone()).collect();
        assert_eq!((page.count, ids), self.find(query), "{what}: {query:?}");
        for found in &page.items {
            // A blank text counts as none, although an earlier import may have stored it.
            let stored = self.reviews[&found.id].clone();
            let normalized = Review { content: stored.content.clone().and_then(normalize_text), ..stored };
            assert_eq!(*found, normalized, "{what}");
        }
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
