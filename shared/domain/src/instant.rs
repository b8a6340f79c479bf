//! Dates and times in requests, in imported files and in answers.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

/// First instant of 1970 in UTC: seconds are counted from it.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// First second that a review may have: 0001-01-01T00:00:00 in UTC.
pub const FIRST_SECOND: i64 = -62_135_596_800;
/// Last second that a review may have: 9999-12-31T23:59:59 in UTC.
pub const LAST_SECOND: i64 = 253_402_300_799;

/// Date, or date and time, that a client or a file gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateInput {
    /// Day in UTC, without a time.
    Day(Date),
    /// Instant in UTC, perhaps with a fraction of a second.
    Instant(DateTime),
    /// Any time before the year 1 in UTC: before every review.
    Before,
    /// Any time after the year 9999 in UTC: after every review.
    After,
}

impl DateInput {
    /// Reads `YYYY-MM-DD` or `YYYY-MM-DDTHH:MM[:SS[.fraction]]`, followed by `Z`, an offset `±hh:mm` or `±hhmm`, or nothing
    /// for UTC. `None` if the text has another form.
    ///
    /// A blank counts as `+`, because a query string decodes `+` to a blank.
    pub fn parse(text: &str) -> Option<Self> {
        let date = parse_date(text.get(..10)?)?;
        let Some(rest) = text[10..].strip_prefix('T') else {
            let day = if date.year() < 1 { Self::Before } else { Self::Day(date) };
            return text[10..].is_empty().then_some(day);
        };
        let end = rest.find(['Z', '+', '-', ' ']).unwrap_or(rest.len());
        let (time, offset) = rest.split_at(end);
        let (hour, minute, second, fraction) = parse_time_of_day(time)?;
        let local = date.at(hour, minute, second, fraction);
        Some(match local.checked_sub(parse_offset(offset)?) {
            Ok(instant) if instant.year() < 1 => Self::Before,
            Ok(instant) => Self::Instant(instant),
            // The subtraction fails only beyond the last instant of 9999, which is the largest of the calendar.
            Err(_) => Self::After,
        })
    }

    /// Returns the first whole second that is not before this input: for a day its midnight.
    ///
    /// Times outside the years of reviews give [`FIRST_SECOND`], or the second after [`LAST_SECOND`].
    pub fn first_second(self) -> i64 {
        match self {
            Self::Day(date) => seconds_since_epoch(date.into()),
            Self::Instant(instant) => seconds_since_epoch(instant) + i64::from(instant.subsec_nanosecond() > 0),
            Self::Before => FIRST_SECOND,
            Self::After => LAST_SECOND + 1,
        }
    }

    /// Returns the last whole second that is not after this input: for a day its last second.
    ///
    /// Times outside the years of reviews give the second before [`FIRST_SECOND`], or [`LAST_SECOND`].
    pub fn last_second(self) -> i64 {
        match self {
            Self::Day(date) => seconds_since_epoch(date.at(23, 59, 59, 0)),
            Self::Instant(instant) => seconds_since_epoch(instant),
            Self::Before => FIRST_SECOND - 1,
            Self::After => LAST_SECOND,
        }
    }

    /// Returns the second of a review's date: for a day its start; fractions are dropped. `None` outside the years of reviews.
    pub fn second(self) -> Option<i64> {
        match self {
            Self::Day(_) => Some(self.first_second()),
            Self::Instant(_) => Some(self.last_second()),
            Self::Before | Self::After => None,
        }
    }

    /// Returns the microseconds since 1970: for a day those of its start; smaller fractions are dropped. `None` outside the years of
    /// reviews.
    pub fn microsecond(self) -> Option<i64> {
        let fraction =
            if let Self::Instant(instant) = self { i64::from(instant.subsec_nanosecond()) / 1_000 } else { 0 };
        self.second().map(|second| second * 1_000_000 + fraction)
    }

    /// Returns the day in UTC; `None` outside the years of reviews.
    pub fn day(self) -> Option<Date> {
        match self {
            Self::Day(date) => Some(date),
            Self::Instant(instant) => Some(instant.date()),
            Self::Before | Self::After => None,
        }
    }
}

/// True if the range, both ends included, contains no second that a review may have.
pub fn is_empty_range(from: Option<i64>, to: Option<i64>) -> bool {
    from.map_or(FIRST_SECOND, |from| from.max(FIRST_SECOND)) > to.map_or(LAST_SECOND, |to| to.min(LAST_SECOND))
}

/// Returns the whole seconds since 1970, negative before it. A fraction is dropped.
fn seconds_since_epoch(instant: DateTime) -> i64 {
    (instant - SignedDuration::from_nanos(instant.subsec_nanosecond().into())).duration_since(EPOCH).as_secs()
}

fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) =
        (parse_digits(parts.next()?, 4)?, parse_digits(parts.next()?, 2)?, parse_digits(parts.next()?, 2)?);
    if parts.next().is_some() {
        return None;
    }
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

fn parse_time_of_day(text: &str) -> Option<(i8, i8, i8, i32)> {
    let (clock, fraction) = match text.split_once('.') {
        Some((clock, fraction)) => (clock, Some(parse_nanoseconds(fraction)?)),
        None => (text, None),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (parse_digits(parts.next()?, 2)?, parse_digits(parts.next()?, 2)?);
    let second = parts.next().map(|text| parse_digits(text, 2));
    // A fraction without seconds is no time.
    if parts.next().is_some() || (second.is_none() && fraction.is_some()) {
        return None;
    }
    let second = second.unwrap_or(Some(0))?;
    let valid = hour < 24 && minute < 60 && second < 60;
    let narrow = |number: i16| i8::try_from(number).ok();
    valid.then_some((narrow(hour)?, narrow(minute)?, narrow(second)?, fraction.unwrap_or(0)))
}

fn parse_nanoseconds(fraction: &str) -> Option<i32> {
    let all_digits = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    all_digits.then(|| nine.parse().ok())?
}

fn parse_offset(text: &str) -> Option<SignedDuration> {
    if text.is_empty() || text == "Z" {
        return Some(SignedDuration::ZERO);
    }
    let (sign, rest) = text.split_at_checked(1)?;
    let sign = if sign == "-" { -1 } else { 1 };
    let (hours, minutes) = match rest.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None => rest.split_at_checked(2)?,
    };
    let (hours, minutes) = (parse_digits(hours, 2)?, parse_digits(minutes, 2)?);
    let valid = sign == 1 || text.starts_with('-');
    (valid && hours < 24 && minutes < 60)
        .then(|| SignedDuration::from_mins(sign * (i64::from(hours) * 60 + i64::from(minutes))))
}

/// Reads a number of exactly this many digits.
fn parse_digits(text: &str, length: usize) -> Option<i16> {
    (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Returns a second since 1970 in the form of answers: `2024-03-01T09:30:00+00:00`.
pub fn format_second(second: i64) -> String {
    EPOCH.checked_add(SignedDuration::from_secs(second)).map(|civil| format!("{civil}+00:00")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<(i64, i64)> {
        DateInput::parse(text).map(|input| (input.first_second(), input.last_second()))
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
    fn first_and_last_day_of_the_calendar_are_read() {
        assert_eq!(seconds("9999-12-31"), Some((253_402_214_400, 253_402_300_799)));
        assert_eq!(seconds("9999-12-31T23:59:59Z"), Some((253_402_300_799, 253_402_300_799)));
        assert_eq!(format_second(253_402_300_799), "9999-12-31T23:59:59+00:00");
        assert_eq!(seconds("0001-01-01T00:00:00.25"), Some((-62_135_596_799, -62_135_596_800)));
        assert_eq!(format_second(-62_135_596_800), "0001-01-01T00:00:00+00:00");
        assert_eq!(seconds("0001-01-01"), Some((FIRST_SECOND, FIRST_SECOND + 86_399)));
        assert_eq!(seconds("9999-12-31"), Some((LAST_SECOND - 86_399, LAST_SECOND)));
    }

    #[test]
    fn times_outside_the_calendar_are_before_or_after_every_review() {
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
    fn reversed_range_or_range_outside_the_calendar_is_empty() {
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
    fn every_other_form_is_refused() {
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
            "2024-03-01T12:00:00+24:00",
            "2024-03-01T12:00:00+01:60",
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
