//! Plan of an edit: which changes go to which periods, and which periods are merged.

use std::collections::BTreeMap;

use super::changes::Changes;
use crate::Posting;
use crate::tree::{MonthSpan, Period, TreeLimits};
use presence_domain::calendar::Month;

/// Part of a tree: stored periods of a span, and the changes in it.
#[derive(Debug)]
pub(super) struct Part {
    /// Months of the part.
    pub(super) span: MonthSpan,
    /// Stored periods in the span: none in a new part, several where they are merged.
    pub(super) periods: Vec<Period>,
    removed: Vec<Posting>,
    added: Vec<Posting>,
}

/// Parts of an edit.
#[derive(Debug)]
pub(super) struct Plan {
    /// Parts, ascending.
    pub(super) parts: Vec<Part>,
    /// Number of changes that did not fit.
    pub(super) mismatches: usize,
}

/// Assigns changes to periods: those that are stored, or new ones. Both lists of postings are ascending.
pub(super) fn plan_parts(periods: Vec<Period>, removed: &[Posting], added: &[Posting], limits: TreeLimits) -> Plan {
    let mut parts = Parts::default();
    let mut mismatches = 0;
    for period in periods {
        // Two periods of one month are damage. One of them is lost; the auditor finds what is missing.
        mismatches += usize::from(parts.insert(period.span, vec![period]).is_some());
    }
    let mut rest = removed;
    while let Some(first) = rest.first() {
        let Some(part) = parts.containing(Month::of(first.key.effective_at)) else {
            mismatches += 1;
            rest = &rest[1..];
            continue;
        };
        let (own, later) = part.span.split_off(rest);
        part.removed.extend_from_slice(own);
        rest = later;
    }
    let mut rest = added;
    while let Some(first) = rest.first() {
        let part = parts.containing_or_new(Month::of(first.key.effective_at));
        let (own, later) = part.span.split_off(rest);
        part.added.extend_from_slice(own);
        rest = later;
    }
    parts.merge_sparse(limits.period_merge());
    Plan { parts: parts.0.into_values().collect(), mismatches }
}

/// Parts by their first month. They do not overlap.
#[derive(Debug, Default)]
struct Parts(BTreeMap<Month, Part>);

impl Parts {
    fn insert(&mut self, span: MonthSpan, periods: Vec<Period>) -> Option<Part> {
        self.0.insert(span.first, Part { span, periods, removed: Vec::new(), added: Vec::new() })
    }

    fn containing(&mut self, month: Month) -> Option<&mut Part> {
        let (_, part) = self.0.range_mut(..=month).next_back()?;
        part.span.contains(month).then_some(part)
    }

    fn containing_or_new(&mut self, month: Month) -> &mut Part {
        if self.containing(month).is_none() {
            // A span of one month never overlaps a part here, since no part contains the month.
            let spans = MonthSpan::LENGTHS.map(|months| MonthSpan::containing(month, months));
            let free = spans.into_iter().find(|span| self.within(*span).next().is_none());
            self.insert(free.unwrap_or(MonthSpan::containing(month, 1)), Vec::new());
        }
        self.0.range_mut(..=month).next_back().map(|(_, part)| part).expect("the part was inserted")
    }

    fn within(&self, span: MonthSpan) -> impl Iterator<Item = &Part> {
        self.0.range(span.first..span.next_month()).map(|(_, part)| part)
    }

    /// Merges neighbours of changed parts where a longer span holds few postings. The sizes are those that follow from the counts.
    fn merge_sparse(&mut self, below: i64) {
        let changed = self.0.values().filter(|part| part.is_changed()).map(|part| part.span);
        for span in changed.collect::<Vec<_>>() {
            // Spans that are not longer than the part hold no other one.
            let mut spans = MonthSpan::LENGTHS.into_iter().map(|months| MonthSpan::containing(span.first, months));
            let merged = spans.find(|span| self.is_worth_merging(*span, below));
            if let Some(merged) = merged {
                self.merge(merged);
            }
        }
    }

    fn is_worth_merging(&self, span: MonthSpan, below: i64) -> bool {
        let total: i64 = self.within(span).map(Part::expected_total).sum();
        self.within(span).count() > 1 && total < below
    }

    fn merge(&mut self, span: MonthSpan) {
        let months: Vec<Month> = self.within(span).map(|part| part.span.first).collect();
        let mut merged = Part { span, periods: Vec::new(), removed: Vec::new(), added: Vec::new() };
        for part in months.iter().filter_map(|month| self.0.remove(month)).collect::<Vec<_>>() {
            merged.periods.extend(part.periods);
            merged.removed.extend(part.removed);
            merged.added.extend(part.added);
        }
        self.0.insert(span.first, merged);
    }
}

impl Part {
    /// Returns the changes in the part.
    pub(super) fn changes(&self) -> Changes<'_> {
        Changes { removed: &self.removed, added: &self.added }
    }

    /// True if the part is not what is stored.
    pub(super) fn is_changed(&self) -> bool {
        !self.changes().is_empty() || self.periods.len() != 1
    }

    /// Returns the number of postings after the changes, if all of them fit.
    fn expected_total(&self) -> i64 {
        let stored: i64 = self.periods.iter().map(|period| period.counts.total()).sum();
        let (added, removed) = (self.added.len(), self.removed.len());
        stored.saturating_add_unsigned(added as u64).saturating_sub_unsigned(removed as u64).max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{facet_key, posting_at};
    use crate::tree::PeriodNodes;
    use presence_domain::review::FacetCounts;

    /// Returns a span that begins a number of months after January 2024.
    fn span(month: i64, months: u8) -> MonthSpan {
        MonthSpan::containing(Month::from_number(2_024 * 12 + month), months)
    }

    fn period(span: MonthSpan, total: i64) -> Period {
        let mut counts = FacetCounts::default();
        counts.add(facet_key(), total);
        Period { span, counts, nodes: PeriodNodes::Leaves(Vec::new()) }
    }

    #[test]
    fn parts_are_worth_merging_if_one_of_them_changes_and_all_together_have_few_postings() {
        let limits = TreeLimits { recent_max: 64, oldest_max: 0, period_split: 64 };
        // Stored spans with their postings; a month with the postings that it loses and gets; and the spans of the parts.
        for (stored, (month, removed, added), expected) in [
            (vec![(0, 6, 11), (6, 6, 11)], (7, 0, 1), vec![(0, 12)]),
            (vec![(0, 6, 11), (6, 6, 12)], (7, 0, 1), vec![(0, 6), (6, 6)]),
            (vec![(0, 6, 12), (6, 6, 12)], (7, 1, 0), vec![(0, 12)]),
            (vec![(0, 3, 5), (3, 3, 5), (6, 6, 20)], (0, 0, 1), vec![(0, 6), (6, 6)]),
            (vec![(0, 6, 5), (6, 6, 5)], (12, 0, 1), vec![(0, 6), (6, 6), (12, 12)]),
            (vec![(0, 1, 5)], (0, 0, 1), vec![(0, 1)]),
        ] {
            let periods = stored.iter().map(|(month, months, total)| period(span(*month, *months), *total)).collect();
            let first = span(month, 1).start().effective_at;
            let postings = |number: i64| (0..number).map(|second| posting_at(first + second)).collect::<Vec<_>>();
            let plan = plan_parts(periods, &postings(removed), &postings(added), limits);
            let spans: Vec<_> = plan.parts.iter().map(|part| part.span).collect();
            let expected: Vec<_> = expected.into_iter().map(|(month, months)| span(month, months)).collect();
            assert_eq!((spans, plan.mismatches), (expected, 0), "{stored:?}");
        }
    }
}
