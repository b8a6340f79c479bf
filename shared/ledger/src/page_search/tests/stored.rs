//! Trees of a test in their stored form.

use std::collections::HashMap;

use crate::page_search::{FoundPage, NodeKind, PageSearch};
use crate::tree::{NodeRef, OldestPostings, RootSummary, TreeLimits, TreeRoot, build_tree, encode_root};
use crate::{LogPosition, Posting, PostingKey, ReviewNumber, TreeDelta};
use presence_domain::review::{FACET_KEY_COUNT, FacetKey};

use super::model::{TestSearch, node_number};

/// Tree as the store has it.
pub(crate) struct StoredTree {
    pub(crate) root: Vec<u8>,
    pub(super) oldest: OldestPostings,
    pub(crate) nodes: HashMap<NodeRef, Vec<u8>>,
}

/// Result of a search, and the reads that it took.
pub(super) struct Search {
    pub(super) found: FoundPage,
    /// Number of leaves.
    pub(super) leaves: usize,
    /// Number of 4 KB blocks of all nodes.
    pub(super) blocks: usize,
    pub(super) rounds: usize,
}

/// Returns postings in the months of five years, of which one facet key in 700 has two in a thousand, and key 0 the most.
pub(crate) fn postings(number: u64) -> Vec<Posting> {
    let mut seed = 42_u64;
    let mut random = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let posting = |number: u64| {
        let effective_at = 1_577_836_800 + random(5 * 365 * 86_400).cast_signed();
        let facet_key = match random(1_000) {
            0 => 7,
            1 => 8,
            2..=100 => 9,
            101..=300 => 10 + u8::try_from(random(20)).expect("a small number"),
            _ => 0,
        };
        let facet_key = FacetKey::from_number(facet_key).expect("a number below 90");
        Posting { key: PostingKey { effective_at, id: ReviewNumber::new(number) }, facet_key, version: 1 }
    };
    let mut postings: Vec<_> = (0..number).map(posting).collect();
    postings.sort_unstable();
    postings
}

impl StoredTree {
    /// Builds a tree whose root has no copies of its oldest postings.
    pub(crate) fn new(postings: Vec<Posting>, recent_max: usize, has_facet_trees: bool) -> Self {
        Self::with_limits(postings, TreeLimits { recent_max, oldest_max: 0, period_split: 64 }, has_facet_trees)
    }

    pub(super) fn with_limits(postings: Vec<Posting>, limits: TreeLimits, has_facet_trees: bool) -> Self {
        let mut tree = build_tree(postings, LogPosition::default(), limits);
        let mut nodes = HashMap::new();
        let mut write = |written: Vec<Vec<u8>>| -> Vec<NodeRef> {
            let named = written.into_iter().map(|bytes| {
                let node = node_number(nodes.len());
                nodes.insert(node, bytes);
                node
            });
            named.collect()
        };
        let names = write(tree.new_leaves().collect());
        tree.name_leaves(&names);
        let names = write(tree.new_branches().collect());
        tree.name_branches(&names);
        let facet_editions = has_facet_trees.then(|| vec![1; FACET_KEY_COUNT]);
        let root = TreeRoot { facet_editions, ..tree.into_root(1, Vec::new()) };
        Self { root: encode_root(&root), oldest: root.oldest, nodes }
    }
}

/// Returns a search with these trees, and their roots.
pub(super) fn start(trees: &[StoredTree], search: &TestSearch) -> (PageSearch, Vec<RootSummary>) {
    let mut page_search = PageSearch::new(search.filter, search.newest_first, search.page);
    let root = |tree: &StoredTree| {
        let root = RootSummary::decode(&tree.root, search.filter.mask).expect("a root");
        RootSummary { oldest: tree.oldest.clone(), ..root }
    };
    let roots: Vec<_> = trees.iter().map(root).collect();
    for root in &roots {
        page_search.add_tree(root, &TreeDelta::default());
    }
    (page_search, roots)
}

/// Searches, and reads every node that is needed as far as counts tell.
pub(super) fn run(trees: &[StoredTree], search: &TestSearch) -> Search {
    run_rounds(trees, search, false)
}

/// Searches, and reads the likely leaves first.
pub(super) fn run_estimated(trees: &[StoredTree], search: &TestSearch) -> Search {
    run_rounds(trees, search, true)
}

fn run_rounds(trees: &[StoredTree], search: &TestSearch, may_estimate: bool) -> Search {
    let (mut page_search, _) = start(trees, search);
    let (mut leaves, mut blocks, mut rounds) = (0, 0, 0);
    loop {
        let needed = page_search.needed_nodes();
        if needed.is_empty() {
            return Search { found: page_search.finish(), leaves, blocks, rounds };
        }
        let likely = if may_estimate && rounds == 0 { page_search.likely_leaves() } else { None };
        rounds += 1;
        for node in likely.unwrap_or(needed) {
            let bytes = &trees[node.tree].nodes[&node.node];
            leaves += usize::from(node.kind == NodeKind::Leaf);
            blocks += bytes.len().div_ceil(4_096);
            page_search.insert_node(node, bytes).expect("a node that fits");
        }
    }
}
