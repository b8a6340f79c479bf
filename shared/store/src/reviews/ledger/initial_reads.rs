//! What a search reads first: as much as adds up to one read, that of the months.

use presence_domain::ledger::{Day, Month};

/// A read of the first wave: of one book, by its position.
pub(super) enum InitialRead {
    /// The tallies of every month that the range touches, both ends included.
    Months(Option<Month>, Option<Month>),
    /// The tallies of the days of a month that the range cuts.
    Days(Month),
    /// The slips of a day that it cuts.
    PartialDay(Day),
}

/// What to read first for a range of seconds: its months, the days of those that it cuts, and the slips of the days that
/// it cuts.
pub(super) fn outline(from: Option<i64>, to: Option<i64>) -> Vec<InitialRead> {
    let (first, last) = (from.map(Day::of), to.map(Day::of));
    let mut reads = vec![InitialRead::Months(first.map(Day::month), last.map(Day::month))];
    let cut_months = [
        first.map(Day::month).filter(|month| from != Some(month.first_day().start())),
        last.map(Day::month).filter(|month| to != Some(month.last_day().end())),
    ];
    let cut_days = [first.filter(|day| from != Some(day.start())), last.filter(|day| to != Some(day.end()))];
    reads.extend(unique(cut_months).map(InitialRead::Days));
    reads.extend(unique(cut_days).map(InitialRead::PartialDay));
    reads
}

/// Both ends, or one where they are the same.
fn unique<T: PartialEq>([first, last]: [Option<T>; 2]) -> impl Iterator<Item = T> {
    let last = last.filter(|last| first.as_ref() != Some(last));
    first.into_iter().chain(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(from: &str, to: &str) -> String {
        let day = |text: &str| (!text.is_empty()).then(|| Day::parse(&text[..10]).expect("a day"));
        let noon = |text: &str| if text.ends_with("noon") { 43_200 } else { 0 };
        let first = day(from).map(|day| day.start() + noon(from));
        let last = day(to).map(|day| if to.ends_with("noon") { day.start() + noon(to) } else { day.end() });
        let said = |read: InitialRead| match read {
            InitialRead::Months(from, to) => {
                let month = |month: Option<Month>| month.map_or_else(|| "*".to_owned(), |month| month.to_string());
                format!("{}..{}", month(from), month(to))
            }
            InitialRead::Days(month) => format!("days of {month}"),
            InitialRead::PartialDay(day) => format!("part of {day}"),
        };
        outline(first, last).into_iter().map(said).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn only_what_a_range_cuts_is_looked_at_closer() {
        assert_eq!(reads("", ""), "*..*");
        assert_eq!(reads("2024-02-01", "2024-02-29"), "2024-02..2024-02");
        assert_eq!(reads("2024-02-01", "2024-02-28"), "2024-02..2024-02, days of 2024-02");
        assert_eq!(reads("2024-02-02", ""), "2024-02..*, days of 2024-02");
        assert_eq!(reads("", "2024-02-10 noon"), "*..2024-02, days of 2024-02, part of 2024-02-10");
        assert_eq!(reads("2024-02-10 noon", "2024-02-10"), "2024-02..2024-02, days of 2024-02, part of 2024-02-10");
        assert_eq!(
            reads("2024-01-31 noon", "2024-03-10 noon"),
            "2024-01..2024-03, days of 2024-01, days of 2024-03, part of 2024-01-31, part of 2024-03-10"
        );
    }
}
