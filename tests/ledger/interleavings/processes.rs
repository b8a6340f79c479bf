//! Processes of a run over the real store: writers, moves of businesses, folds and searches.

use fastrand::Rng;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::page::{Page, PageRequest};
use presence_domain::review::{FacetKey, FacetMask, Partner, Rating, Review, ReviewState};
use presence_ledger::ReviewSet;
use presence_store::{Business, FoldReport, ReviewQuery, ReviewStore};
use presence_tests::operator_scope;
use presence_tests::reviews::test_review;

/// Number of reviews of a run.
const REVIEWS: usize = 14;
/// First second of the reviews.
const FIRST_SECOND: i64 = 1_640_995_200;
const CITIES: [&str; 2] = ["evora", "saint etienne"];

/// End of a process.
#[derive(Debug)]
pub(super) enum Outcome {
    /// A writer was told that its reviews are stored, or that nothing had to be stored.
    Written,
    /// A writer was told that it failed. Its reviews may be stored.
    WriteFailed,
    Folded(Result<FoldReport, String>),
    Swept(Result<usize, String>),
    Searched(ReviewQuery, Result<Page<Review>, String>),
    /// A business was put in another place, and its reviews moved; or that failed somewhere.
    Moved(Result<(), String>),
}

/// Names of a run: its organisations and businesses are its own, so that runs share the tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub(super) run: u64,
}

impl Names {
    /// Returns one of the two organisations.
    pub(super) fn org(self, number: u64) -> OrgId {
        OrgId::new(1_000 + self.run * 2 + number).expect("an id")
    }

    /// Returns the businesses, each in a random place.
    pub(super) fn businesses(self, rng: &mut Rng) -> Vec<Business> {
        (0..3).map(|number| self.placed_business(number, rng)).collect()
    }

    /// Returns a business in a random place.
    pub(super) fn placed_business(self, number: u64, rng: &mut Rng) -> Business {
        let (org_id, city) = (self.org(u64::from(rng.u8(..3) == 0)), CITIES[rng.usize(..2)].to_owned());
        Business { id: self.business(number), org_id, name: "Shop".to_owned(), city }
    }

    /// Returns one of the three businesses.
    pub(super) fn business(self, number: u64) -> BusinessId {
        BusinessId::parse(&format!("run{}-b{number}", self.run)).expect("an id")
    }

    /// Returns a random version of one of the reviews, in a place where its business may have been long ago.
    pub(super) fn review(self, rng: &mut Rng) -> Review {
        let number = rng.usize(..REVIEWS);
        let business_id = self.business(number as u64 % 3);
        let org = u64::from(rng.u8(..4) == 0);
        let place = (business_id.as_str(), self.org(org).get(), CITIES[rng.usize(..2)]);
        Review {
            date: FIRST_SECOND + i64::from(rng.u8(..20)) * 86_400 * 40,
            rating: Rating::ALL[rng.usize(..2)],
            reply_comment: Some(rng.u32(..).to_string()),
            state: ReviewState::ALL[rng.usize(..2)],
            ..test_review(Partner::ALL[0], &format!("review {number}"), place)
        }
    }

    /// Returns a random search.
    pub(super) fn query(self, rng: &mut Rng) -> ReviewQuery {
        let org = self.org(u64::from(rng.u8(..4) == 0));
        let city = |org| ReviewSet::City(org, CITIES[0].to_owned());
        let sets = match rng.u8(..8) {
            0..3 => vec![ReviewSet::Org(org)],
            3 => vec![ReviewSet::Org(self.org(0)), ReviewSet::Org(self.org(1))],
            4 => vec![city(org)],
            5 => vec![city(self.org(0)), city(self.org(1))],
            6 => vec![ReviewSet::Business(org, self.business(0))],
            _ => (0..2).map(|number| ReviewSet::Business(org, self.business(number))).collect(),
        };
        let (bits, everything) = (rng.u128(..), rng.u8(..3) == 0);
        let mask = FacetMask::from_predicate(|state, rating, partner, has_content| {
            everything || bits >> FacetKey::new(state, rating, partner, has_content).number() & 1 == 1
        });
        let bound = |rng: &mut Rng| (rng.u8(..5) == 0).then(|| FIRST_SECOND + i64::from(rng.u8(..20)) * 86_400 * 40);
        let (from, to) = (bound(rng), bound(rng));
        let size = [1, 3, 30][rng.usize(..3)];
        ReviewQuery {
            sets,
            mask,
            from,
            to,
            newest_first: rng.bool(),
            page: PageRequest { page: 1 + rng.u64(..3), size },
        }
    }

    /// Returns a random set.
    pub(super) fn set(self, rng: &mut Rng) -> ReviewSet {
        let org = self.org(u64::from(rng.u8(..4) == 0));
        match rng.u8(..3) {
            0 => ReviewSet::Org(org),
            1 => ReviewSet::City(org, CITIES[rng.usize(..2)].to_owned()),
            _ => ReviewSet::Business(org, self.business(u64::from(rng.u8(..3)))),
        }
    }

    /// Returns the searches that show every review of the run.
    pub(super) fn whole_sets(self) -> impl Iterator<Item = ReviewQuery> {
        let of_org = move |org: OrgId| {
            let cities = CITIES.iter().map(move |city| ReviewSet::City(org, (*city).to_owned()));
            let businesses = (0..3).map(move |number| ReviewSet::Business(org, self.business(number)));
            [ReviewSet::Org(org)].into_iter().chain(cities).chain(businesses)
        };
        let masks = [
            FacetMask::ALL,
            FacetMask::from_predicate(|state, rating, _, _| state == ReviewState::ALL[0] && rating == Rating::ALL[0]),
        ];
        let sets: Vec<ReviewSet> = (0..2).flat_map(|number| of_org(self.org(number))).collect();
        sets.into_iter().flat_map(move |set| {
            masks.map(|mask| ReviewQuery {
                sets: vec![set.clone()],
                mask,
                from: None,
                to: None,
                newest_first: true,
                page: PageRequest { page: 1, size: 100 },
            })
        })
    }
}

/// Writes reviews as an import does: it reads what is stored, and tries again when another writer was first.
pub(super) async fn import(store: ReviewStore, reviews: Vec<Review>) -> Outcome {
    let outcome = store.try_upsert_reviews(&reviews).await;
    let is_done = outcome.error.is_none() && outcome.unwritten.is_empty();
    if is_done { Outcome::Written } else { Outcome::WriteFailed }
}

/// Puts a business in another place, as an import does.
pub(super) async fn move_business(store: ReviewStore, business: Business) -> Outcome {
    Outcome::Moved(store.put_business(&business).await.map(drop).map_err(|error| error.to_string()))
}

/// Folds the log of an organisation.
pub(super) async fn fold(store: ReviewStore, org_id: OrgId) -> Outcome {
    Outcome::Folded(store.fold_reviews(org_id).await.map_err(|error| error.to_string()))
}

/// Deletes the nodes of a set that no root names.
pub(super) async fn sweep(store: ReviewStore, set: ReviewSet) -> Outcome {
    Outcome::Swept(store.sweep_set(&set).await.map_err(|error| error.to_string()))
}

/// Searches.
pub(super) async fn search(store: ReviewStore, query: ReviewQuery) -> Outcome {
    let answer = store.find_reviews(operator_scope(), &query).await.map_err(|error| error.to_string());
    Outcome::Searched(query, answer)
}
