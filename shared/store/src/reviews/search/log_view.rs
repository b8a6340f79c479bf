//! Changes of a log, as the trees of a search see them.

use std::collections::HashMap;

use crate::reviews::log::OrgLog;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::tree::RootSummary;
use presence_domain::ledger::{LogEntry, ReviewSet, TreeDelta, TreeKey};

/// Number of trees from which the entries of a log are sorted by business first, instead of looking at each for each tree.
const MANY_TREES: usize = 8;

/// Entries of a log, by the business that they concern if there are many trees.
pub(super) struct LogView<'a> {
    log: &'a OrgLog,
    by_business: Option<HashMap<&'a BusinessId, Vec<&'a LogEntry>>>,
}

impl<'a> LogView<'a> {
    /// Returns the view of a log for this number of trees.
    pub(super) fn new(log: &'a OrgLog, trees: usize) -> Self {
        let by_business = (trees >= MANY_TREES).then(|| {
            let mut by_business: HashMap<&BusinessId, Vec<&LogEntry>> = HashMap::new();
            for entry in &log.entries {
                let places = [&entry.change.old, &entry.change.new];
                let mut businesses: Vec<_> = places.into_iter().flatten().map(|place| &place.business_id).collect();
                businesses.dedup();
                for business_id in businesses {
                    by_business.entry(business_id).or_default().push(entry);
                }
            }
            by_business
        });
        Self { log, by_business }
    }

    /// Returns the difference of a tree from its root to the end of the log.
    pub(super) fn delta(&self, tree: &TreeKey, root: &RootSummary) -> TreeDelta {
        let (from, to) = (&self.log.position_of_tree(&root.position), &self.log.end);
        match (&tree.set, &self.by_business) {
            (ReviewSet::Business(_, business_id), Some(by_business)) => {
                let entries = by_business.get(business_id).map_or(&[][..], Vec::as_slice);
                TreeDelta::between(tree, entries.iter().copied(), from, to)
            }
            _ => TreeDelta::between(tree, &self.log.entries, from, to),
        }
    }
}
