//! Numbers of reviews that match the filters of the comparison, counted by the generator and not by a backend.

use std::collections::BTreeMap;

use presence_bench::distribution::Distribution;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::FacetKey;

use super::search::{DATE_RANGE, Filter};

/// Numbers of reviews by each dimension of a filter.
#[derive(Debug, Default)]
pub(super) struct MatchCounts {
    facets: BTreeMap<FacetKey, u64>,
    cities: BTreeMap<String, u64>,
    businesses: BTreeMap<BusinessId, u64>,
    in_date_range: u64,
}

impl MatchCounts {
    pub(super) fn new(reviews: &Distribution) -> Self {
        let (mut counts, businesses) = (Self::default(), reviews.businesses());
        for header in reviews.headers().flatten() {
            let business = businesses[usize::from(header.business)].id.clone();
            *counts.facets.entry(header.facet_key).or_default() += 1;
            *counts.cities.entry(reviews.city_key(header.business).to_owned()).or_default() += 1;
            *counts.businesses.entry(business).or_default() += 1;
            counts.in_date_range += u64::from((DATE_RANGE.0..=DATE_RANGE.1).contains(&header.at));
        }
        counts
    }

    /// Returns the number of matching reviews. The filters of the comparison have facets or one other part, never both.
    pub(super) fn count(&self, filter: &Filter) -> u64 {
        if let Some(city) = &filter.city_key {
            return self.cities.get(city).copied().unwrap_or_default();
        }
        if !filter.businesses.is_empty() {
            return filter.businesses.iter().filter_map(|id| self.businesses.get(id)).sum();
        }
        if filter.date_range.is_some() {
            return self.in_date_range;
        }
        let mask = filter.mask();
        self.facets.iter().filter(|(key, _)| mask.contains(**key)).map(|(_, count)| count).sum()
    }
}
