//! Changes of a log, as the trees of a search see them.

use std::collections::HashMap;

use crate::{LogEntry, LogPosition, OrgLog, ReviewSet, TreeDelta, TreeKey};
use presence_domain::ids::BusinessId;

/// Number of trees from which the entries of a log are sorted by place first, instead of looking at each for each tree.
const MANY_TREES: usize = 8;

/// Entries of a log, by the places that they concern if there are many trees.
pub(super) struct LogView<'a> {
    log: &'a OrgLog,
    by_place: Option<EntriesByPlace<'a>>,
}

/// Entries of a log, by the business and by the city that they concern: those of the old and of the new place.
#[derive(Default)]
struct EntriesByPlace<'a> {
    businesses: HashMap<&'a BusinessId, Vec<&'a LogEntry>>,
    cities: HashMap<&'a str, Vec<&'a LogEntry>>,
}

impl<'a> EntriesByPlace<'a> {
    fn of(entries: &'a [LogEntry]) -> Self {
        let mut sorted = Self::default();
        for entry in entries {
            let places = || [&entry.change.old, &entry.change.new].into_iter().flatten();
            let mut businesses: Vec<_> = places().map(|place| &place.business_id).collect();
            businesses.dedup();
            for business_id in businesses {
                sorted.businesses.entry(business_id).or_default().push(entry);
            }
            let mut cities: Vec<_> = places().map(|place| place.city_key.as_str()).collect();
            cities.dedup();
            for city_key in cities {
                sorted.cities.entry(city_key).or_default().push(entry);
            }
        }
        sorted
    }
}

impl<'a> LogView<'a> {
    /// Returns the view of a log for this number of trees.
    pub(super) fn new(log: &'a OrgLog, trees: usize) -> Self {
        Self { log, by_place: (trees >= MANY_TREES).then(|| EntriesByPlace::of(&log.entries)) }
    }

    /// Returns the difference of a tree from the position of its root to the end of the log.
    pub(super) fn delta(&self, tree: &TreeKey, position: &LogPosition) -> TreeDelta {
        let sorted = self.by_place.as_ref().and_then(|by_place| match &tree.set {
            ReviewSet::Org(_) => None,
            ReviewSet::City(_, city_key) => Some(by_place.cities.get(city_key.as_str())),
            ReviewSet::Business(_, business_id) => Some(by_place.businesses.get(business_id)),
        });
        match sorted {
            Some(entries) => TreeDelta::between(tree, entries.into_iter().flatten().copied(), position, &self.log.end),
            None => TreeDelta::between(tree, &self.log.entries, position, &self.log.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::place;
    use crate::{LANES, LogChange, Place, ReviewNumber};
    use presence_domain::ids::OrgId;

    #[test]
    fn a_tree_has_the_same_changes_in_a_search_of_few_trees_and_of_many() {
        let at = |city_key: &str, business_id: &str| {
            let business_id = BusinessId::parse(business_id).expect("an id");
            Some(Place { city_key: city_key.to_owned(), business_id, ..place() })
        };
        let changes = [
            (None, at("lyon", "a")),
            (at("lyon", "a"), at("metz", "a")),
            (at("metz", "a"), at("metz", "b")),
            (at("metz", "b"), None),
        ];
        let entry = |(number, (old, new)): (u64, (Option<Place>, Option<Place>))| {
            let id = ReviewNumber::new(number);
            LogEntry { sequence: 1, change: LogChange { id, version: 2, old_version: 1, old, new } }
        };
        let entries = (0..).zip(changes).map(entry).collect();
        let log = OrgLog { entries, end: LogPosition([1; LANES]), ..OrgLog::default() };
        let org_id = OrgId::new(1).expect("an id");
        let city = |city_key: &str| ReviewSet::City(org_id, city_key.to_owned());
        let business = |id: &str| ReviewSet::Business(org_id, BusinessId::parse(id).expect("an id"));
        for (set, removed, added) in [
            (ReviewSet::Org(org_id), 3, 3),
            (city("lyon"), 1, 1),
            (city("metz"), 2, 2),
            (city("nice"), 0, 0),
            (business("a"), 2, 2),
            (business("b"), 1, 1),
        ] {
            let tree = TreeKey { set, facet_key: None };
            let delta = |trees| LogView::new(&log, trees).delta(&tree, &LogPosition::default());
            let (few, many) = (delta(MANY_TREES - 1), delta(MANY_TREES));
            assert_eq!((few.removed.len(), few.added.len()), (removed, added), "{tree:?}");
            assert_eq!((many.removed, many.added), (few.removed, few.added), "{tree:?}");
        }
    }
}
