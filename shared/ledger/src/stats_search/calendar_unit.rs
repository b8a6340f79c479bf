//! Units of time that split counts.

use presence_domain::calendar::{Day, Month};

/// Unit of time, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarUnit {
    /// Day.
    Day,
    /// Month.
    Month,
    /// Year.
    Year,
}

impl CalendarUnit {
    /// Returns the number of the unit that contains a second: of the day since 1970, of the month since January of year 0, or the
    /// year.
    pub fn number_of(self, second: i64) -> i64 {
        match self {
            Self::Day => Day::of(second).number(),
            Self::Month => Month::of(second).number(),
            Self::Year => Month::of(second).year(),
        }
    }
}
