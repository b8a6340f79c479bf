//! Page that a search found.

use std::ops::Range;

use super::buckets::Side;
use super::order::Position;
use super::{Match, PageSearch};
use crate::Posting;

/// Page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPage {
    /// Number of all matches.
    pub count: u64,
    /// Postings of the page, in the order of the answer, each with the number of its tree.
    pub postings: Vec<(usize, Posting)>,
    /// Estimated number of all postings of the tree, matching or not, from the first to the last one of the page. `None` if there are
    /// several trees.
    pub range_total: Option<u64>,
}

/// Share of matches on a range of a tree.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) positions: Range<Position>,
    pub(super) total: u64,
    pub(super) matches: u64,
}

impl PageSearch {
    /// Returns the page. No node may be needed any more. Nodes of later pages may be inserted afterwards.
    #[must_use]
    pub fn finish(&mut self) -> FoundPage {
        let window = self.found.take().unwrap_or_else(|| self.window());
        let (mut before, mut inside) = (0, 0);
        for bucket in &self.buckets {
            let side = bucket.side(&self.parts, &self.range, &window);
            before += if side == Side::Before { bucket.matches } else { 0 };
            inside += if side == Side::Outside { 0 } else { bucket.matches };
        }
        let count = inside + self.matches.len() as u64 + self.after;
        // All postings of the page are known, and so is every match between two of them.
        let first = self.page.start.saturating_sub(before)..self.page.end.saturating_sub(before);
        let matches = cut_out(&mut self.matches, &first);
        let range_total = (self.removed.len() == 1).then(|| range_total(matches, &self.shares));
        let postings = matches.iter().map(|(_, tree, posting)| (*tree, *posting)).collect();
        FoundPage { count, postings, range_total }
    }
}

/// Returns the matches of these ranks among all that are known, in order.
fn cut_out<'a>(matches: &'a mut [Match], ranks: &Range<u64>) -> &'a [Match] {
    let rank = |rank: u64| usize::try_from(rank).unwrap_or(usize::MAX).min(matches.len());
    let (start, end) = (rank(ranks.start), rank(ranks.end));
    if end < matches.len() {
        matches.select_nth_unstable_by_key(end, |(position, ..)| *position);
    }
    if start < end {
        matches[..end].select_nth_unstable_by_key(start, |(position, ..)| *position);
    }
    let page = &mut matches[start..end];
    page.sort_unstable_by_key(|(position, ..)| *position);
    page
}

/// Returns the estimated number of postings that the range of a page has for its matches.
fn range_total(page: &[Match], shares: &[Share]) -> u64 {
    let thousandths_of = |position: Position| {
        let share = shares.iter().find(|share| share.positions.contains(&position));
        share.map_or(1_000, |share| share.total.saturating_mul(1_000) / share.matches)
    };
    let thousandths = page.iter().map(|(position, ..)| thousandths_of(*position));
    thousandths.fold(0, u64::saturating_add).div_ceil(1_000)
}
