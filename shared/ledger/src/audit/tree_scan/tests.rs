//! Scans of built trees: every posting once, and each damage a fault.

use std::collections::HashMap;

use super::*;
use crate::tree::{TreeLimits, build_tree, encode_leaf};
use crate::{ALL_KEYS, LogPosition, ReviewNumber};
use presence_domain::review::FacetKey;

type Nodes = HashMap<NodeRef, Arc<[u8]>>;

/// 2024-01-01.
const START: i64 = 1_704_067_200;
const DAY: u64 = 86_400;

/// Returns postings of a year, most of them in one month, so that it has branches.
fn postings(rng: &mut fastrand::Rng) -> Vec<Posting> {
    let mut second = |n: u64| {
        let day = if n.is_multiple_of(4) { rng.u64(..365) } else { rng.u64(100..110) };
        START + i64::try_from(day * DAY + rng.u64(..DAY)).expect("small")
    };
    let posting = |n: u64| {
        let key = PostingKey { effective_at: second(n), id: ReviewNumber::new(n) };
        let facet_key = FacetKey::from_number(u8::try_from(n % 90).expect("small")).expect("a facet key");
        Posting { key, facet_key, version: n % 3 + 1 }
    };
    let mut postings: Vec<Posting> = (1..=3_000).map(posting).collect();
    postings.sort_unstable();
    postings
}

/// Builds a tree and names its nodes.
fn tree(postings: Vec<Posting>) -> (TreeRoot, Nodes) {
    let mut built =
        build_tree(postings, LogPosition::default(), TreeLimits { recent_max: 64, oldest_max: 48, period_split: 64 });
    let (mut nodes, mut slot) = (Nodes::new(), 0);
    let mut name = |bytes: Vec<u8>| {
        slot += 1;
        let node = NodeRef { slot, stamp: 0 };
        nodes.insert(node, bytes.into());
        node
    };
    let leaves: Vec<NodeRef> = built.new_leaves().map(&mut name).collect();
    built.name_leaves(&leaves);
    let branches: Vec<NodeRef> = built.new_branches().map(&mut name).collect();
    built.name_branches(&branches);
    (built.into_root(1, Vec::new()), nodes)
}

fn scan(root: &TreeRoot, nodes: &Nodes, range: Range<PostingKey>) -> ScannedRange {
    let mut scan = TreeScan::new(root, range);
    loop {
        let wanted: Vec<_> = scan.wanted().map(|node| nodes.get(&node).cloned()).collect();
        if wanted.is_empty() {
            return scan.finish();
        }
        scan.insert(wanted);
    }
}

#[test]
fn scan_of_any_range_finds_its_postings_and_no_fault() {
    let mut rng = fastrand::Rng::with_seed(3);
    let all = postings(&mut rng);
    let (root, nodes) = tree(all.clone());
    let has_branches = |period: &Period| matches!(period.nodes, PeriodNodes::Branches(_));
    assert!(root.periods.iter().any(has_branches) && !root.periods.iter().all(has_branches));
    assert_eq!(scan(&root, &nodes, ALL_KEYS).postings, all);
    let entries = nodes.values().filter_map(|bytes| decode_branch(bytes).ok()).flatten();
    let mut starts: Vec<PostingKey> = entries.map(|entry| entry.start).collect();
    starts.sort_unstable();
    let mut read = 0;
    for number in 0..200 {
        // Half of the ranges begin and end where leaves do.
        let keys = if number % 2 == 0 {
            [(); 2].map(|()| all[rng.usize(..all.len())].key)
        } else {
            [(); 2].map(|()| starts[rng.usize(..starts.len())])
        };
        let keys = [keys[0].min(keys[1]), keys[0].max(keys[1])];
        let found = scan(&root, &nodes, keys[0]..keys[1]);
        read += found.nodes.len();
        let expected: Vec<Posting> =
            all.iter().filter(|posting| (keys[0]..keys[1]).contains(&posting.key)).copied().collect();
        assert_eq!((found.postings, found.faults), (expected, Vec::new()), "{keys:?}");
    }
    assert_eq!((read, nodes.len()), (1_074, 21), "only what overlaps a range is read");
}

#[test]
fn node_that_is_lost_cannot_be_read_or_lacks_a_posting_is_a_fault() {
    let all = postings(&mut fastrand::Rng::with_seed(4));
    let (root, nodes) = tree(all);
    for node in nodes.keys() {
        let mut without = nodes.clone();
        without.remove(node);
        assert_eq!(scan(&root, &without, ALL_KEYS).faults, [format!("node {:08x} is missing", node.slot)]);
        let garbled: Arc<[u8]> = nodes[node][..nodes[node].len() / 2].into();
        let garbled = Nodes::from([(*node, garbled)]);
        let damaged = nodes.clone().into_iter().chain(garbled).collect();
        assert_eq!(scan(&root, &damaged, ALL_KEYS).faults.len(), 1, "{node:?}");
        if let Ok(mut postings) = decode_leaf(&nodes[node]) {
            postings.remove(postings.len() / 2);
            let lacking = Nodes::from([(*node, encode_leaf(&postings).into())]);
            let damaged = nodes.clone().into_iter().chain(lacking).collect();
            let faults = scan(&root, &damaged, ALL_KEYS).faults;
            assert!(matches!(&faults[..], [fault] if fault.contains(" counts ")), "{node:?}: {faults:?}");
            let mut postings = decode_leaf(&nodes[node]).expect("a leaf");
            postings.last_mut().expect("a posting").key.effective_at = i64::MAX;
            let outside = Nodes::from([(*node, encode_leaf(&postings).into())]);
            let damaged = nodes.clone().into_iter().chain(outside).collect();
            let fault = format!("node {:08x} holds postings out of order", node.slot);
            assert_eq!(scan(&root, &damaged, ALL_KEYS).faults, [fault]);
        }
    }
}

#[test]
fn root_that_contradicts_itself_has_a_fault() {
    let all = postings(&mut fastrand::Rng::with_seed(5));
    let (root, nodes) = tree(all);
    let changes: [fn(&mut TreeRoot); 6] = [
        |root| root.periods.swap(0, 1),
        |root| root.recent.reverse(),
        |root| root.recent.insert(1, root.recent[0]),
        |root| root.recent_start = PostingKey::END,
        |root| {
            let facet_key = root.periods[0].counts.nonzero().next().expect("a posting").0;
            root.periods[0].counts.add(facet_key, 1);
        },
        |root| {
            let branched = root.periods.iter_mut().find_map(|period| match &mut period.nodes {
                PeriodNodes::Branches(branches) => branches.first_mut(),
                PeriodNodes::Leaves(_) => None,
            });
            let branch = branched.expect("a branch");
            let facet_key = branch.counts.nonzero().next().expect("a posting").0;
            branch.counts.add(facet_key, 1);
        },
    ];
    let faults = changes.map(|change| {
        let mut damaged = root.clone();
        change(&mut damaged);
        scan(&damaged, &nodes, ALL_KEYS).faults
    });
    let of_newest = "the newest postings are out of order";
    let expected: [&[&str]; 6] = [
        &["period 2024-01+1 is out of order"],
        &[of_newest],
        &[of_newest],
        &[of_newest],
        &["period 2024-01+1 counts 57 where there are 56, over the facet keys that differ: 1"],
        &[
            "period 2024-04+1 counts 2326 where there are 2327, over the facet keys that differ: 1",
            "node 00000016 counts 2327 where there are 2326, over the facet keys that differ: 1",
        ],
    ];
    assert_eq!(faults, expected);
}

#[test]
fn copies_of_the_oldest_postings_that_differ_from_the_leaves_are_found_in_the_range_that_has_them() {
    let all = postings(&mut fastrand::Rng::with_seed(6));
    let (root, nodes) = tree(all.clone());
    assert_eq!(root.oldest.postings, all[..48]);
    let changes: [fn(&mut TreeRoot); 4] = [
        |root| root.oldest.postings.retain(|posting| posting.version > 1),
        |root| root.oldest.postings[20].version += 1,
        |root| root.oldest.postings.truncate(47),
        |root| root.oldest.end = root.recent_start,
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut damaged = root.clone();
        change(&mut damaged);
        let found = scan(&damaged, &nodes, ALL_KEYS);
        assert!(found.has_wrong_copies && found.faults.is_empty(), "change {number}");
        let is_after = |number: usize| all[number].key >= damaged.oldest.end;
        assert!(!is_after(100) || !scan(&damaged, &nodes, all[100].key..PostingKey::END).has_wrong_copies);
    }
    assert!(!scan(&root, &nodes, ALL_KEYS).has_wrong_copies);
    let fewer = TreeRoot { oldest: OldestPostings { end: all[47].key, postings: all[..47].to_vec() }, ..root };
    assert!(!scan(&fewer, &nodes, ALL_KEYS).has_wrong_copies);
}
