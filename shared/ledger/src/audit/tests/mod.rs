//! Audits of trees in memory: what is certainly wrong, and how it is corrected.

mod memory_org;

use std::sync::atomic::Ordering;

use self::memory_org::{NO_FACETS, Org, business_id, business_tree, city_tree, facet_tree, org_tree, review, reviews};
use super::{Difference, WrongTree};
use crate::TreeKey;
use crate::fixtures::place;
use crate::table::Consistency;
use crate::tree::TreeRoot;
use crate::trees::tests::memory_table::at_once;

fn names(wrong: &[WrongTree]) -> Vec<&TreeKey> {
    wrong.iter().map(|wrong| &wrong.view.tree).collect()
}

fn lose_newest(root: &mut TreeRoot) {
    root.recent.pop();
}

fn lose_copy(root: &mut TreeRoot) {
    root.oldest.postings.pop();
}

#[test]
fn trees_that_are_right_do_not_differ_and_are_read_once() {
    let org = Org::of(&reviews(), NO_FACETS);
    let listing = org.listing();
    let differs = || at_once(org.auditor().differs_from_index(&listing)).expect("an audit");
    org.table.take_reads();
    assert!(!differs());
    let reads = org.table.take_reads();
    let of_roots = reads.iter().filter(|read| **read == (Consistency::Strong, 4)).count();
    assert_eq!(of_roots, 1, "the organisation, its city and two businesses: {reads:?}");
    org.damage(&business_tree("b1"), lose_newest);
    assert!(differs());
}

#[test]
fn what_the_index_shows_late_is_no_difference_and_takes_one_look() {
    let mut org = Org::of(&reviews(), NO_FACETS);
    org.items.listed[0].version = 0;
    // This one does not exist any more.
    org.items.listed.push(review(9, "b1"));
    assert!(org.wrong_trees().is_empty());
    assert_eq!(org.items.reads.load(Ordering::Relaxed), 2, "before and after the look");
}

#[test]
fn a_review_that_a_tree_lacks_is_certain_beside_one_that_keeps_changing() {
    let mut org = Org::of(&reviews(), NO_FACETS);
    org.damage(&business_tree("b1"), lose_newest);
    org.damage(&business_tree("b2"), lose_newest);
    let [steady, busy] = [review(5, "b1"), review(4, "b2")];
    org.items.busy = Some(busy.id);
    let wrong = org.wrong_trees();
    assert_eq!(names(&wrong), [&business_tree("b1")]);
    let lacking = Difference { id: steady.id, found: None, expected: Some(steady.posting()) };
    assert_eq!(wrong[0].differences, [lacking]);
}

#[test]
fn a_root_that_is_older_than_the_edition_that_is_named_is_wrong() {
    for tree in [org_tree(), city_tree(), facet_tree()] {
        let org = Org::of(&reviews(), 1);
        org.damage(&tree, |root| root.edition = 0);
        let wrong = org.wrong_trees();
        assert_eq!(names(&wrong), [&tree]);
        assert_eq!(wrong[0].view.faults, ["the root has edition 0, and edition 1 is named"], "{tree:?}");
    }
}

#[test]
fn a_tree_is_corrected_and_its_next_edition_is_named() {
    type Damage = fn(&mut TreeRoot);
    let (newest, copy): (Damage, Damage) = (lose_newest, lose_copy);
    for (tree, damage) in [(business_tree("b1"), newest), (facet_tree(), newest), (org_tree(), copy)] {
        let org = Org::of(&reviews(), 1);
        assert_eq!((org.root(&tree).edition, org.named_edition(&tree)), (1, 1), "{tree:?}");
        org.damage(&tree, damage);
        let wrong = org.wrong_trees();
        assert_eq!(names(&wrong), [&tree]);
        assert_eq!(org.mend(&wrong, 0), 1, "{tree:?}");
        assert!(org.wrong_trees().is_empty(), "{tree:?}");
        assert_eq!((org.root(&tree).edition, org.named_edition(&tree)), (2, 2), "{tree:?}");
    }
}

#[test]
fn sets_are_rebuilt_if_trees_that_can_be_read_name_all_reviews() {
    let (of_org, of_city, of_business) = (org_tree(), city_tree(), business_tree("b1"));
    let (staying, leaving) = (Some(place().city_key), None);
    for (damaged, city_key, is_rebuilt) in [
        (vec![&of_city], &staying, true),
        (vec![&of_org, &of_city], &staying, true),
        (vec![&of_org, &of_business], &staying, true),
        (vec![&of_org, &of_business], &leaving, false),
        (vec![&of_org, &of_city, &of_business], &staying, false),
    ] {
        let mut org = Org::of(&reviews(), NO_FACETS);
        org.items.businesses = vec![(business_id("b1"), city_key.clone()), (business_id("b2"), staying.clone())];
        for tree in &damaged {
            org.garble(tree);
        }
        let wrong = org.wrong_trees();
        assert_eq!(names(&wrong), damaged);
        // The index lists nothing yet.
        org.items.listed.clear();
        let mended = if is_rebuilt { damaged.len() } else { 0 };
        assert_eq!(org.mend(&wrong, reviews().len()), mended, "{damaged:?}, {city_key:?}");
        org.items.listed = reviews();
        assert_eq!(org.wrong_trees().len(), damaged.len() - mended, "{damaged:?}, {city_key:?}");
    }
}

#[test]
fn without_a_limit_sets_are_rebuilt_from_all_pages_of_the_index() {
    let mut org = Org::of(&reviews(), NO_FACETS);
    let city_key = Some(place().city_key);
    org.items.businesses = vec![(business_id("b1"), city_key.clone()), (business_id("b2"), city_key)];
    for tree in [org_tree(), city_tree(), business_tree("b1"), business_tree("b2")] {
        org.garble(&tree);
    }
    let wrong = org.wrong_trees();
    assert_eq!([org.mend(&wrong, usize::MAX - 1), org.mend(&wrong, usize::MAX)], [0, 4]);
    assert!(org.wrong_trees().is_empty());
}

#[test]
fn the_limit_of_a_rebuild_counts_reviews_of_trees_and_of_the_index() {
    let reviews = reviews();
    for (max_reviews, mended) in [(5, 1), (4, 0)] {
        let mut org = Org::of(&reviews[..3], NO_FACETS);
        org.garble(&city_tree());
        let wrong = org.wrong_trees();
        // The trees lack the last two, and the index lists no others.
        org.items.stored.clone_from(&reviews);
        org.items.listed = reviews[3..].to_vec();
        assert_eq!(org.mend(&wrong, max_reviews), mended, "at most {max_reviews}");
    }
}

#[test]
fn a_rebuild_reads_and_counts_a_review_once_that_trees_and_index_name() {
    let org = Org::of(&reviews(), NO_FACETS);
    org.garble(&city_tree());
    let wrong = org.wrong_trees();
    org.items.reads.store(0, Ordering::Relaxed);
    assert_eq!(org.mend(&wrong, reviews().len()), 1);
    assert_eq!(org.items.reads.load(Ordering::Relaxed), 1);
}

#[test]
fn a_root_that_counts_too_many_reviews_is_all_that_a_rebuild_reads() {
    let rebuild = |max_reviews| {
        let org = Org::of(&reviews(), NO_FACETS);
        org.garble(&city_tree());
        let wrong = org.wrong_trees();
        org.table.take_reads();
        let mended = org.mend(&wrong, max_reviews);
        (mended, org.table.take_reads())
    };
    assert_eq!(rebuild(4), (0, vec![(Consistency::Strong, 1)]));
    let [(with_limit, reads), (without, other_reads)] = [rebuild(100), rebuild(usize::MAX)];
    assert_eq!([with_limit, without], [1, 1]);
    assert_eq!(reads.len(), other_reads.len() + 1, "without a limit, the count of the root is not read before");
}
