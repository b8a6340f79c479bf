//! Deprecation: marks of operations, parameters and fields that are to be removed, and the headers that tell clients of them.
//!
//! A row of a function's table of routes carries its marks. Each answer to a request that uses a marked part has `Deprecation`
//! (RFC 9745) and `Sunset` (RFC 8594).

use jiff::civil::Date;
use jiff::fmt::rfc2822::DateTimePrinter;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use lambda_http::http::header::HeaderName;

/// Header with the instant from which on a part is deprecated, as a date of structured fields: `@` and Unix seconds.
pub(super) const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// Header with the instant from which on a part may be gone, as an HTTP date.
pub(super) const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// Minimum time in months from a deprecation to its sunset: a client that is updated once a year learns of it in time.
pub const MIN_NOTICE_MONTHS: i32 = 12;

/// Mark of an operation, or of one of its parameters or fields, that is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deprecation {
    /// Name of the parameter or of the body field; `None` for the whole operation.
    pub name: Option<&'static str>,
    /// Day, in UTC, from which on the part is deprecated.
    pub since_on: Date,
    /// Day, in UTC, from which on the part may be gone.
    pub sunset_on: Date,
}

/// Deprecation that the headers of an answer tell of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DeprecationNotice {
    /// Value of `Deprecation`.
    pub(super) since: String,
    /// Value of `Sunset`.
    pub(super) sunset: String,
}

impl Deprecation {
    /// Marks a whole operation.
    pub const fn of_operation(since_on: Date, sunset_on: Date) -> Self {
        Self { name: None, since_on, sunset_on }
    }

    /// Marks a parameter or a body field.
    pub const fn of_name(name: &'static str, since_on: Date, sunset_on: Date) -> Self {
        Self { name: Some(name), since_on, sunset_on }
    }

    /// True if at least [`MIN_NOTICE_MONTHS`] lie between deprecation and sunset.
    pub fn gives_enough_notice(&self) -> bool {
        self.since_on.checked_add(MIN_NOTICE_MONTHS.months()).is_ok_and(|earliest| earliest <= self.sunset_on)
    }
}

/// Returns the notice for a request: the first deprecation and the first sunset of the parts that it uses. Returns `None` if it uses no
/// marked part. `has` is true for the names of its parameters and fields.
pub(super) fn notice(marks: &[Deprecation], has: impl Fn(&str) -> bool) -> Option<DeprecationNotice> {
    let used = || marks.iter().filter(|mark| mark.name.is_none_or(&has));
    let since = start_of_day(used().map(|mark| mark.since_on).min()?)?;
    let sunset = start_of_day(used().map(|mark| mark.sunset_on).min()?)?;
    let sunset = DateTimePrinter::new().timestamp_to_rfc9110_string(&sunset).ok()?;
    Some(DeprecationNotice { since: format!("@{}", since.as_second()), sunset })
}

/// Returns the first instant of a day in UTC; `None` for a day outside of the calendar's instants.
fn start_of_day(day: Date) -> Option<Timestamp> {
    day.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    const SEARCH: Deprecation = Deprecation::of_operation(date(2027, 1, 1), date(2028, 6, 30));
    const LIMIT: Deprecation = Deprecation::of_name("limit", date(2026, 3, 1), date(2028, 2, 29));

    fn headers(marks: &[Deprecation], names: &[&str]) -> Option<(String, String)> {
        notice(marks, |name| names.contains(&name)).map(|notice| (notice.since, notice.sunset))
    }

    #[test]
    fn only_a_request_that_uses_a_marked_part_is_told() {
        let limit = Some(("@1772323200".to_owned(), "Tue, 29 Feb 2028 00:00:00 GMT".to_owned()));
        assert_eq!(headers(&[LIMIT], &["page", "limit"]), limit);
        assert_eq!(headers(&[LIMIT], &["page"]), None);
        assert_eq!(headers(&[], &["limit"]), None);
        let search = Some(("@1798761600".to_owned(), "Fri, 30 Jun 2028 00:00:00 GMT".to_owned()));
        assert_eq!(headers(&[SEARCH, LIMIT], &[]), search);
        assert_eq!(headers(&[SEARCH, LIMIT], &["limit"]), limit, "the first days of all used parts");
    }

    #[test]
    fn a_sunset_leaves_a_year() {
        assert!(SEARCH.gives_enough_notice());
        assert!(Deprecation::of_operation(date(2027, 1, 1), date(2028, 1, 1)).gives_enough_notice());
        assert!(!Deprecation::of_operation(date(2027, 1, 1), date(2027, 12, 31)).gives_enough_notice());
    }
}
