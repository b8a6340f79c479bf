//! Searches and statistics in the trees of a table, completed from its logs.
//!
//! 1. [`OrgSnapshot`]: the log of each organisation is read strongly. Beside it the roots of the trees, which the log proves.
//! 2. [`PagePlan`]: each root is completed from the log. The nodes are read that lead to the page. [`TreeCounts`] does the same for counts.
//! 3. [`Prediction`]: a page that the cache predicts can be read beside the log.
//!
//! Everything is the state of each organisation at one position of its log. If anything that is read is newer, the attempt ends with
//! [`ReadError`], and the caller begins again.

mod cache;
mod facet_trees;
mod log_view;
mod plan;
mod prediction;
mod read_error;
mod readings;
mod snapshot;
mod target;
#[cfg(test)]
mod tests;
mod tree_counts;

use std::sync::Arc;

pub use self::plan::PagePlan;
pub use self::prediction::Prediction;
pub use self::read_error::ReadError;
pub use self::snapshot::{JointLogs, OrgSnapshot};
pub use self::target::{OrgTarget, PostingPage, PostingRange, SearchTarget, trees_by_org, without_idle_ends};
pub use self::tree_counts::{CountError, TreeCounts};
use crate::table::LedgerTable;
use crate::{LogReader, Trees};
use cache::SearchCache;

/// Reader of pages and counts, with a cache of what it has read. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Searcher {
    logs: LogReader,
    trees: Trees,
    cache: Arc<SearchCache>,
    /// True if facet trees are searched wherever there are some, cheaper or not.
    prefers_facets: bool,
}

impl Searcher {
    /// Returns the searcher of a table. Its cache is empty.
    pub fn new(table: Arc<dyn LedgerTable>) -> Self {
        let (logs, trees) = (LogReader::new(Arc::clone(&table)), Trees::new(table));
        Self { logs, trees, cache: Arc::default(), prefers_facets: false }
    }

    /// Returns the same searcher, which uses facet trees wherever there are some, for tests: small sets then have them read.
    #[must_use]
    pub fn with_facets_preferred(self, prefers_facets: bool) -> Self {
        Self { prefers_facets, ..self }
    }
}
