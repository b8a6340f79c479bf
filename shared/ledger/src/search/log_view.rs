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
