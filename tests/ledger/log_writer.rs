//! Random reviews of two organisations, written with the log, beside a plain list of what the store should have.

use std::collections::BTreeMap;

use fastrand::Rng;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence_store::{ReviewStore, ReviewWrite, WriteReviewsError};

/// 2024-02-01, so that a leap day and month ends lie in the range of dates.
const FIRST_SECOND: i64 = 1_706_745_600;
const DAY: i64 = 86_400;
const DAYS: i64 = 400;
/// Day with many reviews.
const DENSE_DAY: i64 = 29;
const CITIES: [&str; 3] = ["saint etienne", "evora", "lyon"];
const BUSINESSES: u64 = 12;

/// Reviews as the store should have them.
#[derive(Debug, Default)]
pub(super) struct LogWriter {
    pub(super) reviews: BTreeMap<ReviewId, Review>,
    written: u64,
}

/// Returns the organisation with this number.
pub(super) fn org(number: u64) -> OrgId {
    OrgId::new(number).expect("an id")
}

impl LogWriter {
    /// Returns a new random review, one in ten of organisation 2.
    pub(super) fn new_review(&mut self, rng: &mut Rng) -> Review {
        self.written += 1;
        let business = rng.u64(0..BUSINESSES);
        let business_id = BusinessId::parse(&format!("b{business}")).expect("an id");
        let (partner, partner_id) = (pick(rng, &Partner::ALL), format!("review {}", self.written));
        Review {
            id: ReviewId::derive(&business_id, partner, &partner_id, 0),
            version: 1,
            org_id: org(if rng.u8(..10) == 0 { 2 } else { 1 }),
            city_key: CITIES[usize::try_from(business).expect("small") % CITIES.len()].to_owned(),
            business_id,
            partner,
            key: partner_id.clone(),
            partner_id,
            author_name: None,
            date: second(rng),
            update_date: None,
            delete_date: None,
            rating: pick(rng, &Rating::ALL),
            title: None,
            content: pick(rng, &[None, Some("Très bon accueil")]).map(str::to_owned),
            reply_comment: None,
            state: pick(rng, &ReviewState::ALL),
            link: None,
            seen_at: None,
        }
    }

    /// Returns new reviews, and adds them to the list as if they were stored.
    pub(super) fn add_stored(&mut self, rng: &mut Rng, count: usize) -> Vec<Review> {
        let reviews: Vec<Review> = (0..count).map(|_| self.new_review(rng)).collect();
        self.reviews.extend(reviews.iter().map(|review| (review.id.clone(), review.clone())));
        reviews
    }

    /// Makes random changes through the store: new reviews, other facets, other dates, and moves to another city, business or
    /// organisation.
    pub(super) async fn write_random(&mut self, store: &ReviewStore, rng: &mut Rng, count: usize) {
        let ids: Vec<ReviewId> = self.reviews.keys().cloned().collect();
        let mut changed = BTreeMap::new();
        for _ in 0..count {
            let new = match rng.choice(&ids) {
                Some(id) if rng.u8(..3) > 0 => self.changed(rng, id),
                _ => self.new_review(rng),
            };
            changed.insert(new.id.clone(), new);
        }
        self.write(store, changed.into_values().collect()).await;
    }

    /// Writes reviews to the list and to the store, as many in one transaction as fit.
    pub(super) async fn write(&mut self, store: &ReviewStore, reviews: Vec<Review>) {
        for number in [1, 2] {
            store.register_org_with_reviews(org(number)).await.expect("the store answers");
        }
        let write = |new: Review| ReviewWrite { old: self.reviews.get(&new.id).cloned(), new };
        let mut writes: Vec<_> = reviews.into_iter().map(write).collect();
        writes.sort_by_key(|write| (write.new.org_id, presence_domain::ledger::ReviewNumber::of(&write.new.id).lane()));
        let mut rest = &writes[..];
        while !rest.is_empty() {
            let (now, later) = rest.split_at(ReviewWrite::count_fitting(rest));
            match store.write_reviews(now).await {
                Ok(()) => {}
                Err(WriteReviewsError::Stale(positions)) => panic!("nobody else writes, but {positions:?} changed"),
                Err(error) => panic!("{error:?}"),
            }
            rest = later;
        }
        for ReviewWrite { old, new } in writes {
            let version = old.map_or(1, |old| old.version + 1);
            self.reviews.insert(new.id.clone(), Review { version, ..new });
        }
    }

    fn changed(&mut self, rng: &mut Rng, id: &ReviewId) -> Review {
        let old = &self.reviews[id];
        let mut new = old.clone();
        match rng.u8(..8) {
            0 => new.state = pick(rng, &ReviewState::ALL),
            1 => new.rating = pick(rng, &Rating::ALL),
            2 => new.date = second(rng),
            3 => new.update_date = Some(second(rng)),
            4 => pick(rng, &CITIES).clone_into(&mut new.city_key),
            5 => new.business_id = BusinessId::parse(&format!("b{}", rng.u64(0..BUSINESSES))).expect("an id"),
            6 => new.org_id = org(3 - old.org_id.get()),
            _ => new.content = pick(rng, &[None, Some("Bien")]).map(str::to_owned),
        }
        new
    }
}

/// Returns a random second of a review: often one that other reviews have too.
fn second(rng: &mut Rng) -> i64 {
    let day = if rng.u8(..3) == 0 { DENSE_DAY } else { rng.i64(0..DAYS) };
    let of_day = if rng.u8(..4) == 0 { pick(rng, &[0, 1, DAY - 1]) } else { rng.i64(0..DAY) };
    FIRST_SECOND + day * DAY + of_day
}

fn pick<T: Copy>(rng: &mut Rng, of: &[T]) -> T {
    of[rng.usize(..of.len())]
}
