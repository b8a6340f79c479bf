//! Edit of periods.

use super::branches::BranchDraft;
use super::leaves::LeafDraft;
use super::nodes::{Attempt, all_found};
use super::plan::Part;
use super::sizes::cut_evenly;
use crate::Posting;
use crate::tree::edited::{EditedNodes, EditedPeriod};
use crate::tree::layout::{BRANCH_FILL, LEAF_FILL, PLAIN_LEAVES_MAX};
use crate::tree::{MonthSpan, NodeRef, Period, PeriodNodes, TreeLimits};
use presence_domain::review::FacetCounts;

impl Attempt<'_> {
    /// Returns the periods that take the place of a part.
    pub(super) fn edit_part(&mut self, part: &Part, limits: TreeLimits) -> Option<Vec<EditedPeriod>> {
        match &part.periods[..] {
            [period] if !part.is_changed() => Some(vec![EditedPeriod::stored(period)]),
            // A month cannot be split: only its changed leaves are read. Longer periods are small and are laid out again.
            [period] if part.span.months == 1 => match &period.nodes {
                PeriodNodes::Leaves(leaves) => self.edit_plain_period(period, leaves, part.changes()),
                PeriodNodes::Branches(branches) => self.edit_branched_period(period, branches, part.changes()),
            },
            _ => self.rebuild_part(part, limits),
        }
    }

    fn rebuild_part(&mut self, part: &Part, limits: TreeLimits) -> Option<Vec<EditedPeriod>> {
        let found = part.periods.iter().map(|period| self.leaves_of(period)).collect();
        let leaves: Vec<NodeRef> = all_found(found)?.concat();
        let found = leaves.iter().map(|leaf| self.nodes.leaf(*leaf)).collect();
        let postings: Vec<Posting> = all_found(found)?.concat();
        let mut counts = FacetCounts::default();
        for period in &part.periods {
            counts.add_all(&period.counts);
        }
        self.mismatches += usize::from(counts != Posting::counts(&postings));
        self.replaced.extend(leaves);
        let (postings, mismatches) = part.changes().apply(&postings);
        self.mismatches += mismatches;
        Some(lay_out_periods(part.span, &postings, limits))
    }

    /// Returns the names of all leaves of a period. Its branches count as replaced.
    fn leaves_of(&mut self, period: &Period) -> Option<Vec<NodeRef>> {
        match &period.nodes {
            PeriodNodes::Leaves(leaves) => Some(leaves.iter().map(|(_, node)| *node).collect()),
            PeriodNodes::Branches(branches) => {
                let found = branches.iter().map(|branch| self.nodes.branch(branch.node)).collect();
                let entries = all_found(found)?.into_iter().flatten();
                self.replaced.extend(branches.iter().map(|branch| branch.node));
                Some(entries.map(|entry| entry.node).collect())
            }
        }
    }
}

/// Lays out the postings of a span in new periods: one, or shorter ones if there are many. Those without postings are left out.
pub(in crate::tree) fn lay_out_periods(span: MonthSpan, postings: &[Posting], limits: TreeLimits) -> Vec<EditedPeriod> {
    let is_large = i64::try_from(postings.len()).is_ok_and(|total| total >= limits.period_split);
    let shorter = MonthSpan::LENGTHS.into_iter().find(|months| *months < span.months);
    match shorter {
        _ if postings.is_empty() => Vec::new(),
        Some(months) if is_large => {
            let mut rest = postings;
            let mut periods = Vec::new();
            for part in span.split(months) {
                let (own, later) = rest.split_at(rest.partition_point(|posting| posting.key < part.end()));
                periods.extend(lay_out_periods(part, own, limits));
                rest = later;
            }
            periods
        }
        _ => vec![lay_out_period(span, postings)],
    }
}

fn lay_out_period(span: MonthSpan, postings: &[Posting]) -> EditedPeriod {
    let leaves = LeafDraft::chain(span.start(), cut_evenly(postings.to_vec(), LEAF_FILL));
    EditedPeriod { span, counts: Posting::counts(postings), nodes: lay_out_nodes(leaves) }
}

/// Puts the leaves of a period into branches if there are many. The counts of stored leaves must be known then.
pub(super) fn lay_out_nodes(leaves: Vec<LeafDraft>) -> EditedNodes {
    if leaves.len() <= PLAIN_LEAVES_MAX {
        return EditedNodes::Leaves(leaves);
    }
    EditedNodes::Branches(cut_evenly(leaves, BRANCH_FILL).into_iter().map(BranchDraft::new).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::posting_at;
    use presence_domain::calendar::Month;

    #[test]
    fn a_period_with_many_postings_is_split_where_a_month_begins() {
        let of = |month: i64, months| MonthSpan::containing(Month::from_number(2_024 * 12 + month), months);
        let july = of(6, 1).start().effective_at;
        let postings = [july - 1, july, july + 1].map(posting_at);
        for (period_split, expected) in [(4, vec![(of(0, 12), 3)]), (3, vec![(of(0, 6), 1), (of(6, 6), 2)])] {
            let limits = TreeLimits { recent_max: 64, oldest_max: 0, period_split };
            let periods = lay_out_periods(of(0, 12), &postings, limits);
            let sizes: Vec<_> = periods.iter().map(|period| (period.span, period.counts.total())).collect();
            assert_eq!(sizes, expected, "{period_split}");
        }
    }
}
