//! Build of a tree from all its postings.

use super::edit::{Nodes, collect_oldest, lay_out_periods, spill};
use super::{EditedTree, MonthSpan, TreeLimits, TreeRoot};
use crate::{LogPosition, Posting};
use presence_domain::calendar::Month;

/// Returns the tree of these postings, which are ascending, at a position of the log. Every node is to be written. The caller sets
/// the editions of facet trees.
pub fn build_tree(postings: Vec<Posting>, position: LogPosition, limits: TreeLimits) -> EditedTree {
    let mut root = TreeRoot { position, recent: postings, ..TreeRoot::empty() };
    let spilled = spill(&mut root, limits);
    let mut rest = &spilled[..];
    let mut periods = Vec::new();
    while let Some(first) = rest.first() {
        let year = MonthSpan::containing(Month::of(first.key.effective_at), MonthSpan::LENGTHS[0]);
        let (own, later) = year.split_off(rest);
        periods.extend(lay_out_periods(year, own, limits));
        rest = later;
    }
    // Every leaf is new, so that none is missing.
    if let Some(oldest) = collect_oldest(&periods, &mut Nodes::default(), limits, root.recent_start)
        && !periods.is_empty()
    {
        root.oldest = oldest;
    }
    EditedTree { root, periods, replaced: Vec::new(), mismatches: 0 }
}
