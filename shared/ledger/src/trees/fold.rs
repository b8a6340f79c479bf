//! Fold: brings the changes of a log into the trees, names the new roots in the directory, and trims the log.
//!
//! Every put of a root is conditional on the edition that was read, so of two folds at a time one loses and stops. A fold may
//! end anywhere. Roots that are newer than the directory say so by their own position: the next fold finds them done.

use serde::Serialize;

use super::directory::RootEditions;
use super::set_fold::{FoldedSet, SetFold};
use super::touched_sets::TouchedSets;
use crate::parallel::parallel;
use crate::table::Consistency;
use crate::tree::FACETS_FROM;
use crate::{LANES, LogPosition, OrgLog, TreeKey, Trees};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Number of sets that are folded at a time.
const SETS_IN_FLIGHT: u16 = 32;
/// Number of sets whose roots are read at a time: one BatchGetItem.
const SETS_AT_A_TIME: usize = 100;
/// Maximum number of pages of a log that are read at once: 16 MB, some 200,000 changes, which take 60 MB of memory.
pub const FOLD_PAGES: usize = 16;
/// Number of items of each lane that are read of a longer log. A chunk has up to 98 changes.
const LANE_ITEMS: i32 = 100;
/// Maximum number of times that a fold reads the start of a long log.
const MAX_STARTS: usize = 1_000;

/// Limits of folds. Tests make them small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldLimits {
    /// Number of changes in a log from which a writer folds it.
    pub fold_from: u64,
    /// Maximum number of changes that are folded in one pass, which bounds the memory.
    pub pass_changes: u64,
    /// Number of postings from which a set of an organisation or city has trees of single facet keys.
    pub facets_from: i64,
}

impl Default for FoldLimits {
    fn default() -> Self {
        Self { fold_from: 512, pass_changes: 20_000, facets_from: FACETS_FROM }
    }
}

/// Result of a fold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FoldReport {
    /// Number of changes that the fold brought into all trees.
    pub changes: u64,
    /// Number of roots that were put, without those of facet trees.
    pub trees: usize,
    /// Number of changes that did not fit the trees: the ledger has drifted.
    pub mismatches: usize,
    /// True if another fold was first somewhere, so that this one stopped.
    pub lost: bool,
}

impl FoldReport {
    fn add(&mut self, other: &Self) {
        self.changes += other.changes;
        self.trees += other.trees;
        self.mismatches += other.mismatches;
        self.lost |= other.lost;
    }

    /// True if no fold is to follow: nothing was left, or another fold was first.
    fn is_last(&self) -> bool {
        self.lost || self.changes == 0
    }
}

/// Folder of the logs of a table into its trees.
#[derive(Clone, Debug)]
pub struct Folder<'a> {
    trees: &'a Trees,
}

impl<'a> Folder<'a> {
    /// Returns the folder of trees.
    pub fn new(trees: &'a Trees) -> Self {
        Self { trees }
    }

    /// Folds the log of an organisation up to its end, and trims it.
    ///
    /// A log that is longer than [`FoldLimits::pass_changes`] is folded in several passes.
    pub async fn fold_org(&self, org_id: OrgId) -> Result<FoldReport, Error> {
        match self.trees.logs.query_log_pages(org_id, FOLD_PAGES).await? {
            Some(log) => self.fold_log(org_id, &log).await,
            None => self.fold_long_log(org_id, LANE_ITEMS).await,
        }
    }

    /// Folds the log of an organisation as [`Folder::fold_org`], reading this number of items of each lane at a time.
    pub async fn fold_long_log(&self, org_id: OrgId, lane_items: i32) -> Result<FoldReport, Error> {
        let mut all = FoldReport::default();
        for _ in 0..MAX_STARTS {
            let log = self.trees.logs.query_log_start(org_id, lane_items).await?;
            let report = self.fold_log(org_id, &log).await?;
            all.add(&report);
            if report.is_last() {
                break;
            }
        }
        Ok(all)
    }

    /// Folds a log that was just read.
    pub async fn fold_log(&self, org_id: OrgId, log: &OrgLog) -> Result<FoldReport, Error> {
        let mut report = FoldReport::default();
        let mut folded_to = log.directory.trimmed_to;
        if log.unfolded() == 0 {
            self.trees.trim_log(org_id, log, &folded_to).await?;
        }
        while !folded_to.covers(&log.end) && !report.lost {
            let pass_end = end_of_pass(&folded_to, &log.end, self.trees.fold_limits.pass_changes);
            // On the heap: the future is large, and so are those of the callers.
            let Some(trimmed_to) = Box::pin(self.fold_pass(org_id, log, &folded_to, &pass_end, &mut report)).await?
            else {
                report.lost = true;
                break;
            };
            report.changes += distance(&folded_to, &pass_end);
            self.trees.trim_log(org_id, log, &trimmed_to).await?;
            folded_to = pass_end;
        }
        Ok(report)
    }

    /// Folds the changes behind one position and up to another one. Returns the position up to which the log may be trimmed;
    /// `None` if another fold was first.
    async fn fold_pass(
        &self,
        org_id: OrgId,
        log: &OrgLog,
        from: &LogPosition,
        to: &LogPosition,
        report: &mut FoldReport,
    ) -> Result<Option<LogPosition>, Error> {
        let touched = TouchedSets::between(org_id, &log.entries, from, to);
        let mut editions = RootEditions::new();
        for sets in touched.sets().chunks(SETS_AT_A_TIME) {
            let trees: Vec<TreeKey> = sets.iter().map(|set| TreeKey { set: set.clone(), facet_key: None }).collect();
            let roots = self.trees.get_roots(&trees, Consistency::Strong).await?;
            let folds = trees.iter().zip(roots).map(|(tree, root)| {
                let changes = touched.changes_of(&tree.set);
                SetFold { store: self.trees, tree: tree.clone(), changes, to: *to }.run(root)
            });
            for (tree, folded) in trees.iter().zip(parallel(SETS_IN_FLIGHT, folds).await?) {
                let Some(FoldedSet { edition, is_written, mismatches }) = folded else { return Ok(None) };
                report.mismatches += mismatches;
                report.trees += usize::from(is_written);
                editions.insert(tree.clone(), edition);
            }
        }
        let directory = self.trees.raise_directory(org_id, &editions, to).await?;
        Ok(Some(directory.trimmed_to))
    }
}

/// Returns the end of a pass: at most the given number of changes behind its start, shared among the lanes.
fn end_of_pass(from: &LogPosition, end: &LogPosition, changes: u64) -> LogPosition {
    if distance(from, end) <= changes {
        return *end;
    }
    let share = (changes / LANES as u64).max(1);
    LogPosition(std::array::from_fn(|lane| end.0[lane].min(from.0[lane].saturating_add(share)).max(from.0[lane])))
}

/// Returns the number of changes between two positions.
fn distance(from: &LogPosition, to: &LogPosition) -> u64 {
    from.0.iter().zip(to.0).map(|(from, to)| to.saturating_sub(*from)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_ends_within_the_log_and_shares_its_changes_among_the_lanes() {
        let from = LogPosition([10; LANES]);
        let at = |first: u64, second: u64| {
            LogPosition(std::array::from_fn(|lane| [first, second].get(lane).copied().unwrap_or(10)))
        };
        for (end, changes, expected) in [
            (at(14, 12), 6, at(14, 12)),
            (at(14, 13), 6, at(11, 11)),
            (at(40, 12), 24, at(13, 12)),
            (at(40, 9), 8, at(11, 10)),
        ] {
            assert_eq!(end_of_pass(&from, &end, changes), expected, "{changes} changes of {end:?}");
        }
    }

    #[test]
    fn reports_of_passes_add_up() {
        let first = FoldReport { changes: 1, trees: 2, mismatches: 3, lost: true };
        let mut all = first;
        all.add(&FoldReport { changes: 10, trees: 20, mismatches: 30, lost: false });
        assert_eq!(all, FoldReport { changes: 11, trees: 22, mismatches: 33, lost: true });
        let mut none_lost = FoldReport::default();
        none_lost.add(&first);
        assert_eq!(none_lost, first);
    }

    #[test]
    fn a_fold_follows_until_nothing_is_left_or_another_one_is_first() {
        for (changes, lost, is_last) in [(5, false, false), (0, false, true), (5, true, true)] {
            assert_eq!(FoldReport { changes, lost, ..FoldReport::default() }.is_last(), is_last, "{changes}, {lost}");
        }
    }
}
