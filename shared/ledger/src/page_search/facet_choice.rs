//! Choice between the tree of a set and its trees of single facet keys.
//!
//! A filter that few reviews match makes a search read one leaf of the set's tree for almost each posting of the page. The trees of
//! the filter's facet keys hold nothing but matches, but each has a root to read, and they take one round of reads more.

use std::ops::Range;

use super::buckets::Bucket;
use super::{NodeKind, PageSearch, is_outside};
use crate::TreeDelta;
use crate::tree::{DecodeError, LEAF_MAX, Period, PeriodSummary, RootSummary, TreeRoot, decode_root};
use presence_domain::page::PageRequest;
use presence_domain::review::{FacetKey, FacetMask};

/// Maximum number of facet trees of a search: one BatchGetItem reads their roots, and as many leaves of each as a page needs.
const FACET_TREES_MAX: usize = 12;

/// Number of 4 KB blocks that a round of reads more must save.
const BLOCKS_OF_A_ROUND: u64 = 3;

/// Usual number of postings of a leaf.
const USUAL_LEAF: u64 = LEAF_MAX as u64 * 3 / 4;

/// Usual number of bytes that a branch has for each leaf.
const BRANCH_ENTRY_BYTES: u64 = 62;

/// Number of bytes that an eventual read of half a unit returns.
const BLOCK_BYTES: u64 = 4_096;

/// Number of postings of one facet key in a month from which its tree may have branches there: more than four usual leaves.
const FACET_BRANCHES_FROM: i64 = 840;

impl PageSearch {
    /// Returns the facet keys whose trees cost less to search than this tree of their set, for a search in this tree alone. `None` if this
    /// tree costs less or has no facet trees. `bytes` is the stored form of the root.
    ///
    /// Every key is named that has matches at the position that is answered. Trees with branches where the search reads leaves are chosen
    /// only if `has_facet_roots`. Else their roots, branches and leaves would be a round more than any other search takes.
    pub fn choose_facet_keys(
        &self,
        bytes: &[u8],
        root: &RootSummary,
        delta: &TreeDelta,
        has_facet_roots: bool,
    ) -> Result<Option<Vec<FacetKey>>, DecodeError> {
        if root.facet_editions.is_none() || self.filter.mask == FacetMask::ALL {
            return Ok(None);
        }
        let mut alone = Self::new(self.filter, self.order.newest_first, PageRequest::default());
        alone.page = self.page.clone();
        alone.add_tree(root, delta);
        let blocks = alone.estimated_blocks(root);
        if blocks <= BLOCKS_OF_A_ROUND {
            return Ok(None);
        }
        let stored = decode_root(bytes)?;
        let mut counts = stored.counts();
        delta.added.iter().for_each(|posting| counts.add(posting.facet_key, 1));
        let keys = counts.nonzero().map(|(key, _)| key).filter(|key| self.filter.mask.contains(*key));
        let keys: Vec<FacetKey> = keys.collect();
        let large_keys = alone.keys_with_branches(&stored, &keys);
        let facet_blocks = keys.len() as u64 * self.estimated_facet_blocks() + large_keys;
        let is_cheaper = keys.len() <= FACET_TREES_MAX && facet_blocks + BLOCKS_OF_A_ROUND <= blocks;
        Ok((is_cheaper && (has_facet_roots || large_keys == 0)).then_some(keys))
    }

    /// Returns the number of keys whose trees may have branches where the search reads leaves: around the page, and where the range of
    /// dates cuts a period. The search has the tree of their set alone.
    pub(super) fn keys_with_branches(&self, root: &TreeRoot, keys: &[FacetKey]) -> u64 {
        let around_page = if self.is_in_root() { Vec::new() } else { self.needed_parts(&self.window()) };
        let is_read = |period: &&Period| {
            let positions = self.order.positions(&(period.span.start()..period.span.end()));
            let is_inside = self.range.start <= positions.start && positions.end <= self.range.end;
            let is_cut = !is_inside && !is_outside(&positions, &self.range);
            is_cut || around_page.iter().any(|(_, part)| !self.parts[*part].is_outside(&positions))
        };
        let read: Vec<&Period> = root.periods.iter().filter(is_read).collect();
        let is_large = |key: &&FacetKey| read.iter().any(|period| period.counts.get(**key) > FACET_BRANCHES_FROM);
        keys.iter().filter(is_large).count() as u64
    }

    /// Returns the estimated number of 4 KB blocks of all nodes that the search reads, which has this tree alone.
    pub(super) fn estimated_blocks(&self, root: &RootSummary) -> u64 {
        let (mut blocks, mut leaves, mut matches) = (0, 0, 0);
        for (bucket, part) in self.needed_parts(&self.window()) {
            let (bucket, part) = (&self.buckets[bucket], &self.parts[part]);
            if part.kind == NodeKind::Leaf {
                blocks += 1;
            } else {
                let period = root.periods.iter().find(|period| self.contains(period, &part.positions));
                let leaves_of_branch = estimated_total(bucket, period).div_ceil(USUAL_LEAF);
                blocks += (leaves_of_branch * BRANCH_ENTRY_BYTES).div_ceil(BLOCK_BYTES);
                leaves += leaves_of_branch;
                matches += bucket.matches;
            }
        }
        if matches == 0 {
            return blocks;
        }
        let on_page = (self.page.end - self.page.start).min(matches);
        // The page covers its part of the leaves. A page of few matches has one of them in each leaf.
        let covered = 1 + leaves.saturating_mul(on_page).div_ceil(matches);
        let cuts = u64::from(self.filter.from.is_some()) + u64::from(self.filter.to.is_some());
        blocks + covered.min(on_page) + cuts
    }

    /// True if the period contains these positions.
    fn contains(&self, period: &PeriodSummary, positions: &Range<u128>) -> bool {
        let period = self.order.positions(&(period.span.start()..period.span.end()));
        period.start <= positions.start && positions.end <= period.end
    }

    /// Returns the estimated number of 4 KB blocks of a search in a tree of one facet key.
    pub(super) fn estimated_facet_blocks(&self) -> u64 {
        let cuts = u64::from(self.filter.from.is_some()) + u64::from(self.filter.to.is_some());
        1 + cuts + u64::from(!self.is_in_root())
    }

    /// True if the newest postings of each tree, which its root holds, make the page.
    fn is_in_root(&self) -> bool {
        self.page.start == 0 && self.order.newest_first && self.filter.to.is_none()
    }
}

/// Returns the estimated number of postings of a branch, which has the share of matches of its period.
fn estimated_total(bucket: &Bucket, period: Option<&PeriodSummary>) -> u64 {
    period.map_or(bucket.matches, |period| bucket.matches.saturating_mul(period.total) / period.matches.max(1))
}
