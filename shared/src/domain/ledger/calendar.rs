//! Months and days in UTC, by number and as they stand in keys.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Seconds of a day.
pub const SECONDS_OF_DAY: i64 = 86_400;

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// A month, counted from January of year 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(i64);

impl Day {
    /// The day of a second since 1970.
    #[must_use]
    pub fn of(second: i64) -> Self {
        Self(second.div_euclid(SECONDS_OF_DAY))
    }

    /// Its first second since 1970.
    #[must_use]
    pub fn start(self) -> i64 {
        self.0 * SECONDS_OF_DAY
    }

    /// Its last second since 1970.
    #[must_use]
    pub fn end(self) -> i64 {
        self.start() + SECONDS_OF_DAY - 1
    }

    /// The next day.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// The month that it lies in.
    #[must_use]
    pub fn month(self) -> Month {
        let date = self.date();
        Month(i64::from(date.year()) * 12 + i64::from(date.month()) - 1)
    }

    /// Day of the month, two digits.
    #[must_use]
    pub fn of_month(self) -> String {
        format!("{:02}", self.date().day())
    }

    /// Reads the form of [`Day`]'s display: `2025-11-03`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let date: Date = text.parse().ok()?;
        Some(Self::of(date.at(0, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?.timestamp().as_second()))
    }

    fn date(self) -> Date {
        let instant =
            Timestamp::from_second(self.start()).unwrap_or(if self.0 < 0 { Timestamp::MIN } else { Timestamp::MAX });
        TimeZone::UTC.to_datetime(instant).date()
    }
}

impl Month {
    /// Its first day.
    #[must_use]
    pub fn first_day(self) -> Day {
        Day::parse(&format!("{self}-01")).unwrap_or(Day(0))
    }

    /// Its last day.
    #[must_use]
    pub fn last_day(self) -> Day {
        let first = self.first_day();
        Day(first.0 + i64::from(first.date().days_in_month()) - 1)
    }

    /// The next month.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Reads the form of [`Month`]'s display: `2025-11`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Day::parse(&format!("{text}-01")).map(Day::month)
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
    use super::*;

    #[test]
    fn days_and_months_fit_together_over_centuries() {
        let mut day = Day::parse("1895-12-31").expect("a day");
        for _ in 0..60_000 {
            let month = day.month();
            assert!(month.first_day() <= day && day <= month.last_day());
            assert_eq!(Day::parse(&day.to_string()), Some(day));
            assert_eq!(Month::parse(&month.to_string()), Some(month));
            assert_eq!(Day::of(day.start()), day);
            assert_eq!(Day::of(day.end()), day);
            day = day.next();
        }
    }
}
