//! Counted trees in storage: roots and nodes of every review set, and the directory that proves roots current.
//!
//! - A **root** has a fixed key and an edition, which every put raises. Its put is conditional on the edition that was read.
//! - A **node** has a slot and a stamp. It never changes under this name, so a root and the nodes that it names are a snapshot.
//! - The **directory** of an organisation names the least edition that each root has.

mod build;
mod correction;
mod directory;
mod facets;
mod fold;
mod named_editions;
mod nodes;
mod org_postings;
mod postings;
mod set_fold;
mod sweep;
#[cfg(test)]
pub(super) mod tests;
mod touched_sets;
mod trim;
mod write;

use std::sync::Arc;

pub use self::build::BuiltTrees;
pub use self::correction::TreeCorrection;
pub use self::directory::{RootEditions, bucket_of, raise_editions};
pub use self::facets::facet_trees;
pub use self::fold::{FOLD_PAGES, FoldLimits, FoldReport, Folder};
pub use self::nodes::StoredRoot;
pub use self::org_postings::{OrgPostings, SetPostings, has_facet_trees, split_by_facet};
pub use self::postings::ALL_KEYS;
pub use self::write::root_value;
use crate::table::LedgerTable;
use crate::tree::TreeLimits;
use crate::{LogReader, TreeKey};

/// Reader and writer of the trees of a table. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Trees {
    table: Arc<dyn LedgerTable>,
    logs: LogReader,
    fold_limits: FoldLimits,
    recent_max: usize,
}

impl Trees {
    /// Returns the trees of a table.
    pub fn new(table: Arc<dyn LedgerTable>) -> Self {
        let logs = LogReader::new(table.clone());
        Self { table, logs, fold_limits: FoldLimits::default(), recent_max: usize::MAX }
    }

    /// Returns the same trees with other limits of folds.
    #[must_use]
    pub fn with_fold_limits(self, fold_limits: FoldLimits) -> Self {
        Self { fold_limits, ..self }
    }

    /// Returns the same trees with roots that hold fewer postings themselves, for tests: small trees then have nodes.
    #[must_use]
    pub fn with_recent_max(self, recent_max: usize) -> Self {
        Self { recent_max, ..self }
    }

    /// Returns the limits of folds.
    pub fn fold_limits(&self) -> &FoldLimits {
        &self.fold_limits
    }

    /// Returns the limits of a tree with this number of postings.
    fn limits_of(&self, tree: &TreeKey, postings: i64) -> TreeLimits {
        let limits = TreeLimits::of(tree, postings);
        TreeLimits { recent_max: limits.recent_max.min(self.recent_max), ..limits }
    }
}
