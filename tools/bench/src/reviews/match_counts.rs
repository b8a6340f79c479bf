//! Says what is searched for, and how many reviews match it, by counting them all.

use std::collections::BTreeMap;

use anyhow::Context as _;
use presence_bench::distribution::{CITIES_BY_SIZE, Distribution};
use presence_domain::ids::BusinessId;
use presence_domain::ledger::{FacetKey, SECONDS_OF_DAY};
use presence_domain::review::{Partner, Rating, ReviewState};
use presence_domain::text::city_key;

use super::search::{Filter, PagePosition, Search};

/// 400 days to the second, up to 2025-11-24T22:43:52.
const RANGE: (i64, i64) = (RANGE_END - 400 * SECONDS_OF_DAY, RANGE_END);
const RANGE_END: i64 = 1_764_024_232;
/// Businesses of the search of several.
const SEVERAL: usize = 20;
/// The cities of five sizes.
const CITIES: [&str; 5] = ["city of 30 %", "city of 3 %", "city of 0.3 %", "city of 0.03 %", "city of 0.003 %"];

/// Every search of the comparison.
pub(super) fn searches(reviews: &Distribution) -> anyhow::Result<Vec<Search>> {
    let match_counts = MatchCounts::of(reviews);
    let all = [PagePosition::First, PagePosition::Middle, PagePosition::Last];
    let mut searches = all.map(|place| Search::new("no filter", Filter::default(), place, reviews.total())).to_vec();
    for (what, filter) in filters(reviews)? {
        let match_count = match_counts.count(&filter);
        let ends = [PagePosition::First, PagePosition::Last];
        searches.extend(ends.map(|place| Search::new(what, filter.clone(), place, match_count)));
    }
    Ok(searches)
}

/// What there is.
#[derive(Debug, Default)]
struct MatchCounts {
    cells: BTreeMap<FacetKey, u64>,
    cities: BTreeMap<String, u64>,
    businesses: BTreeMap<BusinessId, u64>,
    in_range: u64,
}

impl MatchCounts {
    fn of(reviews: &Distribution) -> Self {
        let (mut match_counts, businesses) = (Self::default(), reviews.businesses());
        for entry in reviews.headers().flatten() {
            *match_counts.cells.entry(entry.cell).or_default() += 1;
            *match_counts.cities.entry(reviews.city_key(entry.business).to_owned()).or_default() += 1;
            *match_counts.businesses.entry(businesses[usize::from(entry.business)].id.clone()).or_default() += 1;
            match_counts.in_range += u64::from((RANGE.0..=RANGE.1).contains(&entry.at));
        }
        match_counts
    }

    /// How many of those counted match. A filter has parts of cells, or one other part.
    fn count(&self, filter: &Filter) -> u64 {
        if let Some(city) = &filter.city_key {
            return self.cities.get(city).copied().unwrap_or_default();
        }
        if !filter.businesses.is_empty() {
            return filter.businesses.iter().filter_map(|id| self.businesses.get(id)).sum();
        }
        if filter.between.is_some() {
            return self.in_range;
        }
        let mask = filter.mask();
        self.cells.iter().filter(|(cell, _)| mask.contains(**cell)).map(|(_, count)| count).sum()
    }
}

fn filters(of: &Distribution) -> anyhow::Result<Vec<(&'static str, Filter)>> {
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
    filters.push(("400 days", Filter { between: Some(RANGE), ..Filter::default() }));
    let several = of.businesses().into_iter().rev().take(SEVERAL).map(|business| business.id).collect();
    for (what, businesses) in [("one business", vec![of.small_business().id.clone()]), ("20 businesses", several)] {
        filters.push((what, Filter { businesses, ..Filter::default() }));
    }
    Ok(filters)
}
