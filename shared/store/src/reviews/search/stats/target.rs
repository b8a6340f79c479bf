//! Target of statistics: the trees that are counted, and the groups of their reviews.

use std::collections::{BTreeMap, HashMap};

use crate::ReviewStore;
use crate::businesses::ReviewLocation;
use crate::reviews::search::ReviewFilter;
use crate::reviews::search::target::{OrgTarget, trees_by_org, without_idle_ends};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::{CalendarUnit, GroupNumber, PostingFilter, ReviewSet};
use presence_domain::review_stats::{GroupBy, GroupKey};

/// Number of the reviews that are in no group.
const NO_GROUP: GroupNumber = -1;

/// Trees to count, and the groups of their reviews.
#[derive(Debug)]
pub(super) struct StatsTarget {
    /// Organisations, ascending. Each has a log of its own.
    pub(super) orgs: Vec<OrgTarget>,
    /// Filter of the postings.
    pub(super) filter: PostingFilter,
    /// City that the filter names.
    pub(super) city_key: Option<String>,
    /// Property by which reviews are grouped.
    pub(super) group_by: Option<GroupBy>,
    /// Groups of the trees, if the trees themselves are those of businesses.
    pub(super) groups: TreeGroups,
    /// True if the groups are those of trees that must be found first.
    pub(super) has_unknown_places: bool,
}

/// Groups of trees that are known by their sets.
#[derive(Debug, Default)]
pub(super) struct TreeGroups {
    keys: Vec<GroupKey>,
    by_set: HashMap<ReviewSet, GroupNumber>,
}

impl StatsTarget {
    /// Returns the target of statistics in review sets.
    pub(super) fn new(
        sets: impl IntoIterator<Item = ReviewSet>,
        filter: &ReviewFilter,
        group_by: Option<GroupBy>,
        groups: TreeGroups,
    ) -> Self {
        let is_by_place = matches!(group_by, Some(GroupBy::Business | GroupBy::City));
        Self {
            orgs: trees_by_org(sets),
            filter: without_idle_ends(filter.posting_filter()),
            city_key: filter.city_key.clone(),
            group_by,
            groups,
            has_unknown_places: is_by_place && filter.businesses.is_none(),
        }
    }

    /// Returns the unit of time that splits the counts, if any.
    pub(super) fn unit(&self) -> Option<CalendarUnit> {
        match self.group_by {
            Some(GroupBy::Day) => Some(CalendarUnit::Day),
            Some(GroupBy::Month) => Some(CalendarUnit::Month),
            Some(GroupBy::Year) => Some(CalendarUnit::Year),
            _ => None,
        }
    }
}

impl TreeGroups {
    /// Returns the groups of sets of businesses by business.
    pub(super) fn of_businesses(sets: &[ReviewSet]) -> Self {
        let mut groups = Self::default();
        for set in sets {
            if let ReviewSet::Business(_, business_id) = set {
                groups.add(set, &GroupKey::Business(business_id.clone()));
            }
        }
        groups
    }

    /// Returns the group of a set; [`NO_GROUP`] if it is in none.
    pub(super) fn number_of(&self, set: &ReviewSet) -> GroupNumber {
        self.by_set.get(set).copied().unwrap_or(NO_GROUP)
    }

    /// Returns the key of a group; `None` for an unknown one.
    pub(super) fn key_of(&self, number: GroupNumber) -> Option<&GroupKey> {
        self.keys.get(usize::try_from(number).ok()?)
    }

    /// Adds a set to the group with this key. Returns its number.
    pub(super) fn add(&mut self, set: &ReviewSet, key: &GroupKey) -> GroupNumber {
        let known = self.keys.iter().position(|other| other == key);
        let position = known.unwrap_or(self.keys.len());
        if known.is_none() {
            self.keys.push(key.clone());
        }
        let number = GroupNumber::try_from(position).unwrap_or(GroupNumber::MAX);
        self.by_set.insert(set.clone(), number);
        number
    }
}

impl ReviewStore {
    /// Returns the groups of sets of businesses by the city of the business.
    pub(super) async fn cities_of_businesses(&self, sets: &[ReviewSet]) -> Result<TreeGroups, Error> {
        let business_of = |set: &ReviewSet| match set {
            ReviewSet::Business(org_id, business_id) => Some((*org_id, business_id.clone())),
            ReviewSet::Org(_) | ReviewSet::City(..) => None,
        };
        let ids: Vec<BusinessId> = sets.iter().filter_map(business_of).map(|(_, id)| id).collect();
        let located = self.businesses.get_review_locations(&ids).await?;
        let mut cities: BTreeMap<BusinessId, (&ReviewLocation, Vec<&ReviewSet>)> = BTreeMap::new();
        for (set, (org_id, id)) in sets.iter().filter_map(|set| Some((set, business_of(set)?))) {
            // A business that is unknown, or belongs to another organisation, has no reviews in this one.
            let found = located.get(&id).filter(|found| found.may_have_reviews_in(org_id));
            let Some(found) = found else { continue };
            cities.entry(id).or_insert((found, Vec::new())).1.push(set);
        }
        let (mut groups, mut names) = (TreeGroups::default(), HashMap::new());
        // By business, so that the name of a city is the one that the lowest id writes.
        for (ReviewLocation { location, city, .. }, sets) in cities.into_values() {
            let name: &String = names.entry(location.city_key.as_str()).or_insert(city);
            let key = GroupKey::City { key: location.city_key.clone(), name: name.clone() };
            for set in sets {
                groups.add(set, &key);
            }
        }
        Ok(groups)
    }
}
