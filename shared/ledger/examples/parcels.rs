//! Counts and pages 100,000 parcels: the trees of the ledger with items that are no reviews, over nodes in memory.
//!
//! `cargo run --package presence-ledger --example parcels`

#![expect(clippy::print_stdout, reason = "the program shows what it finds")]

use std::collections::HashMap;

use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};
use presence_ledger::tree::{
    DecodeError, MonthCounts, NodeRef, RootSummary, TreeEdit, TreeLimits, TreeRoot, decode_root, encode_root,
    stream_tree,
};
use presence_ledger::{
    CalendarUnit, FoundPage, LogPosition, PageSearch, Posting, PostingFilter, PostingKey, ReviewNumber, StatsSearch,
    TreeDelta,
};

/// Number of parcels.
const PARCELS: u64 = 100_000;
/// Limits of the tree: its root has up to 512 parcels itself.
const LIMITS: TreeLimits = TreeLimits { recent_max: 512, oldest_max: 0, period_split: 64 };
/// 2020-01-01.
const FIRST_SECOND: i64 = 1_577_836_800;
const SECONDS_OF_FIVE_YEARS: u64 = 5 * 365 * 86_400;

/// State of a parcel, as the number of its facet key.
const DELIVERED: u8 = 0;
const UNDER_WAY: u8 = 1;
const LOST: u8 = 2;

/// Tree in memory: its root in binary form, its nodes by name, and the number of nodes that were read.
struct StoredTree {
    root: Vec<u8>,
    nodes: HashMap<NodeRef, Vec<u8>>,
    reads: usize,
}

fn posting(number: u64, second: i64, state: u8) -> Posting {
    let facet_key = FacetKey::from_number(state).expect("a number below 90");
    Posting { key: PostingKey { effective_at: second, id: ReviewNumber::new(number) }, facet_key, version: 1 }
}

/// Returns the parcels in the order in which they were sent.
fn parcels() -> Vec<Posting> {
    let parcel = |number: u64| {
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let state = match random % 1_000 {
            0 => LOST,
            1..=40 => UNDER_WAY,
            _ => DELIVERED,
        };
        posting(number, FIRST_SECOND + (random % SECONDS_OF_FIVE_YEARS).cast_signed(), state)
    };
    let mut parcels: Vec<Posting> = (0..PARCELS).map(parcel).collect();
    parcels.sort_unstable();
    parcels
}

fn parcels_in(state: u8) -> PostingFilter {
    let mask = FacetMask::from_iter(FacetKey::from_number(state));
    PostingFilter { mask, from: None, to: None }
}

impl StoredTree {
    /// Builds the tree in one pass over the counted parcels.
    fn build(parcels: &[Posting]) -> Result<Self, DecodeError> {
        let mut months = MonthCounts::default();
        for parcel in parcels {
            months.add(parcel);
        }
        let mut nodes = HashMap::new();
        let root = stream_tree(&months, parcels.iter().copied().map(Ok), LIMITS, |bytes| Ok(put(&mut nodes, bytes)))?;
        Ok(Self { root: encode_root(&root), nodes, reads: 0 })
    }

    fn node(&mut self, name: NodeRef) -> Result<&[u8], DecodeError> {
        self.reads += 1;
        self.nodes.get(&name).map(Vec::as_slice).ok_or(DecodeError("a node that is missing"))
    }

    /// Returns a page of the parcels that the filter admits, newest first, and their number.
    fn page(&mut self, filter: PostingFilter, page: u64, changes: &TreeDelta) -> Result<FoundPage, DecodeError> {
        let mut search = PageSearch::new(filter, true, PageRequest { page, size: 5 });
        search.add_tree(&RootSummary::decode(&self.root, filter.mask)?, changes);
        loop {
            let needed = search.needed_nodes();
            if needed.is_empty() {
                return Ok(search.finish());
            }
            // A table reads all of them at once.
            for node in needed {
                search.insert_node(node, self.node(node.node)?)?;
            }
        }
    }

    /// Returns the number of the parcels that the filter admits by year.
    fn years(&mut self, filter: PostingFilter) -> Result<Vec<(i64, i64)>, DecodeError> {
        let mut search = StatsSearch::new(filter, Some(CalendarUnit::Year), 100);
        search.add_tree(0, &decode_root(&self.root)?, &TreeDelta::default());
        loop {
            let needed: Vec<_> = search.needed_nodes().collect();
            if needed.is_empty() {
                let groups = search.finish()?.unwrap_or_default();
                return Ok(groups.into_iter().map(|(year, counts)| (year, counts.count(filter.mask))).collect());
            }
            for node in needed {
                search.insert_node(node, self.node(node.node)?)?;
            }
        }
    }

    /// Brings changes into the tree: nodes first, and then the root that names them.
    fn fold(&mut self, changes: &TreeDelta) -> Result<(), DecodeError> {
        let root: TreeRoot = decode_root(&self.root)?;
        let edition = root.edition + 1;
        let mut edit = TreeEdit::new(root, changes, LogPosition::default(), LIMITS);
        loop {
            let missing = edit.missing_nodes();
            if missing.is_empty() {
                break;
            }
            for name in missing {
                edit.insert_node(name, self.node(name)?)?;
            }
        }
        let mut edited = edit.finish()?;
        let leaves: Vec<NodeRef> = edited.new_leaves().map(|bytes| put(&mut self.nodes, bytes)).collect();
        edited.name_leaves(&leaves);
        let branches: Vec<NodeRef> = edited.new_branches().map(|bytes| put(&mut self.nodes, bytes)).collect();
        edited.name_branches(&branches);
        self.root = encode_root(&edited.into_root(edition, Vec::new()));
        Ok(())
    }
}

/// Stores a node in the next slot.
fn put(nodes: &mut HashMap<NodeRef, Vec<u8>>, bytes: Vec<u8>) -> NodeRef {
    let name = NodeRef { slot: u32::try_from(nodes.len()).expect("few nodes"), stamp: 0 };
    nodes.insert(name, bytes);
    name
}

/// Returns the change of a log that no tree has yet: a parcel that was under way is lost.
fn lose(parcel: Posting) -> TreeDelta {
    let lost = posting(parcel.key.id.get(), parcel.key.effective_at, LOST);
    TreeDelta { removed: HashMap::from([(parcel.key.id, parcel)]), added: vec![Posting { version: 2, ..lost }] }
}

fn main() -> Result<(), DecodeError> {
    let mut tree = StoredTree::build(&parcels())?;
    println!("{PARCELS} parcels: a root of {} bytes and {} nodes", tree.root.len(), tree.nodes.len());
    for (name, state) in [("delivered", DELIVERED), ("under way", UNDER_WAY), ("lost", LOST)] {
        for page in [1, 7] {
            tree.reads = 0;
            let FoundPage { count, postings, .. } = tree.page(parcels_in(state), page, &TreeDelta::default())?;
            let numbers: Vec<u64> = postings.iter().map(|(_, parcel)| parcel.key.id.get()).collect();
            println!("{count} {name}, page {page}: {numbers:?}, {} nodes read", tree.reads);
        }
    }
    tree.reads = 0;
    let years = tree.years(parcels_in(UNDER_WAY))?;
    println!("under way by year: {years:?}, {} nodes read", tree.reads);

    let newest = tree.page(parcels_in(UNDER_WAY), 1, &TreeDelta::default())?.postings[0].1;
    let change = lose(newest);
    let count = tree.page(parcels_in(LOST), 1, &change)?.count;
    println!("{count} lost by the tree and the log");
    tree.fold(&change)?;
    let count = tree.page(parcels_in(LOST), 1, &TreeDelta::default())?.count;
    println!("{count} lost by the tree after the fold");
    Ok(())
}

#[test]
fn pages_and_counts_are_those_of_a_list() -> Result<(), DecodeError> {
    let mut parcels = parcels();
    let mut tree = StoredTree::build(&parcels)?;
    for is_folded in [false, true] {
        for state in [DELIVERED, UNDER_WAY, LOST] {
            let filter = parcels_in(state);
            let newest_first = || parcels.iter().rev().filter(|parcel| filter.admits(parcel));
            for page in [1, 7, 2_000] {
                tree.reads = 0;
                let found = tree.page(filter, page, &TreeDelta::default())?;
                let skipped = usize::try_from(page - 1).expect("a small number") * 5;
                assert!(found.postings.iter().map(|(_, parcel)| parcel).eq(newest_first().skip(skipped).take(5)));
                assert_eq!(found.count, newest_first().count() as u64, "state {state}, folded: {is_folded}");
                assert!(tree.reads <= 12, "{} of {} nodes", tree.reads, tree.nodes.len());
            }
            let years = tree.years(filter)?;
            assert_eq!(years.iter().map(|(_, count)| count.unsigned_abs()).sum::<u64>(), newest_first().count() as u64);
        }
        // The last parcel that is under way is lost.
        let last = parcels.iter().rposition(|parcel| parcels_in(UNDER_WAY).admits(parcel)).expect("a parcel");
        let change = lose(parcels[last]);
        parcels[last] = change.added[0];
        let counted = tree.page(parcels_in(LOST), 1, &change)?.count;
        assert_eq!(counted, parcels.iter().filter(|parcel| parcels_in(LOST).admits(parcel)).count() as u64);
        tree.fold(&change)?;
    }
    Ok(())
}
