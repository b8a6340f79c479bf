//! Trees of a search: what their roots and the log tell is turned into matches and buckets.

use std::ops::Range;

use super::buckets::{Bucket, Part};
use super::found_page::Share;
use super::order::Position;
use super::{Match, NodeKind, PAGES_AHEAD, PageSearch, is_outside, removed_in};
use crate::tree::{NodeRef, PeriodSummary, RootSummary};
use crate::{Posting, PostingKey, TreeDelta};

impl PageSearch {
    /// Adds a tree, and the difference from its position to the position at which the search answers. No review may be in
    /// two of the trees.
    pub fn add_tree(&mut self, root: &RootSummary, delta: &TreeDelta) {
        let tree = self.removed.len();
        self.found = None;
        let removed = delta.removed.values().filter(|posting| self.filter.mask.contains(posting.facet_key));
        let mut removed: Vec<_> = removed.map(|posting| self.order.position(posting.key)).collect();
        removed.sort_unstable();
        self.removed.push(removed);
        self.copied.push(self.order.positions(&(PostingKey::FIRST..root.oldest.end)));
        self.add_matches(tree, &root.recent, true);
        // Only the first tree has shares: all matches that are known now are those of its root.
        self.add_share(&(root.recent_start..PostingKey::END), root.recent.len() as u64, self.matches.len() as u64);
        self.add_matches(tree, &delta.added, false);
        self.drop_matches_after_page();
        self.add_copies(tree, &root.oldest.postings);
        self.drop_matches_after_page();
        for period in &root.periods {
            let start = period.span.start();
            let keys = start..period.span.end().min(root.recent_start).max(start);
            self.add_share(&keys, period.total, period.matches);
            self.add_period(tree, &keys, period);
        }
    }

    /// Adds the copies that the root has of its oldest postings. Nodes do not count them again.
    fn add_copies(&mut self, tree: usize, oldest: &[Posting]) {
        if oldest.is_empty() {
            return;
        }
        self.add_matches(tree, oldest, true);
        let copied = oldest.iter().filter(|posting| self.filter.mask.contains(posting.facet_key));
        let removed = &mut self.removed[tree];
        removed.extend(copied.map(|posting| self.order.position(posting.key)));
        removed.sort_unstable();
        removed.dedup();
    }

    /// Adds postings that the filter admits; of those that a tree has, not those that are removed.
    pub(super) fn add_matches(&mut self, tree: usize, postings: &[Posting], is_stored: bool) {
        let filter = self.filter;
        for posting in postings.iter().filter(|posting| filter.admits(posting)) {
            let position = self.order.position(posting.key);
            if !is_stored || self.removed[tree].binary_search(&position).is_err() {
                self.add_match((position, tree, *posting));
            }
        }
    }

    /// Adds a match that is known.
    fn add_match(&mut self, found: Match) {
        if found.0 < self.limit {
            self.matches.push(found);
        } else {
            self.after += 1;
        }
    }

    /// Drops the matches that come after the page and those whose nodes are read ahead, whatever else will be found. Most trees of many
    /// then add nothing for their older periods but counts.
    fn drop_matches_after_page(&mut self) {
        let Ok(end) = usize::try_from(self.page_ahead(PAGES_AHEAD).end) else { return };
        // Twice as many as are kept, so that each match is looked at a few times only.
        let enough = if self.limit == Position::MAX { end } else { end.saturating_mul(2) };
        if self.matches.len() >= enough {
            let (_, last, _) = self.matches.select_nth_unstable_by_key(end - 1, |(position, ..)| *position);
            self.limit = last.0 + 1;
            self.after += (self.matches.len() - end) as u64;
            self.matches.truncate(end);
        }
    }

    /// True if all postings at these positions are inside the range of dates and come after the page.
    fn is_after_page(&self, positions: &Range<Position>) -> bool {
        // The limit is behind a match, so it is not before the range of dates.
        self.limit <= positions.start && positions.end <= self.range.end
    }

    /// Notes how many postings of a range match, which the size of a page's range is estimated by.
    fn add_share(&mut self, keys: &Range<PostingKey>, total: u64, matches: u64) {
        if self.removed.len() == 1 && matches > 0 {
            self.shares.push(Share { positions: self.order.positions(keys), total, matches });
        }
    }

    /// Adds a period: a bucket for each branch, or one for all leaves, of which only the sum is known.
    fn add_period(&mut self, tree: usize, keys: &Range<PostingKey>, period: &PeriodSummary) {
        let positions = self.order.positions(keys);
        let matches = period.matches.saturating_sub(removed_in(&self.removed[tree], &positions));
        let unknown = self.without_copied(tree, &positions);
        if self.is_after_page(&unknown) {
            self.after += matches;
        } else if matches > 0 && !is_outside(&unknown, &self.range) {
            let first_part = self.parts.len();
            let ranges = self.order.split(&positions, period.nodes.iter().map(|(start, ..)| *start));
            for (positions, (_, node, matches)) in ranges.zip(&period.nodes) {
                let kind = if matches.is_some() { NodeKind::Branch } else { NodeKind::Leaf };
                let part = self.unread_part(tree, positions, *node, kind);
                match matches {
                    Some(matches) => self.add_node(tree, *matches, part),
                    // The root has copies of all its postings.
                    None if part.positions.is_empty() && !part.stored.is_empty() => {}
                    None => self.parts.push(part),
                }
            }
            if period.nodes.iter().all(|(.., matches)| matches.is_none()) {
                if self.order.newest_first {
                    self.parts[first_part..].reverse();
                }
                self.buckets.push(Bucket { tree, matches, parts: first_part..self.parts.len() });
            }
        }
    }

    /// Returns a node that is not read.
    pub(super) fn unread_part(&self, tree: usize, stored: Range<Position>, node: NodeRef, kind: NodeKind) -> Part {
        Part::unread(self.without_copied(tree, &stored), stored, node, kind)
    }

    /// Returns positions of a tree without those at their end whose postings the root has copies of.
    fn without_copied(&self, tree: usize, positions: &Range<Position>) -> Range<Position> {
        let (Range { start, end }, copied) = (positions.clone(), &self.copied[tree]);
        if self.order.newest_first {
            start..end.min(copied.start.max(start))
        } else {
            start.max(copied.end.min(end))..end
        }
    }

    /// Adds a node whose own number of matches is known.
    pub(super) fn add_node(&mut self, tree: usize, matches: u64, part: Part) {
        let matches = matches.saturating_sub(removed_in(&self.removed[tree], &part.stored));
        if self.is_after_page(&part.positions) {
            self.after += matches;
        } else if matches > 0 && !part.is_outside(&self.range) {
            self.parts.push(part);
            self.buckets.push(Bucket { tree, matches, parts: self.parts.len() - 1..self.parts.len() });
        }
    }
}
