//! The trees of a run: simple ones, or the real code of differences, edits, builds, codecs and searches.

use super::items::{Item, Key, TreeId};
use super::model_tree::{self, Leaves, ModelEdit};
use super::nodes::named;
use super::table::{LostError, SimulatedTable};
use crate::ledger::tree::{
    EditedTree, NodeRef, OldestPostings, PeriodNodes, TreeEdit, TreeLimits, TreeRoot, build_tree, decode_leaf,
    decode_root, encode_leaf, encode_oldest, encode_root,
};
use crate::ledger::{LogEntry, LogPosition, Place, Posting, PostingKey, ReviewNumber, TreeDelta};

/// Trees of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    /// Trees with leaves of three postings, which need many nodes.
    Model,
    /// The trees of the ledger, in their binary form.
    Ledger,
}

/// Sizes of the ledger's trees here: most postings are in nodes.
const LIMITS: TreeLimits = TreeLimits { recent_max: 2, oldest_max: 2, period_split: 64 };

/// Edited tree, with nodes that are not written yet.
#[derive(Debug)]
pub(super) enum Edited {
    Model(Box<ModelEdit>),
    Ledger(Box<EditedTree>),
}

/// Returns the posting of a review.
pub(super) fn posting(id: ReviewNumber, place: &Place, version: u64) -> Posting {
    Posting { key: PostingKey { effective_at: place.effective_at, id }, facet_key: place.facet_key, version }
}

/// Returns the difference of a tree between two positions.
pub(super) fn delta(
    table: &SimulatedTable,
    tree: TreeId,
    entries: &[LogEntry],
    from: &LogPosition,
    to: &LogPosition,
) -> TreeDelta {
    match table.engine {
        Engine::Model => model_tree::delta(&tree.key(), entries, from, to),
        Engine::Ledger => TreeDelta::between(&tree.key(), entries, from, to),
    }
}

/// Applies a difference to a tree, and reads the nodes for it.
pub(super) async fn edit(
    table: &SimulatedTable,
    tree: TreeId,
    root: TreeRoot,
    delta: &TreeDelta,
    position: LogPosition,
) -> Result<Edited, LostError> {
    if table.engine == Engine::Model {
        let mut leaves = Leaves::new();
        for name in model_tree::leaves_to_edit(&root, delta) {
            leaves.insert(name, read_leaf(table, tree, name).await?);
        }
        return Ok(Edited::Model(Box::new(model_tree::edit(table, root, delta, position, &leaves))));
    }
    let stored = decode_root(&encode_root(&root)).expect("a root that was encoded");
    let stored = TreeRoot { oldest: copies_of(&root), ..stored };
    let mut edit = TreeEdit::new(stored, delta, position, LIMITS);
    loop {
        let missing = edit.missing_nodes();
        if missing.is_empty() {
            break;
        }
        for name in missing {
            let bytes = read_for_fold(table, tree, name).await?;
            edit.insert_node(name, &bytes).expect("a node that was encoded");
        }
    }
    let edited = edit.finish().expect("every node was read");
    if edited.mismatches > 0 {
        table.violated("changes do not fit their tree");
    }
    Ok(Edited::Ledger(Box::new(edited)))
}

/// Returns the copies of oldest postings that are stored beside a root.
pub(super) fn copies_of(root: &TreeRoot) -> OldestPostings {
    OldestPostings::read(encode_oldest(root).as_deref(), root.edition)
}

/// Returns the tree of all these postings, which are ascending.
pub(super) fn build(table: &SimulatedTable, postings: Vec<Posting>, position: LogPosition) -> Edited {
    match table.engine {
        Engine::Model => Edited::Model(Box::new(model_tree::build(table, postings, position))),
        Engine::Ledger => Edited::Ledger(Box::new(build_tree(postings, position, LIMITS))),
    }
}

impl Edited {
    /// Returns the binary forms of the leaves to write.
    pub(super) fn new_leaves(&self) -> Vec<Vec<u8>> {
        match self {
            Self::Model(edited) => edited.new_leaves().map(encode_leaf).collect(),
            Self::Ledger(edited) => edited.new_leaves().collect(),
        }
    }

    /// Returns the nodes that the edit replaces, as far as a planted fault needs them.
    pub(super) fn replaced(&self) -> Vec<NodeRef> {
        match self {
            Self::Model(edited) => edited.replaced.clone(),
            Self::Ledger(_) => Vec::new(),
        }
    }

    /// Returns the root to put, whose new leaves have these names.
    pub(super) fn into_root(self, edition: u64, names: &[NodeRef], unused: Vec<NodeRef>) -> TreeRoot {
        match self {
            Self::Model(edited) => {
                let free = unused.into_iter().chain(edited.replaced.iter().copied()).collect();
                TreeRoot { edition, free, ..edited.into_root(names) }
            }
            Self::Ledger(mut edited) => {
                edited.name_leaves(names);
                assert_eq!(edited.new_branches().count(), 0, "the trees are too small for branches");
                edited.into_root(edition, unused)
            }
        }
    }
}

/// Reads a node for a fold. A node that is not there means that the root is not the newest any more.
async fn read_for_fold(table: &SimulatedTable, tree: TreeId, name: NodeRef) -> Result<Vec<u8>, LostError> {
    table.maybe_pause().await;
    named(table.strong(Key::Node(tree, name.slot)).as_ref(), name).map(|node| node.bytes).ok_or(LostError)
}

/// Reads a leaf for a fold.
pub(super) async fn read_leaf(table: &SimulatedTable, tree: TreeId, name: NodeRef) -> Result<Vec<Posting>, LostError> {
    let bytes = read_for_fold(table, tree, name).await?;
    postings_of(table, &bytes)
}

/// Returns the postings of a leaf. A leaf that is none is a violation.
pub(super) fn postings_of(table: &SimulatedTable, bytes: &[u8]) -> Result<Vec<Posting>, LostError> {
    decode_leaf(bytes).map_err(|error| {
        table.violated(error.to_string());
        LostError
    })
}

/// Returns the names of all nodes of a tree.
pub(super) fn nodes_of(root: &TreeRoot) -> Vec<NodeRef> {
    let names = root.periods.iter().flat_map(|period| match &period.nodes {
        PeriodNodes::Leaves(leaves) => leaves.iter().map(|(_, name)| *name).collect(),
        PeriodNodes::Branches(branches) => branches.iter().map(|branch| branch.node).collect::<Vec<_>>(),
    });
    names.collect()
}

/// Returns all postings of the newest root, for the creation of facet trees.
pub(super) async fn all_postings(
    table: &SimulatedTable,
    tree: TreeId,
    root: &TreeRoot,
) -> Result<Vec<Posting>, LostError> {
    let mut postings = Vec::new();
    for name in nodes_of(root) {
        postings.extend(read_leaf(table, tree, name).await?);
    }
    postings.extend(&root.recent);
    Ok(postings)
}

/// Returns the root that an item holds.
pub(super) fn root_of(item: Option<&Item>) -> Option<TreeRoot> {
    match item {
        Some(Item::Root(root)) => Some(root.clone()),
        _ => None,
    }
}
