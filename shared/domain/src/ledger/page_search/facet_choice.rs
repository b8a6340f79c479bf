//! Choice between the tree of a set and its trees of single facet keys.
//!
//! A filter that few reviews match makes a search read one leaf of the set's tree for almost each posting of the page. The trees of
//! the filter's facet keys hold nothing but matches, but each has a root to read, and they take one round of reads more.

use std::ops::Range;

use super::buckets::Bucket;
use super::{NodeKind, PageSearch};
use crate::ledger::tree::{DecodeError, LEAF_MAX, PeriodSummary, RootSummary, decode_root};
use crate::ledger::{FacetKey, FacetMask, TreeDelta};
use crate::page::PageRequest;

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

/// Number of postings of one facet key from which its tree may have branches: more than 1,120 in one of some 60 months.
const FACET_BRANCHES_FROM: i64 = 30_000;

impl PageSearch {
    /// Returns the facet keys whose trees cost less to search than this tree of their set, for a search in this tree alone; `None` if
    /// this tree costs less or has no facet trees. `bytes` is the stored form of the root.
    ///
    /// Every key is named that has matches at the position that is answered.
    pub fn choose_facet_keys(
        &self,
        bytes: &[u8],
        root: &RootSummary,
        delta: &TreeDelta,
    ) -> Result<Option<Vec<FacetKey>>, DecodeError> {
        if root.facet_editions.is_none() || self.filter.mask == FacetMask::ALL {
            return Ok(None);
        }
        let size = self.page.end - self.page.start;
        let mut alone = Self::new(self.filter, self.order.newest_first, PageRequest { page: 1, size });
        alone.page = self.page.clone();
        alone.add_tree(root, delta);
        let blocks = alone.estimated_blocks(root);
        if blocks <= BLOCKS_OF_A_ROUND {
            return Ok(None);
        }
        let mut counts = decode_root(bytes)?.counts();
        delta.added.iter().for_each(|posting| counts.add(posting.facet_key, 1));
        let keys: Vec<_> = counts.nonzero().filter(|(key, _)| self.filter.mask.contains(*key)).collect();
        // Roots of facet trees, branches, and leaves would be a round more than any other search takes.
        let has_branches = !self.is_in_root() && keys.iter().any(|(_, count)| *count > FACET_BRANCHES_FROM);
        let facet_blocks = keys.len() as u64 * self.estimated_facet_blocks();
        let is_cheaper = keys.len() <= FACET_TREES_MAX && facet_blocks + BLOCKS_OF_A_ROUND <= blocks;
        Ok((is_cheaper && !has_branches).then(|| keys.into_iter().map(|(key, _)| key).collect()))
    }

    /// Returns the estimated number of 4 KB blocks of all nodes that the search reads, which has this tree alone.
    fn estimated_blocks(&self, root: &RootSummary) -> u64 {
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
    fn estimated_facet_blocks(&self) -> u64 {
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
