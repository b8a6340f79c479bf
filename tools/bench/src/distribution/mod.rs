//! Any number of reviews of one organisation, always the same ones.
//!
//! - **Time**: five years, 2021 to 2025. The last day has 2.5 times the reviews of the first one, in a straight line; over it
//!   lies a weekly wave, lowest on Wednesday and highest on Saturday (1.8 times Wednesday). One day, 2022-06-21, has five times
//!   the reviews that it would have. At ten million reviews a day has 2,300 to 10,500 of them, the dense day some 18,000.
//! - **Cities**: five of five sizes, with 30 %, 3 %, 0.3 %, 0.03 % and 0.003 % of the reviews; the rest lies evenly in 195 more.
//! - **Businesses**: 566. One of them has one review in a hundred, 1,000 at the most; those of a city share evenly.
//! - **Cells**: state, rating, partner and content are drawn independently, so that the rarest cell (deleted, rated 2,
//!   `partner_9`, no content) has 0.006 % of the reviews, and the deleted ones of `partner_9` that are rated 5 are 0.15 %.
//! - Every tenth review was changed after it was written, and one in sixteen shares its second with another.

mod businesses;
mod review_texts;

use presence::domain::ids::OrgId;
use presence::domain::ledger::{Cell, Day, Month, SECONDS_OF_DAY};
use presence::domain::review::{Partner, Rating, Review, ReviewId, ReviewState};
use presence::store::{Business, Org};

use businesses::Businesses;
pub use businesses::CITIES_BY_SIZE;

/// The first day of all.
const FIRST_DAY: &str = "2021-01-01";
/// Five years.
const DAYS: u64 = 1_826;
/// The day that has five times as many reviews as the days around it.
pub const DENSE_DAY: &str = "2022-06-21";
const DENSE_TIMES: u128 = 5;
/// Percent of a day's share, from Thursday on: the weekday that days are counted from.
const WEEK: [u128; 7] = [85, 110, 135, 120, 95, 80, 75];
/// Makes these reviews and no others.
const SEED: u64 = 0x7072_6573_656e_6365;

/// Percent of the reviews, by state, rating, partner, and without or with content.
const STATES: [u8; 3] = [60, 35, 5];
const RATINGS: [u8; 5] = [10, 5, 10, 25, 50];
const PARTNERS: [u8; 3] = [70, 24, 6];
const CONTENT: [u8; 2] = [40, 60];

/// One in so many has the second of the one drawn before it.
const SAME_SECOND: u8 = 16;

/// So many reviews.
#[derive(Debug)]
pub struct Distribution {
    total: u64,
    businesses: Businesses,
    /// How many reviews come before each day, and at last all of them.
    reviews_before_day: Vec<u64>,
}

/// A review without its texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewHeader {
    /// Its effective second since 1970.
    pub at: i64,
    /// Its id.
    pub id: ReviewId,
    /// Its cell.
    pub cell: Cell,
    /// Its business, by its place in [`Distribution::businesses`].
    pub business: u16,
    /// Its number among all, from 0; with it [`Distribution::review`] writes the texts.
    pub number: u64,
}

impl Distribution {
    /// So many reviews of organisation 1.
    #[must_use]
    pub fn new(total: u64) -> Self {
        let first = first_day();
        let (mut weight, mut weights) = (0, vec![0]);
        for position in 0..DAYS {
            weight += day_weight(first + i64::try_from(position).unwrap_or_default(), position);
            weights.push(weight);
        }
        let before = |until: &u128| u64::try_from(u128::from(total) * until / weight).unwrap_or(total);
        Self { total, businesses: Businesses::new(total), reviews_before_day: weights.iter().map(before).collect() }
    }

    /// How many reviews there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The organisation.
    #[must_use]
    pub fn org(&self) -> Org {
        Org { id: org_id(), name: "Chain of many".to_owned() }
    }

    /// Every business that has reviews, or might.
    #[must_use]
    pub fn businesses(&self) -> Vec<Business> {
        self.businesses.businesses().to_vec()
    }

    /// The business that has 1,000 reviews at the most.
    #[must_use]
    pub fn small_business(&self) -> &Business {
        self.businesses.small_business()
    }

    /// The folded city of a business, by its place in [`Distribution::businesses`].
    #[must_use]
    pub fn city_key(&self, business: u16) -> &str {
        self.businesses.city_key(business)
    }

    /// The reviews month by month, oldest first, those of a month in the order of effective second and id.
    pub fn months(&self) -> impl Iterator<Item = Vec<Review>> {
        self.entries().map(|entries| entries.iter().map(|entry| self.review(entry)).collect())
    }

    /// The same without texts.
    pub fn entries(&self) -> impl Iterator<Item = Vec<ReviewHeader>> {
        let months = std::iter::successors(Some(month_of(first_day())), |month| Some(month.next()));
        months.take(60).map(|month| self.month(month))
    }

    fn month(&self, month: Month) -> Vec<ReviewHeader> {
        let days = std::iter::successors(Some(month.first_day()), |day| Some(day.next()));
        days.take_while(|day| *day <= month.last_day()).flat_map(|day| self.day(day)).collect()
    }

    fn day(&self, day: Day) -> Vec<ReviewHeader> {
        let position = usize::try_from(day.start() / SECONDS_OF_DAY - first_day()).unwrap_or(usize::MAX);
        let (Some(from), Some(to)) = (self.reviews_before_day.get(position), self.reviews_before_day.get(position + 1))
        else {
            return Vec::new();
        };
        let mut rng = fastrand::Rng::with_seed(SEED ^ day.start().unsigned_abs());
        let mut entries = Vec::with_capacity(usize::try_from(to - from).unwrap_or_default());
        let mut second = 0;
        for number in *from..*to {
            let again = rng.u8(0..SAME_SECOND) == 0;
            second = if again { second } else { rng.i64(0..SECONDS_OF_DAY) };
            entries.push(self.generate_header(number, day.start() + second, &mut rng));
        }
        entries.sort_unstable_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
        entries
    }

    fn generate_header(&self, number: u64, at: i64, rng: &mut fastrand::Rng) -> ReviewHeader {
        let state = ReviewState::ALL[pick_weighted(&STATES, rng)];
        let rating = Rating::ALL[pick_weighted(&RATINGS, rng)];
        let partner = Partner::ALL[pick_weighted(&PARTNERS, rng)];
        let has_content = pick_weighted(&CONTENT, rng) == 1;
        let business = self.businesses.pick(number, rng);
        let cell = Cell::new(state, rating, partner, has_content);
        let name = review_texts::partner_id(number);
        let id = ReviewId::derive(&self.businesses.businesses()[usize::from(business)].id, partner, &name, 0);
        ReviewHeader { at, id, cell, business, number }
    }
}

/// The days, counted from 1970, that all this starts with.
fn first_day() -> i64 {
    Day::parse(FIRST_DAY).map_or(0, |day| day.start() / SECONDS_OF_DAY)
}

fn month_of(day: i64) -> Month {
    Day::of(day * SECONDS_OF_DAY).month()
}

fn org_id() -> OrgId {
    OrgId::new(1).expect("1 is an organisation")
}

/// The weight of a day: growth, wave, density.
fn day_weight(day: i64, position: u64) -> u128 {
    let growth = 2 * u128::from(DAYS - 1) + 3 * u128::from(position);
    let weekday = usize::try_from(day.rem_euclid(7)).unwrap_or_default();
    let dense = Day::parse(DENSE_DAY).is_some_and(|dense| dense.start() == day * SECONDS_OF_DAY);
    growth * WEEK[weekday] * if dense { DENSE_TIMES } else { 1 }
}

/// The place of one of the percentages, drawn by them.
fn pick_weighted(percentages: &[u8], rng: &mut fastrand::Rng) -> usize {
    let mut left = rng.u8(0..100);
    for (place, percentage) in percentages.iter().enumerate() {
        if left < *percentage {
            return place;
        }
        left -= percentage;
    }
    0
}

#[cfg(test)]
mod tests;
