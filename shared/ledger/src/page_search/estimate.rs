//! Estimate of the range in which a page lies.
//!
//! A page of many businesses lies in a period of each. Of a period with several leaves only the sum of their matches is known. As far as
//! counts tell, the page may lie anywhere in the period, and every leaf of it is needed. Matches are mostly spread evenly over a period. So
//! the leaves around the estimated range are read first. Then it is known how many matches the others have. Most often the page is found,
//! or lies a leaf or two beside the range.

use std::ops::Range;

use super::buckets::Bucket;
use super::order::Position;
use super::window::Window;
use super::{NeededNode, NodeKind, PageSearch};

/// Bits of a position behind the second.
const SECOND_SHIFT: u32 = 64;

/// Matches that are expected at each second.
struct ExpectedMatches<'a> {
    search: &'a PageSearch,
    /// Number of matches before the exact window.
    before: u64,
    /// Positions of known matches inside the exact window.
    known: Vec<Position>,
    /// Buckets that are not on one side of the exact window.
    open: Vec<&'a Bucket>,
}

impl PageSearch {
    /// Returns those leaves that are needed if the matches of each bucket are spread evenly. `None` if they are not clearly fewer than
    /// those that are needed as far as the counts tell.
    ///
    /// The page may need other leaves when these are inserted, which takes a round of reads more.
    #[must_use]
    pub fn likely_leaves(&mut self) -> Option<Vec<NeededNode>> {
        let exact = self.window();
        let needed = self.needed_parts(&exact);
        let has_branches = needed.iter().any(|(_, part)| self.parts[*part].kind == NodeKind::Branch);
        if needed.len() <= self.leaves_of_a_round || has_branches {
            return None;
        }
        let likely = self.needed_parts(&self.estimated_window(&exact));
        let saved = needed.len().saturating_sub(likely.len());
        (saved >= self.leaves_of_a_round && !likely.is_empty()).then(|| self.name_pending(likely))
    }

    /// Returns the range of the page if the matches of each bucket are spread evenly, as a part of the exact window.
    fn estimated_window(&self, exact: &Window) -> Window {
        let seconds = second(exact.before_until)..second(exact.after_from).saturating_add(1);
        let expected = ExpectedMatches::new(self, exact);
        let until = expected.second_of_rank(&seconds, self.page.start.saturating_add(1)).saturating_sub(1);
        let from = expected.second_of_rank(&seconds, self.page.end);
        Window {
            before_until: start_of(until).max(exact.before_until),
            after_from: start_of(from).min(exact.after_from),
        }
    }
}

impl<'a> ExpectedMatches<'a> {
    fn new(search: &'a PageSearch, exact: &Window) -> Self {
        let inside = exact.before_until..exact.after_from;
        let positions = || search.matches.iter().map(|(position, ..)| *position);
        let mut expected = Self {
            search,
            before: positions().filter(|position| *position < inside.start).count() as u64,
            known: positions().filter(|position| inside.contains(position)).collect(),
            open: Vec::new(),
        };
        for bucket in search.buckets.iter().filter(|bucket| bucket.matches > 0) {
            let mut unread = bucket.unread(&search.parts);
            if unread.clone().all(|part| part.is_inside(&search.range) && part.positions.end <= inside.start) {
                expected.before += bucket.matches;
            } else if unread.any(|part| part.positions.start < inside.end) {
                expected.open.push(bucket);
            }
        }
        expected
    }

    /// Returns the first of some seconds before which this number of matches is expected; the last one if there are fewer.
    fn second_of_rank(&self, seconds: &Range<u64>, rank: u64) -> u64 {
        let Range { mut start, mut end } = *seconds;
        while start < end {
            let middle = start + (end - start) / 2;
            if self.before(middle) < rank { start = middle + 1 } else { end = middle }
        }
        start
    }

    /// Returns the number of matches that are expected before a second.
    fn before(&self, second: u64) -> u64 {
        let until = start_of(second);
        let known = self.known.iter().filter(|position| **position < until).count() as u64;
        let in_buckets: u64 = self.open.iter().map(|bucket| self.before_in(bucket, second)).sum();
        self.before + known + in_buckets
    }

    /// Returns the number of matches of a bucket inside the range of dates that are expected before a second.
    fn before_in(&self, bucket: &Bucket, until: u64) -> u64 {
        let range = seconds_of(&self.search.range);
        let (mut passed, mut all) = (0, 0);
        for part in bucket.unread(&self.search.parts) {
            let Range { start, end } = seconds_of(&part.positions);
            all += u128::from(end - start);
            passed += u128::from(end.min(until).min(range.end).saturating_sub(start.max(range.start)));
        }
        u64::try_from(u128::from(bucket.matches) * passed / all.max(1)).unwrap_or(u64::MAX)
    }
}

/// Returns the second of a position, in the order of the answer.
fn second(position: Position) -> u64 {
    u64::try_from(position >> SECOND_SHIFT).unwrap_or(u64::MAX)
}

/// Returns the first position of a second.
fn start_of(second: u64) -> Position {
    Position::from(second) << SECOND_SHIFT
}

/// Returns the seconds of positions, at least one.
fn seconds_of(positions: &Range<Position>) -> Range<u64> {
    let start = second(positions.start);
    start..second(positions.end).max(start.saturating_add(1))
}
