//! Places of reviews: the businesses and cities of organisations, page by page, whose trees are counted.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{Business, ListPage, ListPosition};
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review_stats::{GroupBy, GroupKey};
use presence_domain::text::city_key;
use presence_ledger::moves::MoveRegister;
use presence_ledger::{GroupNumber, OrgLog, Place, ReviewSet};

/// List of the businesses of one organisation, as far as it is read.
#[derive(Debug)]
pub(super) struct PlaceList {
    pub(super) org_id: OrgId,
    /// Position of the page that is read next; `None` if there is none.
    pub(super) next: Option<ListPosition>,
    /// Sets that were counted and have reviews. A business that moves to another city meanwhile is listed twice.
    counted: BTreeSet<ReviewSet>,
}

/// Groups of reviews by business or city.
#[derive(Debug)]
pub(super) struct PlaceGroups {
    is_by_city: bool,
    /// City that the filter names.
    city_key: Option<String>,
    /// Numbers of the groups, by id of the business or by city.
    numbers: HashMap<String, GroupNumber>,
    /// Business of the lowest id in each city, and the name of the city as it writes it.
    city_names: BTreeMap<String, (BusinessId, String)>,
}

/// Returns the places that changes of the log name, before or after.
fn all_places(log: &OrgLog) -> Vec<&Place> {
    log.entries.iter().flat_map(|entry| [&entry.change.old, &entry.change.new]).flatten().collect()
}

/// Returns the place of each review after its last change in the log.
fn present_places(log: &OrgLog) -> Vec<&Place> {
    // A review's changes are in one lane, in their order.
    let last: HashMap<_, _> = log.entries.iter().map(|entry| (entry.change.id, &entry.change.new)).collect();
    last.into_values().flatten().collect()
}

impl PlaceList {
    /// Returns the list of an organisation, of which the pages before this position are read.
    pub(super) fn new(org_id: OrgId, next: Option<ListPosition>) -> Self {
        Self { org_id, next, counted: BTreeSet::new() }
    }

    /// Notes that a set is counted. False if it was already.
    pub(super) fn add(&mut self, set: &ReviewSet) -> bool {
        self.counted.insert(set.clone())
    }

    /// True if a set is counted already.
    pub(super) fn has(&self, set: &ReviewSet) -> bool {
        self.counted.contains(set)
    }
}

impl PlaceGroups {
    /// Returns no groups, by business or by city.
    pub(super) fn new(group_by: Option<GroupBy>, city_key: Option<String>) -> Self {
        let is_by_city = group_by == Some(GroupBy::City);
        Self { is_by_city, city_key, numbers: HashMap::new(), city_names: BTreeMap::new() }
    }

    /// Returns the sets of businesses that are leaving an organisation.
    pub(super) fn sets_of_moves(&self, org_id: OrgId, moves: &MoveRegister) -> BTreeSet<ReviewSet> {
        let in_city = moves.leaving(org_id).filter(|(_, city)| self.is_in_city(city));
        in_city.map(|(id, city)| self.set_of(org_id, id, city)).collect()
    }

    fn is_in_city(&self, city: &str) -> bool {
        self.city_key.as_ref().is_none_or(|wanted| wanted == city)
    }

    /// Returns the sets of a page of businesses. Notes the names of their cities.
    pub(super) fn sets_of_page(&mut self, org_id: OrgId, page: &ListPage<Business>) -> BTreeSet<ReviewSet> {
        let mut sets = BTreeSet::new();
        for business in &page.items {
            let city = city_key(&business.city);
            if !self.is_in_city(&city) {
                continue;
            }
            if self.is_by_city {
                let lowest = self.city_names.entry(city.clone());
                let lowest = lowest.or_insert_with(|| (business.id.clone(), business.city.clone()));
                if business.id < lowest.0 {
                    *lowest = (business.id.clone(), business.city.clone());
                }
            }
            sets.insert(self.set_of(org_id, &business.id, &city));
        }
        sets
    }

    /// Returns the sets that the log of an organisation names. The list may lack their businesses: it lags.
    pub(super) fn sets_of_log(&self, org_id: OrgId, log: &OrgLog) -> BTreeSet<ReviewSet> {
        // A business that left the city has other reviews in its tree, and none in the city.
        let places = if self.city_key.is_some() && !self.is_by_city { present_places(log) } else { all_places(log) };
        let in_city = places.into_iter().filter(|place| self.is_in_city(&place.city_key));
        let sets = in_city.map(|place| self.set_of(org_id, &place.business_id, &place.city_key));
        // The city that the filter names needs no list.
        let named = self.city_key.as_ref().filter(|_| self.is_by_city);
        sets.chain(named.map(|city| ReviewSet::City(org_id, city.clone()))).collect()
    }

    fn set_of(&self, org_id: OrgId, business_id: &BusinessId, city_key: &str) -> ReviewSet {
        if self.is_by_city {
            ReviewSet::City(org_id, city_key.to_owned())
        } else {
            ReviewSet::Business(org_id, business_id.clone())
        }
    }

    /// Returns the number of the group of a set.
    pub(super) fn number_of(&mut self, set: &ReviewSet) -> GroupNumber {
        let name = match set {
            ReviewSet::Business(_, business_id) => business_id.as_str(),
            ReviewSet::City(_, city_key) => city_key,
            ReviewSet::Org(_) => "",
        };
        let next = GroupNumber::try_from(self.numbers.len()).unwrap_or(GroupNumber::MAX);
        *self.numbers.entry(name.to_owned()).or_insert(next)
    }

    /// Returns the keys of all groups, by number.
    pub(super) fn into_keys(self) -> HashMap<GroupNumber, GroupKey> {
        let Self { is_by_city, numbers, mut city_names, .. } = self;
        let key_of = |name: String| {
            if !is_by_city {
                return BusinessId::parse(&name).map(GroupKey::Business);
            }
            // A city that only reviews on their way have is named by its key.
            let written = city_names.remove(&name).map_or_else(|| name.clone(), |(_, written)| written);
            Some(GroupKey::City { key: name, name: written })
        };
        let mut key_of = key_of;
        numbers.into_iter().filter_map(|(name, number)| Some((number, key_of(name)?))).collect()
    }
}
