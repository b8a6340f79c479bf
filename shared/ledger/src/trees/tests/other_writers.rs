//! Calls that meet another writer, or eventual reads that are late.

use super::memory_table::{MemoryTable, at_once};
use super::{at, directory_value, org_id, org_tree};
use crate::fixtures::{facet_key, posting_at};
use crate::table::{Consistency, NewValue, ValueName};
use crate::tree::{NodeRef, TreeRoot};
use crate::{
    ALL_KEYS, Directory, DirectoryBucket, ReviewSet, RootEditions, TreeKey, bucket_of, directory_hash, root_value,
};
use presence_domain::review::FACET_KEY_COUNT;

#[test]
fn editions_are_added_to_a_bucket_that_another_writer_puts_meanwhile() {
    let table = MemoryTable::default();
    let city = TreeKey { set: ReviewSet::City(org_id(), "lyon".to_owned()), facet_key: None };
    let number = bucket_of(&city);
    let other = DirectoryBucket { edition: 1, editions: [(0, 3)].into() };
    let other = NewValue { number: other.edition, bytes: other.encode(), oldest: None };
    table.store_later(ValueName::Bucket(org_id(), number), other);
    let editions = RootEditions::from([(city.clone(), 5)]);
    let directory = at_once(table.trees().raise_directory(org_id(), &editions, &at(0))).expect("a directory");
    assert_eq!(directory.bucket_editions[number], 2);
    let buckets = at_once(table.trees().get_buckets(org_id(), &[number], Consistency::Strong)).expect("a bucket");
    assert_eq!(buckets, [DirectoryBucket { edition: 2, editions: [(0, 3), (directory_hash(&city), 5)].into() }]);
}

#[test]
fn numbers_are_merged_into_a_directory_that_another_writer_puts_meanwhile() {
    let table = MemoryTable::default();
    let other = Directory { edition: 1, trimmed_to: at(9), org_edition: 4, ..Directory::default() };
    table.store_later(ValueName::Directory(org_id()), directory_value(&other));
    let editions = RootEditions::from([(org_tree(), 6)]);
    let directory = at_once(table.trees().raise_directory(org_id(), &editions, &at(7))).expect("a directory");
    assert_eq!(directory, Directory { edition: 2, org_edition: 6, ..other });
}

#[test]
fn editions_of_facet_trees_are_named_in_a_root_that_another_writer_puts_meanwhile() {
    let (table, tree) = (MemoryTable::default(), org_tree());
    let value = |edition, named| {
        let facet_editions = Some(vec![named; FACET_KEY_COUNT]);
        root_value(&TreeRoot { edition, facet_editions, ..TreeRoot::empty() })
    };
    table.store(ValueName::Root(&tree), value(7, 2));
    table.store_later(ValueName::Root(&tree), value(8, 3));
    let edition = at_once(table.trees().name_facet_editions(&tree.set, &[(facet_key(), 5)])).expect("a root");
    assert_eq!(edition, Some(9));
    let root = at_once(table.trees().read_root(&tree)).expect("a root");
    let editions = root.facet_editions.expect("facet trees");
    assert_eq!(editions[..9], [3, 3, 3, 3, 3, 3, 3, 5, 3]);
}

#[test]
fn postings_of_a_root_that_is_ahead_of_the_log_are_read_with_the_next_log() {
    let (table, tree) = (MemoryTable::default(), org_tree());
    let root = TreeRoot { edition: 1, position: at(1), recent: vec![posting_at(10)], ..TreeRoot::empty() };
    table.store(ValueName::Root(&tree), root_value(&root));
    let directory = Directory { edition: 1, trimmed_to: at(1), ..Directory::default() };
    table.store_later(ValueName::Directory(org_id()), directory_value(&directory));
    let postings = at_once(table.trees().postings_of_tree(&tree, ALL_KEYS)).expect("postings");
    assert_eq!(postings, [posting_at(10)]);
}

#[test]
fn nodes_that_an_eventual_read_misses_are_read_strongly_and_no_others() {
    let (table, tree) = (MemoryTable::default(), org_tree());
    let nodes = [1, 2, 3].map(|slot| NodeRef { slot, stamp: 4 });
    table.store_node(&tree, nodes[0], vec![1]);
    table.store_node(&tree, nodes[1], vec![2]);
    table.hide(ValueName::Slot(&tree, nodes[1].slot));
    let expected: [Option<&[u8]>; 3] = [Some(&[1]), Some(&[2]), None];
    for (number, reads) in
        [(1, vec![(Consistency::Eventual, 1)]), (3, vec![(Consistency::Eventual, 3), (Consistency::Strong, 2)])]
    {
        let names: Vec<_> = nodes[..number].iter().map(|node| (&tree, *node)).collect();
        let found = at_once(table.trees().get_nodes(&names)).expect("an answer");
        assert_eq!(found.iter().map(Option::as_deref).collect::<Vec<_>>(), expected[..number]);
        assert_eq!(table.take_reads(), reads, "{number} nodes");
    }
}
