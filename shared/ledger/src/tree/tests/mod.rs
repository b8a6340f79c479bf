//! Edits and builds of trees, held against a list of all postings.

mod damage;
mod edits;
mod history;
mod stored_tree;

use std::sync::LazyLock;

use proptest::prelude::*;

use self::history::{History, Step, steps};
use self::stored_tree::{EditCost, StoredTree, month_start};
use super::layout::{BRANCH_MAX, PLAIN_LEAVES_MAX};
use super::{LEAF_MAX, OldestPostings, PeriodNodes};
use crate::{LogPosition, ReviewSet, TreeDelta, TreeKey};
use presence_domain::ids::OrgId;

fn tree_key() -> TreeKey {
    TreeKey { set: ReviewSet::Org(OrgId::new(42).expect("an organisation")), facet_key: None }
}

/// Edits a tree to a position of the log.
fn catch_up(tree: &mut StoredTree, history: &History, position: LogPosition) -> EditCost {
    let delta = TreeDelta::between(&tree_key(), &history.entries, &tree.root.position, &position);
    tree.apply(&delta, position)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn edited_tree_has_the_postings_of_a_list_and_a_proper_shape(
        steps in steps(14), seed: u64, recent_max in prop::sample::select(vec![8_usize, 64, 512]),
        percents in prop::collection::vec(0_u64..=100, 14),
    ) {
        let mut history = History::new(seed);
        let mut tree = StoredTree::empty(recent_max);
        for (batch, percent) in steps.iter().zip(percents) {
            history.play_all(batch);
            let position = history.part_way(tree.root.position, percent);
            catch_up(&mut tree, &history, position);
            tree.check(&history.model_at(position));
        }
        catch_up(&mut tree, &history, history.position);
        tree.check(&history.model());
        StoredTree::build(&history.model(), recent_max, history.position).check(&history.model());
    }

    #[test]
    fn streamed_tree_is_laid_out_as_a_built_one(
        steps in steps(6), seed: u64, recent_max in prop::sample::select(vec![1_usize, 8, 64, 512]),
    ) {
        let mut history = History::new(seed);
        for batch in &steps {
            history.play_all(batch);
        }
        check_stream(&history, recent_max);
    }

    #[test]
    fn two_edits_from_one_root_write_different_nodes(
        steps in steps(6), first in steps(2), second in steps(2), seed: u64,
    ) {
        let mut history = History::new(seed);
        let mut tree = StoredTree::empty(64);
        for batch in &steps {
            history.play_all(batch);
            catch_up(&mut tree, &history, history.position);
        }
        let mut edits = Vec::new();
        for steps in [first, second] {
            let mut branch = history.clone();
            branch.play_all(&steps.concat());
            let delta = TreeDelta::between(&tree_key(), &branch.entries, &tree.root.position, &branch.position);
            edits.push((tree.edit(&delta, branch.position).0, branch));
        }
        // The store of nodes asserts that no name is used twice. Neither edit overwrites a node of the other one, or of their root.
        let mut roots = Vec::new();
        for (edited, branch) in edits {
            let (root, _) = tree.nodes.write(edited, tree.root.edition + 1);
            roots.push((root, branch));
        }
        tree.check_postings(&history.model());
        for (root, branch) in roots {
            tree.root = root;
            tree.check_postings(&branch.model());
        }
    }
}

/// Checks that a stream of postings gives the tree that a build of them gives, except for the names of nodes.
fn check_stream(history: &History, recent_max: usize) {
    let model = history.model();
    let (built, streamed) =
        (StoredTree::build(&model, recent_max, history.position), StoredTree::stream(&model, recent_max));
    streamed.check(&model);
    assert_eq!(streamed.layout(), built.layout());
    assert!(streamed.root.oldest.postings.starts_with(&built.root.oldest.postings), "a stream reads on for copies");
    assert_eq!((streamed.root.recent_start, &streamed.root.recent), (built.root.recent_start, &built.root.recent));
}

#[test]
fn day_of_150_000_reviews_is_streamed() {
    check_stream(&dense(150_000, 24).1, 512);
    check_stream(&History::new(1), 512);
}

/// Returns a tree of reviews that fill some hours of a month evenly, and its history.
fn dense(reviews: i64, hours: i64) -> (StoredTree, History) {
    let mut history = History::new(1);
    for number in 0..reviews {
        history.add(month_start(12) + number * hours * 3_600 / reviews);
    }
    history.forget();
    let tree = StoredTree::build(&history.model(), 512, history.position);
    assert_eq!(tree.root.position, history.position);
    (tree, history)
}

/// Returns a tree of 72 years with one review each, and its history. The root holds the last 32 itself.
fn yearly() -> (StoredTree, History) {
    let mut history = History::new(1);
    (-72..0).for_each(|year| history.add(month_start(12 * year)));
    (StoredTree::build(&history.model(), 64, history.position), history)
}

/// Tree whose first period has two branches, and its history.
static TWO_BRANCHES: LazyLock<(StoredTree, History)> = LazyLock::new(|| dense(90_000, 240));

#[test]
fn day_of_300_000_reviews_is_built_and_edited() {
    let (mut tree, mut history) = dense(300_000, 24);
    for step in [
        Step::Burst { month: 12, reviews: 30_000 },
        Step::Spread { month: 12, months: 1, reviews: 1_000 },
        Step::Change { every: 1_000 },
    ] {
        history.play(&step);
        catch_up(&mut tree, &history, history.position);
        history.forget();
    }
    tree.check(&history.model());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn branches_are_cut_and_merged_as_hours_fill_and_empty(
        slices in prop::collection::vec((0_i64..200, 1_i64..120, prop::sample::select(vec![2_usize, 20, 300, 100_000])), 1..7),
        reviews in 1_usize..20_000, seed: u64,
    ) {
        let (mut tree, mut history) = TWO_BRANCHES.clone();
        for (index, (start, hours, keep_every)) in slices.into_iter().enumerate() {
            history.play(&Step::DeleteHours { month: 12, hours: start..start + hours, keep_every });
            if (seed >> index) & 1 == 1 {
                history.play(&Step::Spread { month: 12, months: 1, reviews });
            }
            catch_up(&mut tree, &history, history.position);
            tree.check(&history.model());
            history.forget();
        }
    }
}

/// Returns the number of branches of the first period.
fn branches(tree: &StoredTree) -> usize {
    match &tree.root.periods[0].nodes {
        PeriodNodes::Leaves(_) => 0,
        PeriodNodes::Branches(branches) => branches.len(),
    }
}

#[test]
fn branch_that_gets_small_is_merged_with_one_that_does_not_change() {
    let (mut tree, mut history) = TWO_BRANCHES.clone();
    assert_eq!(branches(&tree), 2);
    history.play(&Step::DeleteHours { month: 12, hours: 0..115, keep_every: 100_000 });
    catch_up(&mut tree, &history, history.position);
    assert_eq!(branches(&tree), 1);
    tree.check(&history.model());
}

#[test]
fn new_reviews_write_no_full_leaf_again() {
    let mut history = History::new(7);
    let mut tree = StoredTree::empty(512);
    let (mut leaves, mut appended) = (0, 0);
    for _ in 0..60 {
        history.play(&Step::Append { reviews: 512, apart: 20 });
        let cost = catch_up(&mut tree, &history, history.position);
        assert!(cost.reads <= PLAIN_LEAVES_MAX && cost.leaves <= 4 && cost.branches <= 1, "{cost:?}");
        (leaves, appended) = (leaves + cost.leaves, appended + 512);
    }
    tree.check(&history.model());
    assert!(leaves <= appended * 2 / LEAF_MAX, "{leaves} leaves for {appended} reviews");
    let live = tree.live_nodes().len();
    assert!(live <= appended / LEAF_MAX + 6, "leaves are full: {live} nodes for {appended} reviews");
}

#[test]
fn new_reviews_fill_the_last_branch_before_another_one_begins() {
    let (mut tree, mut history) = dense(57_000, 24);
    assert_eq!(branches(&tree), 1);
    (0..15_000).for_each(|number| history.add(month_start(13) - 15_000 + number));
    catch_up(&mut tree, &history, history.position);
    tree.check(&history.model());
    let totals: Vec<i64> = match &tree.root.periods[0].nodes {
        PeriodNodes::Leaves(_) => Vec::new(),
        PeriodNodes::Branches(branches) => branches.iter().map(|branch| branch.counts.total()).collect(),
    };
    // 256 of 276 leaves, and the others.
    assert!(totals.len() == 2 && totals[0] > 5 * totals[1], "{totals:?}");
}

#[test]
fn edit_reads_and_writes_only_what_changes() {
    let (mut tree, mut history) = dense(100_000, 24);
    assert!(branches(&tree) > 100_000 / LEAF_MAX / BRANCH_MAX);
    history.add(month_start(12) + 40_000);
    let cost = catch_up(&mut tree, &history, history.position);
    assert_eq!((cost.reads, cost.branches), (2, 1), "a branch and a leaf");
    assert!(cost.leaves <= 2);
    tree.check(&history.model());
}

#[test]
fn root_without_copies_of_its_oldest_postings_gets_them_with_the_next_change() {
    let (mut tree, mut history) = dense(100_000, 24);
    let copies = std::mem::replace(&mut tree.root.oldest, OldestPostings::NONE);
    assert_eq!(copies.postings.len(), 48);
    history.add(month_start(13));
    let cost = catch_up(&mut tree, &history, history.position);
    assert_eq!((cost.reads, cost.leaves), (2, 0), "the first branch and its first leaf");
    assert_eq!(tree.root.oldest, copies);
    history.add(month_start(13));
    assert_eq!(catch_up(&mut tree, &history, history.position).reads, 0);
}

#[test]
fn copies_of_deleted_reviews_are_replaced_from_the_leaf_that_changes() {
    let (mut tree, mut history) = dense(100_000, 24);
    let mut without = tree.clone();
    history.play(&Step::DeleteHours { month: 12, hours: 0..1, keep_every: 130 });
    let cost = catch_up(&mut tree, &history, history.position);
    tree.check(&history.model());
    assert_eq!(tree.root.oldest.postings.len(), 48);
    without.limits.oldest_max = 0;
    assert_eq!(cost.reads, catch_up(&mut without, &history, history.position).reads, "no leaf more is read");
}

#[test]
fn older_reviews_take_the_place_of_later_copies() {
    let (mut tree, mut history) = dense(1_000, 24);
    history.play(&Step::Spread { month: 3, months: 1, reviews: 40 });
    catch_up(&mut tree, &history, history.position);
    tree.check(&history.model());
    assert_eq!(tree.root.oldest.postings.len(), 48);
    assert!(tree.root.oldest.postings[39].key.effective_at < month_start(4));
}
