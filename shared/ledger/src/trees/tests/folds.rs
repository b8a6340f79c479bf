//! Folds: the changes that do not fit, and the editions of facet trees.

use super::memory_table::{MemoryTable, at_once};
use super::{at, facet_tree, org_id, org_tree};
use crate::fixtures::{facet_key, place};
use crate::table::ValueName;
use crate::tree::TreeRoot;
use crate::{
    Directory, FoldLimits, FoldReport, Folder, LANES, LogChange, LogEntry, OrgLog, Place, ReviewNumber, Trees,
    root_value,
};
use presence_domain::error::Error;
use presence_domain::review::FACET_KEY_COUNT;

/// Folds a change with this sequence number of the first lane, of a review that no other change is about.
fn fold(trees: &Trees, sequence: u64, old: Option<Place>, new: Option<Place>) -> Result<FoldReport, Error> {
    let id = ReviewNumber::new(sequence * LANES as u64);
    let entries = vec![LogEntry { sequence, change: LogChange { id, version: 2, old_version: 1, old, new } }];
    let directory = Directory { trimmed_to: at(sequence - 1), ..Directory::default() };
    let log = OrgLog { entries, end: at(sequence), directory, ..OrgLog::default() };
    at_once(Folder::new(trees).fold_log(org_id(), &log))
}

#[test]
fn a_change_that_does_not_fit_is_counted_in_each_tree_of_each_set() {
    for (facets_from, mismatches) in [(2, 3), (1, 5)] {
        let limits = FoldLimits { facets_from, ..FoldLimits::default() };
        let trees = MemoryTable::default().trees().with_fold_limits(limits);
        let report = |mismatches| FoldReport { changes: 1, trees: 3, mismatches, lost: false };
        assert_eq!(fold(&trees, 1, None, Some(place())).expect("a fold"), report(0));
        // The organisation and the city have facet trees, the business has none. No tree has the review that goes.
        let second = fold(&trees, 2, Some(place()), None).expect("a fold");
        assert_eq!(second, report(mismatches), "facet trees from {facets_from} postings");
    }
}

#[test]
fn a_facet_tree_may_have_the_edition_that_the_root_of_its_set_names_and_no_lower_one() {
    // In the second row, a fold died before it put the root of the set, and an audit named the edition that it left.
    for (edition, contained, is_folded, named) in [(5, 0, true, 6), (5, 1, true, 5), (3, 0, false, 5)] {
        let table = MemoryTable::default();
        let root = TreeRoot { edition: 8, facet_editions: Some(vec![5; FACET_KEY_COUNT]), ..TreeRoot::empty() };
        table.store(ValueName::Root(&org_tree()), root_value(&root));
        let facet = TreeRoot { edition, position: at(contained), ..TreeRoot::empty() };
        table.store(ValueName::Root(&facet_tree()), root_value(&facet));
        let folded = fold(&table.trees(), 1, None, Some(place()));
        assert_eq!(folded.is_ok(), is_folded, "edition {edition}: {folded:?}");
        let root = at_once(table.trees().read_root(&org_tree())).expect("a root");
        let editions = root.facet_editions.expect("facet trees");
        assert_eq!(editions[usize::from(facet_key().number())], named, "edition {edition} with {contained} changes");
    }
}
