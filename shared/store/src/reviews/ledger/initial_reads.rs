//! First wave of a search: the reads that a range of dates needs at once.
//!
//! Facet counts exist for whole months and whole days only. A range that begins or ends within a month needs the counts of
//! that month's days; one that begins or ends within a day needs that day's postings.

use super::buckets::{Bucket, Span, merge_buckets};
use super::find::{READS_IN_FLIGHT, Search};
use crate::client::parallel::parallel;
use presence_domain::error::Error;
use presence_domain::ledger::{Day, FacetMask, Month, ReviewSet};

/// Maximum number of Queries for a partial day. A mask of more runs is read as the whole day: its counts, which could tell
/// empty runs, are not known in the first wave.
const MAX_RUNS: usize = 3;
/// A read of the first wave. Each one is done for every review set of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InitialRead {
    /// Facet counts of every month that the range touches, both ends included. `None` leaves that end open.
    MonthCounts(Option<Month>, Option<Month>),
    /// Facet counts of all days of a month that lies only partly in the range.
    DayCounts(Month),
    /// Postings of a day that lies only partly in the range.
    DayPostings(Day),
}

/// Returns the reads of the first wave for a range of effective seconds, both ends included.
pub(super) fn plan_initial_reads(from: Option<i64>, to: Option<i64>) -> Vec<InitialRead> {
    let (first_day, last_day) = (from.map(Day::of), to.map(Day::of));
    let (first_month, last_month) = (first_day.map(Day::month), last_day.map(Day::month));
    let partial_months = distinct(
        first_month.filter(|month| from != Some(month.first_day().start())),
        last_month.filter(|month| to != Some(month.last_day().end())),
    );
    let partial_days =
        distinct(first_day.filter(|day| from != Some(day.start())), last_day.filter(|day| to != Some(day.end())));
    let mut reads = vec![InitialRead::MonthCounts(first_month, last_month)];
    reads.extend(partial_months.map(InitialRead::DayCounts));
    reads.extend(partial_days.map(InitialRead::DayPostings));
    reads
}

/// Returns both values, or one if they are equal: the range may begin and end in the same month or day.
fn distinct<T: PartialEq>(first: Option<T>, last: Option<T>) -> impl Iterator<Item = T> {
    let last = last.filter(|last| first.as_ref() != Some(last));
    first.into_iter().chain(last)
}

impl<'a> Search<'a> {
    /// Does the reads of the first wave. Returns the buckets that make up the range.
    pub(super) async fn read_initial_buckets(&mut self) -> Result<Vec<Bucket<'a>>, Error> {
        let reads = plan_initial_reads(self.query.from, self.query.to);
        let reads_of_sets = self.query.sets.iter().flat_map(|set| reads.iter().map(move |read| (set, *read)));
        let parts = reads_of_sets.map(|(set, read)| self.read_initial(set, read));
        let parts: Vec<Vec<Bucket<'a>>> = parallel(READS_IN_FLIGHT, parts).await?;
        let mut buckets = merge_buckets(parts.into_iter().flatten());
        // Compare before anything is dropped: only whole months and whole days have counts to compare with.
        self.has_drift |= !reads.iter().all(|read| self.adds_up(*read, &buckets));
        let (from, to) = (self.query.from.unwrap_or(i64::MIN), self.query.to.unwrap_or(i64::MAX));
        buckets.retain(|bucket| match bucket.span {
            // A partial month is replaced by its days.
            Span::Month(month) => !reads.contains(&InitialRead::DayCounts(month)),
            // Of a partial month's days, some are outside of the range, and a partial one is replaced by its postings.
            Span::Day(day) => from <= day.start() && day.end() <= to,
            Span::PartialDay(_) => true,
        });
        for postings in buckets.iter_mut().filter_map(|bucket| bucket.postings.as_mut()) {
            postings.retain(|posting| (from..=to).contains(&posting.effective_at));
        }
        Ok(buckets)
    }

    async fn read_initial(&self, set: &'a ReviewSet, read: InitialRead) -> Result<Vec<Bucket<'a>>, Error> {
        Ok(match read {
            InitialRead::MonthCounts(from, to) => {
                let months = self.store.query_month_counts(set, from, to).await?.into_iter();
                months.map(|(month, counts)| Bucket::with_counts(Span::Month(month), set, counts)).collect()
            }
            InitialRead::DayCounts(month) => self.read_days(set, month).await?,
            InitialRead::DayPostings(day) => {
                let runs = self.query.mask.runs();
                let runs = if runs.len() > MAX_RUNS { FacetMask::ALL.runs() } else { runs };
                let reads = runs.into_iter().map(|run| self.store.query_day_postings(set, day, run));
                let postings = parallel(READS_IN_FLIGHT, reads).await?;
                vec![Bucket::with_postings(Span::PartialDay(day), self.matching(postings))]
            }
        })
    }

    /// True if the days of a partial month add up to the month, or the postings of a partial day to the day. All of them
    /// are compared, in the range or not.
    fn adds_up(&self, read: InitialRead, buckets: &[Bucket<'_>]) -> bool {
        let count = |is_part: &dyn Fn(Span) -> bool| -> u64 {
            let parts = buckets.iter().filter(|bucket| is_part(bucket.span));
            parts.map(|bucket| bucket.count(self.query.mask)).sum()
        };
        match read {
            InitialRead::MonthCounts(..) => true,
            InitialRead::DayCounts(month) => {
                count(&|span| matches!(span, Span::Day(day) if day.month() == month))
                    == count(&|span| span == Span::Month(month))
            }
            InitialRead::DayPostings(day) => {
                count(&|span| span == Span::PartialDay(day)) == count(&|span| span == Span::Day(day))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the plan for a range of dates as text. A date followed by "noon" is its 12:00, otherwise its start or end.
    fn plan(from: &str, to: &str) -> String {
        let day = |text: &str| (!text.is_empty()).then(|| Day::parse(&text[..10]).expect("a day"));
        let noon = |text: &str| if text.ends_with("noon") { 43_200 } else { 0 };
        let first = day(from).map(|day| day.start() + noon(from));
        let last = day(to).map(|day| if to.ends_with("noon") { day.start() + noon(to) } else { day.end() });
        let as_text = |read: InitialRead| match read {
            InitialRead::MonthCounts(from, to) => {
                let month = |month: Option<Month>| month.map_or_else(|| "*".to_owned(), |month| month.to_string());
                format!("{}..{}", month(from), month(to))
            }
            InitialRead::DayCounts(month) => format!("days of {month}"),
            InitialRead::DayPostings(day) => format!("postings of {day}"),
        };
        plan_initial_reads(first, last).into_iter().map(as_text).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn only_partial_months_and_days_need_more_reads() {
        assert_eq!(plan("", ""), "*..*");
        assert_eq!(plan("2024-02-01", "2024-02-29"), "2024-02..2024-02");
        assert_eq!(plan("2024-02-01", "2024-02-28"), "2024-02..2024-02, days of 2024-02");
        assert_eq!(plan("2024-02-02", ""), "2024-02..*, days of 2024-02");
        assert_eq!(plan("", "2024-02-10 noon"), "*..2024-02, days of 2024-02, postings of 2024-02-10");
        assert_eq!(plan("2024-02-10 noon", "2024-02-10"), "2024-02..2024-02, days of 2024-02, postings of 2024-02-10");
        assert_eq!(
            plan("2024-01-31 noon", "2024-03-10 noon"),
            "2024-01..2024-03, days of 2024-01, days of 2024-03, postings of 2024-01-31, postings of 2024-03-10"
        );
    }
}
