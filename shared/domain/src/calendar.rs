//! Days and months in UTC, as numbers and in the form of storage keys.
//!
//! The code uses civil dates of `jiff`, not instants: `jiff`'s instants end on 9999-12-30 at 22:00, before the last review
//! that is accepted.

use jiff::SignedDuration;
use jiff::civil::{Date, date};

/// Number of seconds in a day.
pub const SECONDS_OF_DAY: i64 = 86_400;

/// Day from which days are counted.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// Number of days from the first of March of the year -400 to the epoch. The calendar repeats itself every 400 years.
const DAYS_BEFORE_EPOCH: i64 = 865_565;

/// Day in UTC, as the number of days since 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// Month in UTC, as the number of months since January of year 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(i64);

impl Day {
    /// Returns the day of a second since 1970.
    pub fn of(second: i64) -> Self {
        Self(second.div_euclid(SECONDS_OF_DAY))
    }

    /// Returns the number of days since 1970-01-01.
    pub fn number(self) -> i64 {
        self.0
    }

    /// Returns the day with this number of days since 1970-01-01.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Returns its first second since 1970.
    #[must_use]
    pub fn start(self) -> i64 {
        self.0 * SECONDS_OF_DAY
    }

    /// Returns its last second since 1970.
    pub fn end(self) -> i64 {
        self.start() + SECONDS_OF_DAY - 1
    }

    /// Returns the next day.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the month that contains the day.
    pub fn month(self) -> Month {
        Month::on(self.date())
    }

    /// Reads the form that [`Day`] displays: `2025-11-03`.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self::on)
    }

    fn on(date: Date) -> Self {
        Self::of(date.duration_since(EPOCH).as_secs())
    }

    /// Returns the date, or the nearest one for a day outside the years -9999 to 9999. No review has such a day.
    fn date(self) -> Date {
        EPOCH.saturating_add(SignedDuration::from_secs(self.0.saturating_mul(SECONDS_OF_DAY)))
    }
}

impl Month {
    /// First month of the calendar.
    pub const MIN: Self = Self(-9999 * 12);
    /// Last month of the calendar.
    pub const MAX: Self = Self(9999 * 12 + 11);

    /// Returns its first day.
    pub fn first_day(self) -> Day {
        match self.0 {
            // The years 0 to 9999. A search reads the spans of thousands of periods, for which the date is too slow.
            0..120_000 => Day(self.days_since_epoch()),
            _ => Day::on(self.first_date()),
        }
    }

    /// Returns its last day.
    pub fn last_day(self) -> Day {
        Day::on(self.first_date().last_of_month())
    }

    /// Returns the next month.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the month of a second since 1970.
    pub fn of(second: i64) -> Self {
        Day::of(second).month()
    }

    /// Returns the number of months since January of year 0.
    pub fn number(self) -> i64 {
        self.0
    }

    /// Returns its year.
    pub fn year(self) -> i64 {
        self.0.div_euclid(12)
    }

    /// Returns the month with this number of months since January of year 0.
    pub const fn from_number(number: i64) -> Self {
        Self(number)
    }

    /// Reads the form that [`Month`] displays: `2025-11`.
    pub fn parse(text: &str) -> Option<Self> {
        format!("{text}-01").parse().ok().map(Self::on)
    }

    fn on(date: Date) -> Self {
        Self(i64::from(date.year()) * 12 + i64::from(date.month()) - 1)
    }

    /// Returns the number of days from the epoch to its first day, for a month from year 0 on.
    fn days_since_epoch(self) -> i64 {
        // Years that begin in March end with the leap day. The 12 months then begin after 0, 31, 61, 92, … days.
        let months = self.0 - 2 + 400 * 12;
        let (year, month) = (months / 12, months % 12);
        year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 - DAYS_BEFORE_EPOCH
    }

    /// Returns the date of its first day, or the nearest one for a month outside the years -9999 to 9999.
    fn first_date(self) -> Date {
        let nearest = self.0.clamp(Self::MIN.0, Self::MAX.0);
        let (year, month) = (i16::try_from(nearest.div_euclid(12)), i8::try_from(nearest.rem_euclid(12) + 1));
        date(year.expect("a year of the calendar"), month.expect("1 to 12"), 1)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let date = self.date();
        write!(f, "{:04}-{:02}-{:02}", date.year(), date.month(), date.day())
    }
}

impl std::fmt::Display for Month {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}", self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::instant::{FIRST_SECOND, LAST_SECOND, format_second};

    /// Checks the day and month of a second against the date that answers show for it.
    fn assert_day_of(second: i64) {
        let shown = format_second(second);
        let day = Day::of(second);
        let month = day.month();
        assert_eq!(day.to_string(), shown[..10], "{shown}");
        assert_eq!(month.to_string(), shown[..7], "{shown}");
        assert!(day.start() <= second && second <= day.end(), "{shown}");
        assert_eq!((Day::of(day.start()), Day::of(day.end())), (day, day), "{shown}");
        assert_eq!((Day::parse(&shown[..10]), Month::parse(&shown[..7])), (Some(day), Some(month)), "{shown}");
        assert!(month.first_day() <= day && day <= month.last_day(), "{shown}");
        assert_eq!(month.first_day().to_string(), format!("{}-01", &shown[..7]));
        assert_eq!((month.first_day().month(), month.last_day().month()), (month, month), "{shown}");
    }

    #[test]
    fn first_and_last_day_of_every_month_have_the_date_that_answers_show() {
        let (mut month, mut days, mut before) = (Day::of(FIRST_SECOND).month(), 0, String::new());
        loop {
            let (first, last) = (month.first_day(), month.last_day());
            assert_day_of(first.start());
            assert_day_of(last.end());
            assert!(before < first.to_string() && first.to_string() < last.to_string(), "keys sort as days do");
            days += (last.end() + 1 - first.start()) / SECONDS_OF_DAY;
            before = last.to_string();
            if last.end() == LAST_SECOND {
                break;
            }
            assert_eq!(last.next(), month.next().first_day());
            month = month.next();
        }
        assert_eq!((days, before.as_str()), (3_652_059, "9999-12-31"), "9,999 years");
    }

    #[test]
    fn days_outside_the_calendar_do_not_panic() {
        for second in [-1_000_000_000_000_000, FIRST_SECOND - 1, LAST_SECOND + 1, 1_000_000_000_000_000] {
            let day = Day::of(second);
            assert!(day.month().first_day() <= day.month().last_day(), "{second}: {day}");
        }
        assert_eq!(
            (Day::of(i64::MIN).to_string(), Day::of(i64::MAX).to_string()),
            ("-9999-01-01".into(), "9999-12-31".into())
        );
        let [first, last] = [i64::MIN, i64::MAX].map(Month::from_number);
        assert_eq!(
            (first.first_day().to_string(), last.last_day().to_string()),
            ("-9999-01-01".into(), "9999-12-31".into())
        );
    }

    proptest! {
        #[test]
        fn day_of_a_second_is_the_date_that_answers_show(second in FIRST_SECOND..=LAST_SECOND) {
            assert_day_of(second);
        }
    }
}
