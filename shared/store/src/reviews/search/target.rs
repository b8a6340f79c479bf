//! Target of a search in the scope of a caller.

use super::moves::MoveCut;
use super::org_source::OrgSource;
use presence_ledger::search::SearchTarget;

/// Trees to search and the page to find in them, and what proves after the reads that these are the trees.
#[derive(Clone, Debug)]
pub(super) struct ScopedTarget {
    pub(super) search: SearchTarget,
    /// City of the businesses whose trees are searched; trees of others are left out. `None` if the trees are known to match.
    pub(super) business_city: Option<String>,
    /// Source of the organisations.
    pub(super) source: OrgSource,
    /// Moves between the organisations; `None` for one organisation.
    pub(super) cut: Option<MoveCut>,
}
