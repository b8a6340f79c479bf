//! Trees of a table in memory: builds, folds and sweeps, and calls that meet another writer.

mod builds;
mod folds;
pub(crate) mod memory_table;
mod other_writers;
mod sweeps;

use crate::fixtures::{facet_key, org_id};
use crate::table::NewValue;
use crate::{Directory, LogPosition, ReviewSet, TreeKey};

/// Returns the tree of all reviews of the organisation.
fn org_tree() -> TreeKey {
    TreeKey { set: ReviewSet::Org(org_id()), facet_key: None }
}

/// Returns the tree of one facet key of the organisation.
fn facet_tree() -> TreeKey {
    TreeKey { facet_key: Some(facet_key()), ..org_tree() }
}

/// Returns the position behind this number of changes of the first lane.
fn at(changes: u64) -> LogPosition {
    LogPosition([changes, 0, 0, 0, 0, 0, 0, 0])
}

fn directory_value(directory: &Directory) -> NewValue {
    NewValue { number: directory.edition, bytes: directory.encode(), oldest: None }
}
