//! Reads of all postings of a tree, or of a range of them: for new facet trees, relocations and audits.

use std::ops::Range;
use std::sync::Arc;

use super::nodes::StoredRoot;
use crate::table::Consistency;
use crate::tree::{MonthSpan, NodeRef, PeriodNodes, TreeRoot, decode_branch, decode_leaf, decode_root};
use crate::{OrgLog, Posting, PostingKey, TreeDelta, TreeKey, Trees};
use presence_domain::error::Error;

/// Number of nodes that are read at a time: some 2 MB.
const NODES_AT_A_TIME: usize = 400;

/// Range of keys with every posting.
pub const ALL_KEYS: Range<PostingKey> = PostingKey::FIRST..PostingKey::END;

impl Trees {
    /// Returns the postings of a tree between two keys, at the present end of the log, ascending.
    pub async fn postings_of_tree(&self, tree: &TreeKey, range: Range<PostingKey>) -> Result<Vec<Posting>, Error> {
        let mut pauses = self.table.pauses();
        loop {
            let log = self.logs.query_log(tree.set.org_id()).await?;
            if let Some(postings) = self.postings_at(tree, &log, &range).await? {
                return Ok(postings);
            }
            if !pauses.pause().await {
                return Err(Error::Unavailable("a tree of reviews kept changing while it was read".into()));
            }
        }
    }

    /// Returns the postings of a tree between two keys, at the end of the log as it was read. `None` if the tree has changed since.
    pub async fn postings_at(
        &self,
        tree: &TreeKey,
        log: &OrgLog,
        range: &Range<PostingKey>,
    ) -> Result<Option<Vec<Posting>>, Error> {
        let root = self.read_root(tree).await?;
        if !log.end.covers(&root.position) {
            return Ok(None);
        }
        let delta = TreeDelta::between(tree, &log.entries, &root.position, &log.end);
        let Some(mut postings) = self.postings_of_root(tree, &root, range).await? else { return Ok(None) };
        postings.retain(|posting| delta.removed.get(&posting.key.id).is_none_or(|removed| removed.key != posting.key));
        postings.extend(delta.added.iter().filter(|posting| range.contains(&posting.key)));
        postings.sort_unstable();
        Ok(Some(postings))
    }

    /// Returns the root of a tree by a strong read. The root of a tree that was never written is empty.
    pub async fn read_root(&self, tree: &TreeKey) -> Result<TreeRoot, Error> {
        decode_stored(self.get_root(tree, Consistency::Strong).await?.as_ref())
    }

    /// Returns the postings between two keys that a root and its nodes hold, ascending. `None` if a node is no more, because a
    /// newer root was put.
    pub async fn postings_of_root(
        &self,
        tree: &TreeKey,
        root: &TreeRoot,
        range: &Range<PostingKey>,
    ) -> Result<Option<Vec<Posting>>, Error> {
        let Some(leaves) = self.leaves_of_root(tree, root, range).await? else { return Ok(None) };
        let mut postings = Vec::new();
        for names in leaves.chunks(NODES_AT_A_TIME) {
            let Some(nodes) = self.get_all_nodes(tree, names).await? else { return Ok(None) };
            for bytes in nodes {
                let leaf = decode_leaf(&bytes).map_err(Error::internal)?;
                postings.extend(leaf.into_iter().filter(|posting| range.contains(&posting.key)));
            }
        }
        postings.extend(root.recent.iter().filter(|posting| range.contains(&posting.key)));
        Ok(Some(postings))
    }

    /// Returns the names of the leaves that may hold postings between two keys, ascending. `None` if a branch is no more.
    async fn leaves_of_root(
        &self,
        tree: &TreeKey,
        root: &TreeRoot,
        range: &Range<PostingKey>,
    ) -> Result<Option<Vec<NodeRef>>, Error> {
        let mut leaves = Vec::new();
        for period in &root.periods {
            if !has_keys_in(period.span, range) {
                continue;
            }
            match &period.nodes {
                PeriodNodes::Leaves(named) => leaves.extend(overlapping(named, range)),
                PeriodNodes::Branches(branches) => {
                    let starts: Vec<_> = branches.iter().map(|branch| (branch.start, branch.node)).collect();
                    let names: Vec<NodeRef> = overlapping(&starts, range).collect();
                    let Some(nodes) = self.get_all_nodes(tree, &names).await? else { return Ok(None) };
                    for bytes in nodes {
                        let entries = decode_branch(&bytes).map_err(Error::internal)?;
                        let starts: Vec<_> = entries.iter().map(|entry| (entry.start, entry.node)).collect();
                        leaves.extend(overlapping(&starts, range));
                    }
                }
            }
        }
        Ok(Some(leaves))
    }

    /// Returns the bytes of nodes, in order; `None` if one is no more.
    pub(super) async fn get_all_nodes(
        &self,
        tree: &TreeKey,
        names: &[NodeRef],
    ) -> Result<Option<Vec<Arc<[u8]>>>, Error> {
        let nodes: Vec<_> = names.iter().map(|name| (tree, *name)).collect();
        Ok(self.get_nodes(&nodes).await?.into_iter().collect())
    }
}

/// Returns a root; the empty one if none is stored.
pub(super) fn decode_stored(stored: Option<&StoredRoot>) -> Result<TreeRoot, Error> {
    let Some(stored) = stored else { return Ok(TreeRoot::empty()) };
    let root = decode_root(&stored.bytes).map_err(Error::internal)?;
    Ok(TreeRoot { oldest: stored.oldest(), ..root })
}

/// True if a span has keys of a range.
fn has_keys_in(span: MonthSpan, range: &Range<PostingKey>) -> bool {
    range.start < span.end() && span.start() < range.end
}

/// Returns those of the nodes that may hold postings between two keys. A node ends where the next one starts; the first one also
/// holds what is before its start.
fn overlapping<'a>(
    nodes: &'a [(PostingKey, NodeRef)],
    range: &'a Range<PostingKey>,
) -> impl Iterator<Item = NodeRef> + 'a {
    let ends = nodes.iter().skip(1).map(|(start, _)| Some(*start)).chain([None]);
    let numbered = nodes.iter().zip(ends).enumerate();
    let overlaps = numbered.filter(move |(position, ((start, _), end))| {
        (*position == 0 || *start < range.end) && end.is_none_or(|end| range.start < end)
    });
    overlaps.map(|(_, ((_, node), _))| *node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::posting_at;
    use crate::tree::{OldestPostings, encode_oldest, encode_root};
    use presence_domain::calendar::Month;

    #[test]
    fn nodes_of_a_range_are_those_that_may_hold_its_postings() {
        let node = |slot: u32| NodeRef { slot, stamp: 0 };
        let nodes = [(PostingKey::at(10), node(0)), (PostingKey::at(20), node(1)), (PostingKey::at(30), node(2))];
        for (start, end, slots) in [
            (0, 5, vec![0]),
            (12, 15, vec![0]),
            (10, 20, vec![0]),
            (20, 21, vec![1]),
            (19, 30, vec![0, 1]),
            (25, 31, vec![1, 2]),
            (30, 40, vec![2]),
        ] {
            let range = PostingKey::at(start)..PostingKey::at(end);
            let found: Vec<_> = overlapping(&nodes, &range).collect();
            assert_eq!(found, slots.into_iter().map(node).collect::<Vec<_>>(), "{start} to {end}");
        }
    }

    #[test]
    fn a_span_has_keys_of_a_range_that_begins_before_its_end_and_ends_behind_its_start() {
        let span = MonthSpan { first: Month::from_number(2_024 * 12), months: 1 };
        let (first, end) = (span.start().effective_at, span.end().effective_at);
        for (from, to, has_keys) in [
            (0, first, false),
            (0, first + 1, true),
            (first + 1, end - 1, true),
            (end - 1, end, true),
            (end, end + 9, false),
        ] {
            let range = PostingKey::at(from)..PostingKey::at(to);
            assert_eq!(has_keys_in(span, &range), has_keys, "{from} to {to}");
        }
    }

    #[test]
    fn a_stored_root_has_the_copies_beside_it() {
        let oldest = OldestPostings { end: PostingKey::at(20), postings: vec![posting_at(10)] };
        let root = TreeRoot { edition: 3, oldest, ..TreeRoot::empty() };
        let oldest = encode_oldest(&root.oldest).map(Arc::from);
        let stored = StoredRoot { edition: 3, bytes: encode_root(&root).into(), oldest };
        assert_eq!(decode_stored(Some(&stored)).expect("a root"), root);
        assert_eq!(decode_stored(None).expect("no root"), TreeRoot::empty());
    }
}
