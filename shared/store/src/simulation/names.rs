//! Organisations, businesses and reviews of a run, and random searches of them.

use fastrand::Rng;

use super::judge::Answer;
use super::people;
use crate::{Business, ReviewFilter, ReviewStore, StatsError};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask, Partner, Rating, Review, ReviewId, ReviewState};
use presence_domain::review_stats::GroupBy;
use presence_ledger::ReviewSet;

/// Number of organisations.
pub(super) const ORGS: u64 = 3;
/// Number of businesses.
pub(super) const BUSINESSES: u64 = 3;
/// Number of reviews.
const REVIEWS: u64 = 14;
/// First second of the reviews.
pub(super) const FIRST_SECOND: i64 = 1_640_995_200;
/// Number of different instants of reviews, forty days from each other.
const INSTANTS: u8 = 20;
/// Cities. Lyon shares a bucket of the directory with a business, so that folds of different sets write it.
pub(super) const CITIES: [&str; 2] = ["lyon", "saint etienne"];

/// Search, by review sets or by a filter.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Review sets that are searched. No review is in two of them.
    pub(super) sets: Vec<ReviewSet>,
    pub(super) filter: ReviewFilter,
    pub(super) page: PageRequest,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Sets,
    /// Search of all organisations.
    Filter,
    Stats(Option<GroupBy>),
}

/// Returns an organisation.
pub(super) fn org(number: u64) -> OrgId {
    OrgId::new(number + 1).expect("an id")
}

/// Returns a business.
pub(super) fn business(number: u64) -> BusinessId {
    BusinessId::parse(&format!("b{number}")).expect("an id")
}

/// Returns a random organisation: most often the first one.
pub(super) fn random_org(rng: &mut Rng) -> OrgId {
    org(if rng.u8(..3) > 0 { 0 } else { rng.u64(..ORGS) })
}

/// Returns a business in a random place.
pub(super) fn placed_business(number: u64, rng: &mut Rng) -> Business {
    let (org_id, city) = (random_org(rng), CITIES[rng.usize(..2)].to_owned());
    Business { id: business(number), org_id, name: "Shop".to_owned(), city }
}

/// Returns a random version of one of the reviews, in a place where its business may have been long ago.
pub(super) fn random_review(rng: &mut Rng) -> Review {
    let number = rng.u64(..REVIEWS);
    random_row(number, rng)
}

/// Returns a random version of a review, in a place where its business may have been long ago.
pub(super) fn random_row(number: u64, rng: &mut Rng) -> Review {
    let (business_id, partner_id) = (business(number % BUSINESSES), format!("r{number}"));
    let Business { org_id, city, .. } = placed_business(0, rng);
    let row = Review {
        id: ReviewId::derive(&business_id, Partner::ALL[0], &partner_id, 0),
        version: 1,
        org_id,
        business_id,
        city_key: city,
        partner: Partner::ALL[0],
        partner_id,
        key: "k".to_owned(),
        author_name: None,
        date: random_second(rng),
        update_date: None,
        delete_date: None,
        rating: Rating::ALL[rng.usize(..2)],
        title: None,
        content: None,
        reply_comment: Some(rng.u32(..).to_string()),
        state: ReviewState::ALL[rng.usize(..2)],
        link: None,
        seen_at: None,
        reply: None,
        acted_at: None,
    };
    people::among_people(row, rng)
}

fn random_second(rng: &mut Rng) -> i64 {
    FIRST_SECOND + i64::from(rng.u8(..INSTANTS)) * 86_400 * 40
}

/// Returns a random review set.
pub(super) fn random_set(rng: &mut Rng) -> ReviewSet {
    let org_id = random_org(rng);
    match rng.u8(..3) {
        0 => ReviewSet::Org(org_id),
        1 => ReviewSet::City(org_id, CITIES[rng.usize(..2)].to_owned()),
        _ => ReviewSet::Business(org_id, business(rng.u64(..BUSINESSES))),
    }
}

impl Question {
    /// Returns a random search.
    pub(super) fn random(rng: &mut Rng) -> Self {
        let question = match rng.u8(..8) {
            0..4 => {
                let mut sets = vec![random_set(rng)];
                if let ReviewSet::Business(org_id, _) = sets[0] {
                    let both = (0..2).map(|number| ReviewSet::Business(org_id, business(number)));
                    sets = if rng.bool() { both.collect() } else { sets };
                }
                Self::of_sets(sets)
            }
            number => {
                let filter = random_filter(rng);
                let group_by = [None, Some(GroupBy::Business), Some(GroupBy::City)][rng.usize(..3)];
                let group_by = group_by.filter(|_| filter.businesses.is_none());
                let kind = if number < 6 { Kind::Stats(group_by) } else { Kind::Filter };
                Self { kind, ..Self::of_filter(filter) }
            }
        };
        let (bits, everything) = (rng.u128(..), rng.u8(..3) == 0);
        let mask = FacetMask::from_predicate(|state, rating, partner, has_content| {
            everything || bits >> FacetKey::new(state, rating, partner, has_content).number() & 1 == 1
        });
        let bound = |rng: &mut Rng| (rng.u8(..5) == 0).then(|| random_second(rng));
        let (from, to) = (bound(rng), bound(rng));
        let page = PageRequest { page: 1 + rng.u64(..3), size: [1, 3, 30][rng.usize(..3)] };
        let filter = ReviewFilter { mask, from, to, newest_first: rng.bool(), ..question.filter };
        Self { filter, page, ..question }
    }

    /// Returns the searches that show every review of the run.
    pub(super) fn whole_sets() -> impl Iterator<Item = Self> {
        let of_org = |org_id: OrgId| {
            let cities = CITIES.iter().map(move |city| ReviewSet::City(org_id, (*city).to_owned()));
            let businesses = (0..BUSINESSES).map(move |number| ReviewSet::Business(org_id, business(number)));
            [ReviewSet::Org(org_id)].into_iter().chain(cities).chain(businesses)
        };
        (0..ORGS).flat_map(move |number| of_org(org(number))).map(|set| Self::of_sets(vec![set]))
    }

    /// Returns the search of everything in some sets.
    pub(super) fn of_sets(sets: Vec<ReviewSet>) -> Self {
        Self { sets, filter: ReviewFilter::ALL, page: PageRequest { page: 1, size: 100 }, kind: Kind::Sets }
    }

    /// Returns the statistics of a filter of cities and businesses.
    pub(super) fn of_stats(filter: ReviewFilter, group_by: Option<GroupBy>) -> Self {
        Self { kind: Kind::Stats(group_by), ..Self::of_filter(filter) }
    }

    /// Returns the search of the sets of a filter of cities and businesses.
    fn of_filter(filter: ReviewFilter) -> Self {
        let sets_of = |org_id: OrgId| match (&filter.businesses, &filter.city_key) {
            (Some(ids), _) => ids.iter().map(|id| ReviewSet::Business(org_id, id.clone())).collect(),
            (None, Some(city_key)) => vec![ReviewSet::City(org_id, city_key.clone())],
            (None, None) => vec![ReviewSet::Org(org_id)],
        };
        let sets = (0..ORGS).map(org).flat_map(sets_of).collect();
        Self { filter, ..Self::of_sets(sets) }
    }

    /// Asks a store.
    #[expect(clippy::disallowed_methods, reason = "there is no caller")]
    pub(super) async fn ask(&self, store: &ReviewStore) -> Result<Answer, Error> {
        let (scope, filter) = (Scope::for_operator(), &self.filter);
        match self.kind {
            Kind::Sets => store.find_reviews(scope, Some(&self.sets), filter, self.page).await.map(Answer::Page),
            Kind::Filter => store.search_reviews(scope, filter, self.page).await.map(Answer::Page),
            Kind::Stats(group_by) => {
                let counted = store.review_stats(scope, filter, group_by).await;
                let counted = counted.map_err(|error| match error {
                    StatsError::Failed(error) => error,
                    StatsError::TooManyGroups(error) => Error::internal(error),
                });
                counted.map(|stats| Answer::Stats(group_by, Box::new(stats)))
            }
        }
    }
}

/// Returns a random choice of businesses or of a city.
fn random_filter(rng: &mut Rng) -> ReviewFilter {
    match rng.u8(..3) {
        0 => ReviewFilter { businesses: Some((0..2).map(business).collect()), ..ReviewFilter::ALL },
        1 => ReviewFilter { city_key: Some(CITIES[rng.usize(..2)].to_owned()), ..ReviewFilter::ALL },
        _ => ReviewFilter::ALL,
    }
}
