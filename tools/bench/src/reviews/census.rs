//! Counts the reviews as they are made, and says what is searched for.

use std::collections::BTreeMap;

use anyhow::Context as _;
use presence::domain::ids::BusinessId;
use presence::domain::ledger::{Cell, SECONDS_OF_DAY};
use presence::domain::review::{Partner, Rating, Review, ReviewState};
use presence::domain::text::city_key;
use presence_bench::distribution::{CITIES_BY_SIZE, Distribution};

use super::search::{Filter, Place, Search};

/// The range of dates: so long, ending so long before the newest review, in the middle of days.
const RANGE_SECONDS: i64 = 400 * SECONDS_OF_DAY;
const RANGE_ENDS_BEFORE: i64 = 37 * SECONDS_OF_DAY + 4_567;
/// Businesses of the search of many: the filter of the thin index takes no more.
const MANY: usize = 100;
/// The cities of five sizes.
const CITIES: [&str; 5] =
    ["city of 30 %", "city of 3 %", "city of 0.3 %", "city of 0.03 %", "city of 0.003 %"];

/// What there is.
#[derive(Debug, Default)]
pub(super) struct Census {
    cells: BTreeMap<Cell, u64>,
    cities: BTreeMap<String, u64>,
    businesses: BTreeMap<BusinessId, u64>,
    /// By effective second.
    seconds: BTreeMap<i64, u64>,
}

impl Census {
    /// Counts these too.
    pub(super) fn add(&mut self, reviews: &[Review]) {
        for review in reviews {
            *self.cells.entry(review.cell()).or_default() += 1;
            *self.cities.entry(review.city_key.clone()).or_default() += 1;
            *self.businesses.entry(review.business_id.clone()).or_default() += 1;
            *self.seconds.entry(review.effective_at()).or_default() += 1;
        }
    }

    /// Every search of the comparison.
    pub(super) fn searches(&self, of: &Distribution) -> anyhow::Result<Vec<Search>> {
        let places = [Place::First, Place::Middle, Place::Last];
        let all = places.map(|place| Search::new("no filter", Filter::default(), place, of.total()));
        let mut searches = all.to_vec();
        for (what, filter) in self.filters(of)? {
            let matching = self.matching(&filter);
            let ends = [Place::First, Place::Last];
            searches.extend(ends.map(|place| Search::new(what, filter.clone(), place, matching)));
        }
        Ok(searches)
    }

    fn filters(&self, of: &Distribution) -> anyhow::Result<Vec<(&'static str, Filter)>> {
        let rating = |number| Rating::new(number).context("a rating is from 1 to 5");
        let narrow = Filter {
            state: Some(ReviewState::Deleted),
            rating: Some(rating(5)?),
            partner: Some(Partner::Partner9),
            ..Filter::default()
        };
        let rarest = Filter { rating: Some(rating(2)?), has_content: Some(false), ..narrow.clone() };
        let mut filters = vec![
            ("rating 5", Filter { rating: Some(rating(5)?), ..Filter::default() }),
            ("not treated", Filter { state: Some(ReviewState::NotTreated), ..Filter::default() }),
            ("with content", Filter { has_content: Some(true), ..Filter::default() }),
            ("0.15 % filter", narrow),
            ("rarest cell", rarest),
        ];
        for (what, city) in CITIES.into_iter().zip(CITIES_BY_SIZE) {
            filters.push((what, Filter { city_key: Some(city_key(city)), ..Filter::default() }));
        }
        let newest = *self.seconds.keys().next_back().context("no reviews were made")?;
        let to = newest - RANGE_ENDS_BEFORE;
        filters.push(("400 days", Filter { between: Some((to - RANGE_SECONDS, to)), ..Filter::default() }));
        let many = of.businesses().into_iter().rev().take(MANY).map(|business| business.id).collect();
        for (what, businesses) in [("one business", vec![of.small_business().id.clone()]), ("100 businesses", many)] {
            filters.push((what, Filter { businesses, ..Filter::default() }));
        }
        Ok(filters)
    }

    /// How many of those counted match. A filter has parts of cells, or one other part.
    fn matching(&self, filter: &Filter) -> u64 {
        if let Some(city) = &filter.city_key {
            return self.cities.get(city).copied().unwrap_or_default();
        }
        if !filter.businesses.is_empty() {
            return filter.businesses.iter().filter_map(|id| self.businesses.get(id)).sum();
        }
        if let Some((from, to)) = filter.between {
            return self.seconds.range(from..=to).map(|(_, count)| count).sum();
        }
        let mask = filter.mask();
        self.cells.iter().filter(|(cell, _)| mask.contains(**cell)).map(|(_, count)| count).sum()
    }
}
