//! A tree that is simple enough to be right: small leaves, no branches. It stands for the real code of edits and searches.

use std::collections::{BTreeMap, HashMap};

use super::engine::posting;
use super::fault::PlantedFault;
use super::table::SimulatedTable;
use crate::ledger::tree::{MonthSpan, NodeRef, OldestPostings, Period, PeriodNodes, TreeRoot};
use crate::ledger::{
    FacetCounts, LogEntry, LogPosition, Month, Place, Posting, PostingKey, ReviewNumber, TreeDelta, TreeKey,
};

/// Maximum number of postings of a leaf.
const LEAF_MAX: usize = 3;
/// Maximum number of postings that a root holds itself.
const RECENT_MAX: usize = 2;
/// Maximum number of the oldest postings that a root has copies of.
const OLDEST_MAX: usize = 2;

/// Leaves that were read, by name.
pub(super) type Leaves = HashMap<NodeRef, Vec<Posting>>;

/// Tree after an edit.
#[derive(Debug)]
pub(super) struct ModelEdit {
    /// Root without its leaves.
    root: TreeRoot,
    /// Counts of all leaves.
    counts: FacetCounts,
    leaves: Vec<(PostingKey, ModelLeaf)>,
    /// Leaves that the tree does not use any more.
    pub(super) replaced: Vec<NodeRef>,
}

/// Leaf that is stored, or to be written.
#[derive(Debug)]
pub(super) enum ModelLeaf {
    Stored(NodeRef),
    New(Vec<Posting>),
}

impl ModelEdit {
    /// Returns the postings of the leaves to write.
    pub(super) fn new_leaves(&self) -> impl Iterator<Item = &[Posting]> {
        self.leaves.iter().filter_map(|(_, leaf)| match leaf {
            ModelLeaf::New(postings) => Some(&postings[..]),
            ModelLeaf::Stored(_) => None,
        })
    }

    /// Returns the root, whose new leaves have these names.
    pub(super) fn into_root(self, names: &[NodeRef]) -> TreeRoot {
        let mut new_names = names.iter();
        let leaves = self.leaves.into_iter().map(|(start, leaf)| match leaf {
            ModelLeaf::Stored(name) => (start, name),
            ModelLeaf::New(_) => (start, *new_names.next().expect("every new leaf has a name")),
        });
        let nodes = PeriodNodes::Leaves(leaves.collect());
        let span = MonthSpan::containing(Month::from_number(0), 12);
        TreeRoot { periods: vec![Period { span, counts: self.counts, nodes }], ..self.root }
    }
}

/// Returns the difference of a tree between two positions.
pub(super) fn delta(tree: &TreeKey, entries: &[LogEntry], from: &LogPosition, to: &LogPosition) -> TreeDelta {
    let org_id = tree.set.org_id();
    let mut ends: BTreeMap<ReviewNumber, (Option<Posting>, Option<Posting>)> = BTreeMap::new();
    for entry in entries {
        let LogEntry { sequence, change } = entry;
        if from.includes(entry.lane(), *sequence) || !to.includes(entry.lane(), *sequence) {
            continue;
        }
        let posting_of = |place: &Option<Place>, version| {
            let place = place.as_ref().filter(|place| place.is_in(org_id, tree))?;
            Some(posting(change.id, place, version))
        };
        let new = posting_of(&change.new, change.version);
        let old = posting_of(&change.old, change.old_version);
        ends.entry(change.id).or_insert((old, None)).1 = new;
    }
    let mut delta = TreeDelta::default();
    for (id, (old, new)) in ends {
        delta.removed.extend(old.map(|posting| (id, posting)));
        delta.added.extend(new);
    }
    delta.added.sort_unstable();
    delta
}

/// Returns the leaves of a root, ascending.
pub(super) fn leaves_of(root: &TreeRoot) -> Vec<(PostingKey, NodeRef)> {
    match root.periods.first().map(|period| &period.nodes) {
        Some(PeriodNodes::Leaves(leaves)) => leaves.clone(),
        _ => Vec::new(),
    }
}

/// Returns the leaves that an edit needs.
pub(super) fn needed_leaves(root: &TreeRoot, delta: &TreeDelta) -> Vec<NodeRef> {
    let leaves = leaves_of(root);
    let mut needed: Vec<usize> = changed_keys(delta).filter_map(|key| leaf_of(root, &leaves, key)).collect();
    needed.sort_unstable();
    needed.dedup();
    needed.into_iter().map(|leaf| leaves[leaf].1).collect()
}

/// Returns the leaves to read for an edit: those that change, and the first one if the root lacks copies of it.
pub(super) fn leaves_to_edit(root: &TreeRoot, delta: &TreeDelta) -> Vec<NodeRef> {
    let mut needed = needed_leaves(root, delta);
    let first = leaves_of(root).first().map(|(_, node)| *node).filter(|_| root.oldest.is_none());
    needed.extend(first.filter(|first| !needed.contains(first)));
    needed
}

/// Returns the keys that change.
fn changed_keys(delta: &TreeDelta) -> impl Iterator<Item = PostingKey> {
    delta.removed.values().map(|posting| posting.key).chain(delta.added.iter().map(|posting| posting.key))
}

/// Returns the number of the leaf that holds a key.
fn leaf_of(root: &TreeRoot, leaves: &[(PostingKey, NodeRef)], key: PostingKey) -> Option<usize> {
    let is_in_leaves = key < root.recent_start && !leaves.is_empty();
    is_in_leaves.then(|| leaves.partition_point(|(start, _)| *start <= key).saturating_sub(1))
}

/// Applies a difference to a tree. `read` has the needed leaves.
pub(super) fn edit(
    table: &SimulatedTable,
    root: TreeRoot,
    delta: &TreeDelta,
    position: LogPosition,
    read: &Leaves,
) -> ModelEdit {
    let leaves = leaves_of(&root);
    let mut replaced = Vec::new();
    let mut nodes = Vec::new();
    let needed = needed_leaves(&root, delta);
    for (number, (start, node)) in leaves.iter().enumerate() {
        if !needed.contains(node) {
            nodes.push((*start, ModelLeaf::Stored(*node)));
            continue;
        }
        replaced.push(*node);
        let own = |key: PostingKey| leaf_of(&root, &leaves, key) == Some(number);
        let postings = applied(read[node].clone(), delta, own);
        for part in split(&postings) {
            nodes.push((part[0].key, ModelLeaf::New(part.to_vec())));
        }
    }
    let start = if leaves.is_empty() { PostingKey::FIRST } else { root.recent_start };
    let recent = applied(root.recent.clone(), delta, |key| key >= start);
    let copies = edit_copies(table, &root.oldest, delta);
    let mut edited = finish(root, delta, position, nodes, recent, replaced);
    let is_new = copies.is_none() || edited.leaves.is_empty();
    edited.root.oldest = if is_new { first_copies(table, &edited, read) } else { copies };
    edited
}

/// Applies a difference to the copies of oldest postings.
fn edit_copies(table: &SimulatedTable, oldest: &OldestPostings, delta: &TreeDelta) -> OldestPostings {
    if table.has(PlantedFault::CopiesNotEdited) {
        return oldest.clone();
    }
    let postings = applied(oldest.postings.clone(), delta, |key| key < oldest.end);
    cut_copies(table, OldestPostings { postings, ..*oldest })
}

/// Copies the first leaf of a tree.
fn first_copies(table: &SimulatedTable, edited: &ModelEdit, read: &Leaves) -> OldestPostings {
    let is_new = |leaf: &ModelLeaf| matches!(leaf, ModelLeaf::New(_));
    let any_new = edited.leaves.iter().rposition(|(_, leaf)| is_new(leaf));
    let copied = any_new.filter(|_| table.has(PlantedFault::CopiesOfLaterLeaf)).unwrap_or(0);
    let postings = match edited.leaves.get(copied) {
        None => return OldestPostings::NONE,
        Some((_, ModelLeaf::New(postings))) => postings.clone(),
        Some((_, ModelLeaf::Stored(node))) => match read.get(node) {
            Some(postings) => postings.clone(),
            // The leaf that was the first one is empty. The next edit reads this one.
            None => return OldestPostings::NONE,
        },
    };
    let end = edited.leaves.get(copied + 1).map_or(edited.root.recent_start, |(start, _)| *start);
    cut_copies(table, OldestPostings { end, postings })
}

/// Drops the last copies if there are too many.
fn cut_copies(table: &SimulatedTable, OldestPostings { mut end, mut postings }: OldestPostings) -> OldestPostings {
    if let Some(next) = postings.get(OLDEST_MAX) {
        end = if table.has(PlantedFault::CopiesCutWithoutEnd) { end } else { next.key };
        postings.truncate(OLDEST_MAX);
    }
    OldestPostings { end, postings }
}

/// Applies those parts of a difference that a filter of keys admits.
fn applied(mut postings: Vec<Posting>, delta: &TreeDelta, own: impl Fn(PostingKey) -> bool) -> Vec<Posting> {
    postings.retain(|posting| delta.removed.get(&posting.key.id).is_none_or(|removed| removed.key != posting.key));
    postings.extend(delta.added.iter().filter(|posting| own(posting.key)));
    postings.sort_unstable();
    postings
}

/// Splits the postings of a leaf that is too large.
fn split(postings: &[Posting]) -> impl Iterator<Item = &[Posting]> {
    let size = if postings.len() > LEAF_MAX { postings.len().div_ceil(2) } else { LEAF_MAX };
    postings.chunks(size.clamp(1, LEAF_MAX))
}

/// Moves older postings from the root to leaves, and returns the edited tree.
fn finish(
    root: TreeRoot,
    delta: &TreeDelta,
    position: LogPosition,
    mut leaves: Vec<(PostingKey, ModelLeaf)>,
    mut recent: Vec<Posting>,
    replaced: Vec<NodeRef>,
) -> ModelEdit {
    let mut counts = root.counts();
    delta.removed.values().for_each(|posting| counts.add(posting.facet_key, -1));
    delta.added.iter().for_each(|posting| counts.add(posting.facet_key, 1));
    let mut recent_start = if leaves.is_empty() { PostingKey::FIRST } else { root.recent_start };
    if recent.len() > RECENT_MAX {
        let kept = recent.split_off(recent.len() - RECENT_MAX / 2);
        leaves.extend(split(&recent).map(|part| (part[0].key, ModelLeaf::New(part.to_vec()))));
        recent = kept;
        recent_start = recent[0].key;
    }
    for posting in &recent {
        counts.add(posting.facet_key, -1);
    }
    ModelEdit { root: TreeRoot { position, recent_start, recent, ..root }, counts, leaves, replaced }
}

/// Returns the tree of all these postings, which are ascending.
pub(super) fn build(table: &SimulatedTable, postings: Vec<Posting>, position: LogPosition) -> ModelEdit {
    let delta = TreeDelta { removed: HashMap::new(), added: postings };
    edit(table, TreeRoot::empty(), &delta, position, &HashMap::new())
}

/// Returns all postings of a tree, with a difference applied; ascending.
///
/// The oldest ones are the copies that the root has, so that copies that are wrong make a wrong answer.
pub(super) fn postings(table: &SimulatedTable, root: &TreeRoot, delta: &TreeDelta, read: &Leaves) -> Vec<Posting> {
    let OldestPostings { end, postings: copies } = &root.oldest;
    let is_taken = |posting: &Posting| posting.key >= *end || table.has(PlantedFault::CopiesTakenTwice);
    let stored = leaves_of(root).into_iter().flat_map(|(_, node)| read[&node].clone()).filter(is_taken);
    let mut all: Vec<Posting> = stored.chain(root.recent.iter().copied()).collect();
    let is_incomplete = table.has(PlantedFault::CopiesNotCompleted);
    let (completed, kept) = if is_incomplete { (&[][..], &copies[..]) } else { (&copies[..], &[][..]) };
    all.extend(completed);
    let mut all = applied(all, delta, |_| true);
    all.extend(kept);
    all.sort_unstable();
    all
}
