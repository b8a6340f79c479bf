//! Groups by city of businesses that the filter names.
//!
//! Each business is counted by itself, while its location is read. The location then tells the city of its counts.

use std::collections::{BTreeMap, HashMap};

use super::attempt::sorted;
use super::target::StatsTarget;
use crate::reviews::search::business_locations::BusinessLocations;
use presence_domain::review::FacetCounts;
use presence_domain::review_stats::{GroupKey, StatsGroup};
use presence_ledger::GroupNumber;

/// Counts of a city, and its name as the business of the lowest id writes it.
struct NamedCity<'a> {
    name: &'a str,
    counts: FacetCounts,
}

impl StatsTarget {
    /// Returns the groups by city of counts by business.
    ///
    /// Businesses that do not exist, or belong to another organisation, are in none of them. They have no reviews, unless one
    /// moved to this organisation after its location was read.
    pub(super) fn groups_by_city(
        &self,
        by_business: &[(GroupNumber, FacetCounts)],
        locations: &BusinessLocations,
    ) -> Vec<StatsGroup> {
        let by_business: HashMap<GroupNumber, &FacetCounts> =
            by_business.iter().map(|(number, counts)| (*number, counts)).collect();
        let sets = self.orgs.iter().flat_map(|org| &org.trees).map(|tree| &tree.set);
        let located = sets.filter_map(|set| Some((self.groups.number_of(set), locations.of_set(set)?)));
        // By business, so that the name of a city is the one that the lowest id writes. A business in two organisations has one group.
        let located: BTreeMap<_, _> =
            located.filter_map(|(number, found)| Some((self.groups.key_of(number)?, (number, found)))).collect();
        let mut cities = BTreeMap::<&str, NamedCity<'_>>::new();
        for (number, found) in located.into_values() {
            let new = || NamedCity { name: &found.city, counts: FacetCounts::default() };
            let city = cities.entry(&found.location.city_key).or_insert_with(new);
            if let Some(counts) = by_business.get(&number) {
                city.counts.add_all(counts);
            }
        }
        let group = |(key, NamedCity { name, counts }): (&str, NamedCity<'_>)| StatsGroup {
            key: GroupKey::City { key: key.to_owned(), name: name.to_owned() },
            counts,
        };
        sorted(cities.into_iter().map(group).filter(|group| group.counts.total() > 0).collect())
    }
}
