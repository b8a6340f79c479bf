//! Generator of any number of reviews of one organisation. The same number gives the same reviews.
//!
//! - **Time**: five years, 2021 to 2025. The number of reviews a day grows linearly, by the factor 2.5 over all. A weekly wave
//!   lies over it, lowest on Wednesday and highest on Saturday (1.8 times Wednesday). One day, 2022-06-21, has five times the
//!   reviews that it would have. At ten million reviews a day has 2,300 to 10,500 of them, the dense day some 18,000.
//! - **Cities**: five cities have 30 %, 3 %, 0.3 %, 0.03 % and 0.003 % of the reviews. 195 more cities share the rest evenly.
//! - **Businesses**: 566. One of them has 1 % of the reviews, at most 1,000. Those of a city share its reviews evenly.
//! - **Facets**: state, rating, partner and content are drawn independently. The rarest combination (deleted, rated 2,
//!   `partner_9`, no content) has 0.006 % of the reviews. Deleted reviews of `partner_9` that are rated 5 are 0.15 %.
//! - Every tenth review was changed after it was written. One in sixteen has the same second as another.

mod businesses;
mod review_texts;

use presence_domain::calendar::{Day, Month, SECONDS_OF_DAY};
use presence_domain::ids::OrgId;
use presence_domain::review::{FacetKey, Partner, Rating, Review, ReviewId, ReviewState};
use presence_store::{Business, Org};

use businesses::Businesses;
pub(crate) use businesses::CITIES_BY_SIZE;

/// First day with reviews.
const FIRST_DAY: &str = "2021-01-01";
/// Number of days: five years.
const DAYS: u64 = 1_826;
/// Number of months: five years.
const MONTHS: usize = 60;
/// Day with five times as many reviews as its neighbours.
pub(crate) const DENSE_DAY: &str = "2022-06-21";
const DENSE_DAY_FACTOR: u128 = 5;
/// Day of all reviews of [`Distribution::of_one_day`].
pub(crate) const SINGLE_DAY: &str = "2025-12-20";
/// Weights of the days of a week in percent. They start on Thursday, the weekday of 1970-01-01.
const WEEKDAY_WEIGHTS: [u128; 7] = [85, 110, 135, 120, 95, 80, 75];
/// Seed of the generator. The measured numbers in the documentation depend on it.
const SEED: u64 = 0x7072_6573_656e_6365;

/// Percentages of the reviews by state.
const STATES: [u8; 3] = [60, 35, 5];
/// Percentages of the reviews by rating, from 1 to 5.
const RATINGS: [u8; 5] = [10, 5, 10, 25, 50];
/// Percentages of the reviews by partner.
const PARTNERS: [u8; 3] = [70, 24, 6];
/// Percentages of the reviews without and with content.
const CONTENT: [u8; 2] = [40, 60];

/// Inverse probability that a review has the second of the previous review.
const SAME_SECOND: u8 = 16;

/// Reviews of one organisation, generated when they are read.
#[derive(Debug)]
pub(crate) struct Distribution {
    /// Number of reviews.
    pub(crate) total: u64,
    businesses: Businesses,
    /// Number of reviews before each day, and the total at the end.
    cumulative: Vec<u64>,
    /// Facets of all reviews, if they are the same.
    facets: Option<Facets>,
}

/// State, rating, partner, and true for a review with content.
type Facets = (ReviewState, Rating, Partner, bool);

/// Review without its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReviewHeader {
    /// Effective second since 1970.
    pub(crate) at: i64,
    /// Id of the review.
    pub(crate) id: ReviewId,
    /// Facets of the review.
    pub(crate) facet_key: FacetKey,
    /// Position of its business in [`Distribution::businesses`].
    pub(crate) business: u16,
    /// Number among all reviews, from 0. [`Distribution::review`] generates the texts from it.
    pub(crate) number: u64,
}

impl Distribution {
    /// Generates the number of reviews of each day.
    pub(crate) fn new(total: u64) -> Self {
        let first = first_day();
        let mut weight = 0;
        let mut weights = vec![0];
        for position in 0..DAYS {
            weight += day_weight(first + i64::try_from(position).unwrap_or_default(), position);
            weights.push(weight);
        }
        let reviews_before = |until: &u128| u64::try_from(u128::from(total) * until / weight).unwrap_or(total);
        let cumulative = weights.iter().map(reviews_before).collect();
        Self { total, businesses: Businesses::new(total), cumulative, facets: None }
    }

    /// Returns reviews that all have one day and one facet key.
    pub(crate) fn of_one_day(total: u64) -> Self {
        let single = Day::parse(SINGLE_DAY).map_or(0, |day| day.start() / SECONDS_OF_DAY - first_day());
        let reviews_before =
            |position: u64| if i64::try_from(position).is_ok_and(|day| day > single) { total } else { 0 };
        let cumulative = (0..=DAYS).map(reviews_before).collect();
        let facets = (ReviewState::ALL[0], Rating::ALL[4], Partner::ALL[0], true);
        Self { total, businesses: Businesses::new(total), cumulative, facets: Some(facets) }
    }

    /// Returns the organisation of all reviews.
    #[expect(clippy::unused_self, reason = "the organisation belongs to the distribution")]
    pub(crate) fn org(&self) -> Org {
        Org { id: org_id(), name: "Chain of many".to_owned() }
    }

    /// Returns all businesses, also those without a review.
    pub(crate) fn businesses(&self) -> Vec<Business> {
        self.businesses.as_slice().to_vec()
    }

    /// Returns the business that has at most 1,000 reviews.
    pub(crate) fn small_business(&self) -> &Business {
        self.businesses.small_business()
    }

    /// Returns the folded city of the business at a position of [`Distribution::businesses`].
    pub(crate) fn city_key(&self, business: u16) -> &str {
        self.businesses.city_key(business)
    }

    /// Generates the reviews month by month, oldest first. Those of a month are ordered by effective second and id.
    pub(crate) fn months(&self) -> impl Iterator<Item = Vec<Review>> {
        self.headers().map(|headers| headers.iter().map(|header| self.review(header)).collect())
    }

    /// Generates the headers of the reviews, in the order of [`Distribution::months`].
    pub(crate) fn headers(&self) -> impl Iterator<Item = Vec<ReviewHeader>> {
        let first = Day::of(first_day() * SECONDS_OF_DAY).month();
        let months = std::iter::successors(Some(first), |month| Some(month.next()));
        months.take(MONTHS).map(|month| self.headers_of_month(month))
    }

    fn headers_of_month(&self, month: Month) -> Vec<ReviewHeader> {
        let days = std::iter::successors(Some(month.first_day()), |day| Some(day.next()));
        days.take_while(|day| *day <= month.last_day()).flat_map(|day| self.headers_of_day(day)).collect()
    }

    fn headers_of_day(&self, day: Day) -> Vec<ReviewHeader> {
        let position = usize::try_from(day.start() / SECONDS_OF_DAY - first_day()).unwrap_or(usize::MAX);
        let (Some(first), Some(end)) = (self.cumulative.get(position), self.cumulative.get(position + 1)) else {
            return Vec::new();
        };
        let mut rng = fastrand::Rng::with_seed(SEED ^ day.start().unsigned_abs());
        let mut headers = Vec::with_capacity(usize::try_from(end - first).unwrap_or_default());
        let mut second = 0;
        for number in *first..*end {
            let has_same_second = rng.u8(0..SAME_SECOND) == 0;
            if !has_same_second {
                second = rng.i64(0..SECONDS_OF_DAY);
            }
            headers.push(self.generate_header(number, day.start() + second, &mut rng));
        }
        headers.sort_unstable_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        headers
    }

    fn generate_header(&self, number: u64, at: i64, rng: &mut fastrand::Rng) -> ReviewHeader {
        let state = ReviewState::ALL[pick_weighted(&STATES, rng)];
        let rating = Rating::ALL[pick_weighted(&RATINGS, rng)];
        let partner = Partner::ALL[pick_weighted(&PARTNERS, rng)];
        let has_content = pick_weighted(&CONTENT, rng) == 1;
        let business = self.businesses.pick(number, rng);
        let (state, rating, partner, has_content) = self.facets.unwrap_or((state, rating, partner, has_content));
        let facet_key = FacetKey::new(state, rating, partner, has_content);
        let partner_id = review_texts::partner_id(number);
        let business_id = &self.businesses.as_slice()[usize::from(business)].id;
        let id = ReviewId::derive(business_id, partner, &partner_id, 0);
        ReviewHeader { at, id, facet_key, business, number }
    }
}

/// Returns the first day with reviews, in days since 1970.
fn first_day() -> i64 {
    Day::parse(FIRST_DAY).map_or(0, |day| day.start() / SECONDS_OF_DAY)
}

fn org_id() -> OrgId {
    OrgId::new(1).expect("1 is an organisation")
}

/// Returns the weight of a day: growth × weekly wave × density. The position counts days from the first.
fn day_weight(day: i64, position: u64) -> u128 {
    // From 2 on the first day to 5 on the last one, times the number of days.
    let growth = 2 * u128::from(DAYS - 1) + 3 * u128::from(position);
    let weekday = usize::try_from(day.rem_euclid(7)).unwrap_or_default();
    let is_dense = Day::parse(DENSE_DAY).is_some_and(|dense| dense.start() == day * SECONDS_OF_DAY);
    growth * WEEKDAY_WEIGHTS[weekday] * if is_dense { DENSE_DAY_FACTOR } else { 1 }
}

/// Picks a position in a list of percentages, with their probabilities.
fn pick_weighted(percentages: &[u8], rng: &mut fastrand::Rng) -> usize {
    let mut remainder = rng.u8(0..100);
    for (position, percentage) in percentages.iter().enumerate() {
        if remainder < *percentage {
            return position;
        }
        remainder -= percentage;
    }
    0
}

#[cfg(test)]
mod tests;
