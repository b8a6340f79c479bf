//! Dates and times as clients and files write them.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

/// Where seconds are counted from: the first instant of 1970, UTC.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// The first second that a review may have: 0001-01-01T00:00:00, UTC.
pub const FIRST_SECOND: i64 = -62_135_596_800;
/// The last one: 9999-12-31T23:59:59, UTC.
pub const LAST_SECOND: i64 = 253_402_300_799;

/// A date or a date and time as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateInput {
    /// A bare day: in UTC.
    Day(Date),
    /// An instant in UTC; the fraction of its second may be more than nothing.
    Instant(DateTime),
    /// Before the year 1 in UTC: before everything.
    Before,
    /// After the year 9999 in UTC: after everything.
    After,
}

impl DateInput {
    /// Reads `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM[:SS[.fraction]]`, then nothing (UTC), `Z`, or an offset `±hh:mm` or
    /// `±hhmm`; a blank in the place of the `+` is taken for one, because that is what a query string makes of it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let date = date(text.get(..10)?)?;
        let Some(rest) = text[10..].strip_prefix('T') else {
            let day = if date.year() < 1 { Self::Before } else { Self::Day(date) };
            return text[10..].is_empty().then_some(day);
        };
        let end = rest.find(['Z', '+', '-', ' ']).unwrap_or(rest.len());
        let (time, offset) = rest.split_at(end);
        let (hour, minute, second, fraction) = time_of_day(time)?;
        let local = date.at(hour, minute, second, fraction);
        Some(match local.checked_sub(offset_of(offset)?) {
            Ok(instant) if instant.year() < 1 => Self::Before,
            Ok(instant) => Self::Instant(instant),
            // The largest date and time of the calendar is the last one of 9999.
            Err(_) => Self::After,
        })
    }

    /// The first whole second that is not before it; a day starts at midnight. Before everything it is the first second of
    /// all, after everything the second after the last.
    #[must_use]
    pub fn first_second(self) -> i64 {
        match self {
            Self::Day(date) => seconds_until(date.into()),
            Self::Instant(instant) => seconds_until(instant) + i64::from(instant.subsec_nanosecond() > 0),
            Self::Before => FIRST_SECOND,
            Self::After => LAST_SECOND + 1,
        }
    }

    /// The last whole second that is not after it; a day ends with its last second. Before everything it is the second
    /// before the first, after everything the last second of all.
    #[must_use]
    pub fn last_second(self) -> i64 {
        match self {
            Self::Day(date) => seconds_until(date.at(23, 59, 59, 0)),
            Self::Instant(instant) => seconds_until(instant),
            Self::Before => FIRST_SECOND - 1,
            Self::After => LAST_SECOND,
        }
    }

    /// Returns the whole second of a review's date: a bare day is its start, fractions are dropped. `None` outside the years
    /// that a review may have.
    #[must_use]
    pub fn second(self) -> Option<i64> {
        match self {
            Self::Day(_) => Some(self.first_second()),
            Self::Instant(_) => Some(self.last_second()),
            Self::Before | Self::After => None,
        }
    }

    /// Returns its day in UTC; `None` outside the years that a review may have.
    #[must_use]
    pub fn day(self) -> Option<Date> {
        match self {
            Self::Day(date) => Some(date),
            Self::Instant(instant) => Some(instant.date()),
            Self::Before | Self::After => None,
        }
    }
}

/// True if no second that a review may have lies in the range, both ends included.
#[must_use]
pub fn is_empty_range(from: Option<i64>, to: Option<i64>) -> bool {
    from.map_or(FIRST_SECOND, |from| from.max(FIRST_SECOND)) > to.map_or(LAST_SECOND, |to| to.min(LAST_SECOND))
}

/// Whole seconds since 1970, before it negative; the fraction of the second is dropped.
fn seconds_until(instant: DateTime) -> i64 {
    (instant - SignedDuration::from_nanos(instant.subsec_nanosecond().into())).duration_since(EPOCH).as_secs()
}

fn date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn time_of_day(text: &str) -> Option<(i8, i8, i8, i32)> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(nanoseconds(fraction)?)),
        None => (text, None),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().map(|text| digits(text, 2));
    // A fraction needs seconds to be a fraction of.
    if parts.next().is_some() || (second.is_none() && fraction.is_some()) {
        return None;
    }
    let second = second.unwrap_or(Some(0))?;
    let valid = hour < 24 && minute < 60 && second < 60;
    let narrow = |number: i16| i8::try_from(number).ok();
    valid.then_some((narrow(hour)?, narrow(minute)?, narrow(second)?, fraction.unwrap_or(0)))
}

fn nanoseconds(fraction: &str) -> Option<i32> {
    let all_digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    all_digits.then(|| nine.parse().ok())?
}

fn offset_of(text: &str) -> Option<SignedDuration> {
    if text.is_empty() || text == "Z" {
        return Some(SignedDuration::ZERO);
    }
    let (sign, rest) = text.split_at_checked(1)?;
    let sign = if sign == "-" { -1 } else { 1 };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None => rest.split_at_checked(2)?,
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    let valid = sign == 1 || text.starts_with('-');
    (valid && hours < 24 && minutes < 60)
        .then(|| SignedDuration::from_mins(sign * (i64::from(hours) * 60 + i64::from(minutes))))
}

fn digits(text: &str, length: usize) -> Option<i16> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// The form of answers: `2024-03-01T09:30:00+00:00`.
#[must_use]
pub fn format_second(second: i64) -> String {
    EPOCH.checked_add(SignedDuration::from_secs(second)).map(|civil| format!("{civil}+00:00")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<(i64, i64)> {
        DateInput::parse(text).map(|written| (written.first_second(), written.last_second()))
    }

    #[test]
    fn every_accepted_form_is_read() {
        let noon = 1_709_294_400;
        for text in [
            "2024-03-01T12:00",
            "2024-03-01T12:00:00",
            "2024-03-01T12:00:00Z",
            "2024-03-01T14:00:00+02:00",
            "2024-03-01T14:00:00 02:00",
            "2024-03-01T14:00:00+0200",
            "2024-03-01T06:30-05:30",
        ] {
            assert_eq!(seconds(text), Some((noon, noon)), "{text}");
        }
        assert_eq!(seconds("2024-03-01T12:00:00.5Z"), Some((noon + 1, noon)));
        assert_eq!(seconds("2024-02-29"), Some((1_709_164_800, 1_709_251_199)));
        assert_eq!(format_second(noon), "2024-03-01T12:00:00+00:00");
    }

    #[test]
    fn the_first_and_the_last_day_that_can_be_written_are_read() {
        assert_eq!(seconds("9999-12-31"), Some((253_402_214_400, 253_402_300_799)));
        assert_eq!(seconds("9999-12-31T23:59:59Z"), Some((253_402_300_799, 253_402_300_799)));
        assert_eq!(format_second(253_402_300_799), "9999-12-31T23:59:59+00:00");
        assert_eq!(seconds("0001-01-01T00:00:00.25"), Some((-62_135_596_799, -62_135_596_800)));
        assert_eq!(format_second(-62_135_596_800), "0001-01-01T00:00:00+00:00");
        assert_eq!(seconds("0001-01-01"), Some((FIRST_SECOND, FIRST_SECOND + 86_399)));
        assert_eq!(seconds("9999-12-31"), Some((LAST_SECOND - 86_399, LAST_SECOND)));
    }

    #[test]
    fn what_lies_outside_is_before_or_after_everything() {
        let before = Some((FIRST_SECOND, FIRST_SECOND - 1));
        for text in
            ["0000-12-31", "0000-01-01", "0000-12-31T23:59:59.9", "0001-01-01T00:00+00:01", "0000-01-01T00:00+23:59"]
        {
            assert_eq!((DateInput::parse(text), seconds(text)), (Some(DateInput::Before), before), "{text}");
        }
        let after = Some((LAST_SECOND + 1, LAST_SECOND));
        for text in ["9999-12-31T23:59-05:00", "9999-12-31T23:59:59.5-00:01", "9999-12-31T00:01-23:59"] {
            assert_eq!((DateInput::parse(text), seconds(text)), (Some(DateInput::After), after), "{text}");
        }
        assert_eq!(seconds("0000-12-31T23:59-00:01"), Some((FIRST_SECOND, FIRST_SECOND)), "an offset moves it inside");
        assert_eq!(seconds("9999-12-31T23:59:59.5"), Some((LAST_SECOND + 1, LAST_SECOND)), "after the last second");
    }

    #[test]
    fn a_range_is_empty_where_it_is_reversed_or_lies_outside() {
        for (from, to, empty) in [
            (None, None, false),
            (Some(5), Some(5), false),
            (Some(6), Some(5), true),
            (Some(LAST_SECOND), None, false),
            (Some(LAST_SECOND + 1), None, true),
            (None, Some(FIRST_SECOND), false),
            (None, Some(FIRST_SECOND - 1), true),
            (Some(i64::MIN), Some(i64::MAX), false),
            (Some(LAST_SECOND + 1), Some(i64::MAX), true),
        ] {
            assert_eq!(is_empty_range(from, to), empty, "{from:?} {to:?}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        for text in [
            "",
            "2024",
            "2024-3-1",
            "2024-02-30",
            "2023-02-29",
            "2024-03-01 12:00",
            "2024-03-01T",
            "2024-03-01T24:00",
            "2024-03-01T12",
            "2024-03-01T12:60",
            "2024-03-01T12:00:60",
            "2024-03-01T12:00.5",
            "2024-03-01T12:00:00.",
            "2024-03-01T12:00:00ZZ",
            "2024-03-01T12:00:00+2",
            "2024-03-01T12:00:00+25:00",
            "0000-13-01",
            "10000-01-01",
            "2024-03-01x",
            "2024-03-01T12:00:00z",
            "2024-03-01T12:00:00+02:000",
            "20é4-03-01",
        ] {
            assert_eq!(DateInput::parse(text), None, "{text:?}");
        }
    }
}
