//! Builds: which trees they replace, and in which edition.

use super::memory_table::{MemoryTable, at_once};
use super::{at, directory_value, org_id, org_tree};
use crate::fixtures::place;
use crate::table::ValueName;
use crate::tree::TreeRoot;
use crate::{BuiltTrees, Directory, OrgPostings, ReviewNumber, RootEditions, TreeKey, root_value};

/// Builds the trees of one review, at a position behind this number of changes.
fn build(table: &MemoryTable, changes: u64) -> BuiltTrees {
    let mut postings = OrgPostings::new(org_id());
    postings.add_posting(ReviewNumber::new(1), 1, &place());
    at_once(table.trees().build_org(postings, &at(changes), None)).expect("trees")
}

#[test]
fn a_tree_stays_if_it_has_later_changes_that_the_log_reaches() {
    for (tree, log, edition, trees) in [(3, 3, 8, 3), (4, 4, 7, 2), (4, 3, 8, 3)] {
        let table = MemoryTable::default();
        let root = TreeRoot { edition: 7, position: at(tree), ..TreeRoot::empty() };
        table.store(ValueName::Root(&org_tree()), root_value(&root));
        let directory = Directory { edition: 1, trimmed_to: at(log), ..Directory::default() };
        table.store(ValueName::Directory(org_id()), directory_value(&directory));
        assert_eq!(build(&table, 3).trees, trees, "a root at {tree}, a log up to {log}");
        let root = at_once(table.trees().read_root(&org_tree())).expect("a root");
        assert_eq!(root.edition, edition, "a root at {tree}, a log up to {log}");
    }
}

#[test]
fn a_root_that_is_lost_is_built_in_an_edition_above_all_that_it_may_have_had() {
    let table = MemoryTable::default();
    let trees = place().sets(org_id()).into_iter().map(|set| TreeKey { set, facet_key: None });
    let named: RootEditions = trees.zip(5..).collect();
    at_once(table.trees().raise_directory(org_id(), &named, &at(0))).expect("a directory");
    assert_eq!(build(&table, 0).trees, named.len());
    for (tree, edition) in &named {
        let root = at_once(table.trees().read_root(tree)).expect("a root");
        assert!(root.edition > edition + 1_000, "edition {} of {tree:?}", root.edition);
    }
}
