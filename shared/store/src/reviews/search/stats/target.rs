//! Target of statistics: the trees that are counted, and the groups of their reviews.

use std::collections::HashMap;

use crate::reviews::search::ReviewFilter;
use crate::reviews::search::business_locations::BusinessLocations;
use crate::reviews::search::moves::MoveCut;
use crate::reviews::search::org_source::OrgSource;
use presence_domain::review_stats::{GroupBy, GroupKey};
use presence_ledger::search::{OrgTarget, trees_by_org, without_idle_ends};
use presence_ledger::{CalendarUnit, GroupNumber, PostingFilter, ReviewSet};

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
    /// Groups by business of the trees, if they are those of businesses that the filter names.
    pub(super) groups: TreeGroups,
    /// Source of the organisations.
    pub(super) source: OrgSource,
    /// Moves between the organisations; `None` for one organisation.
    pub(super) cut: Option<MoveCut>,
    /// City that these businesses must have; trees of others are left out. `None` if the trees are known to match.
    pub(super) business_city: Option<String>,
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
        source: OrgSource,
    ) -> Self {
        let is_by_place = matches!(group_by, Some(GroupBy::Business | GroupBy::City));
        let orgs = trees_by_org(sets);
        let groups = if is_by_place { TreeGroups::of_businesses(&orgs) } else { TreeGroups::default() };
        Self {
            orgs,
            filter: without_idle_ends(filter.posting_filter()),
            city_key: filter.city_key.clone(),
            group_by,
            groups,
            business_city: filter.unchecked_city(&source),
            source,
            cut: None,
            has_unknown_places: is_by_place && filter.businesses.is_none(),
        }
    }

    /// True if reviews of one city are grouped by business. The tree of a business that moves has reviews of other cities, too.
    pub(super) fn is_city_by_business(&self) -> bool {
        self.has_unknown_places && self.city_key.is_some() && self.group_by == Some(GroupBy::Business)
    }

    /// True if the locations of businesses are to be read beside their trees.
    pub(super) fn needs_locations(&self) -> bool {
        let is_by_named_city = self.group_by == Some(GroupBy::City) && !self.has_unknown_places;
        self.source.locations().is_none() && (is_by_named_city || self.business_city.is_some())
    }

    /// True if the trees of a set are counted.
    pub(super) fn admits(&self, set: &ReviewSet, locations: &BusinessLocations) -> bool {
        self.business_city.as_ref().is_none_or(|city_key| locations.is_in_city(set, city_key))
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
    /// Returns the groups of trees of businesses by business. They are at most as many as a filter may name.
    fn of_businesses(orgs: &[OrgTarget]) -> Self {
        let mut groups = Self::default();
        for tree in orgs.iter().flat_map(|org| &org.trees) {
            if let ReviewSet::Business(_, business_id) = &tree.set {
                groups.add(&tree.set, &GroupKey::Business(business_id.clone()));
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

    /// Adds a set to the group with this key.
    fn add(&mut self, set: &ReviewSet, key: &GroupKey) {
        let known = self.keys.iter().position(|other| other == key);
        let position = known.unwrap_or(self.keys.len());
        if known.is_none() {
            self.keys.push(key.clone());
        }
        let number = GroupNumber::try_from(position).unwrap_or(GroupNumber::MAX);
        self.by_set.insert(set.clone(), number);
    }
}
