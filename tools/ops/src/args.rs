//! Parsers of arguments: text to domain types. Their errors are usage errors.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use presence_domain::audit::LIFETIME;
use presence_domain::email::EmailAddress;
use presence_domain::email_pattern::EmailPattern;
use presence_domain::error::FieldError;
use presence_domain::fuzzy::{FuzzyQuery, FuzzyQueryError, MAX_WORDS};
use presence_domain::ids::{BusinessId, MAX_ID, OrgId};
use presence_domain::instant::DateInput;
use presence_domain::key_rights::{AllowedNetworks, KeyAccess, LONGEST_OVERLAP, MAX_LABEL_CHARS};
use presence_domain::rate_limit::{KeyLimit, MAX_REQUESTS_PER_MINUTE};
use presence_domain::text::has_control;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status};

/// Longest lifetime of a key: ten years. A longer one is more likely a mistyped unit.
const MAX_LIFETIME: Duration = Duration::from_hours(10 * 365 * 24);

pub(crate) fn role_parser() -> impl TypedValueParser<Value = Role> {
    choice_parser(&Role::ALL, Role::as_str)
}

pub(crate) fn access_parser() -> impl TypedValueParser<Value = KeyAccess> {
    choice_parser(&KeyAccess::ALL, KeyAccess::as_str)
}

pub(crate) fn status_parser() -> impl TypedValueParser<Value = Status> {
    choice_parser(&Status::ALL, Status::as_str)
}

fn choice_parser<T: Copy + Send + Sync + 'static>(
    choices: &'static [T],
    as_str: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(choices.iter().map(|choice| as_str(*choice))).try_map(move |text| {
        choices.iter().copied().find(|choice| as_str(*choice) == text).ok_or("is not one of the choices")
    })
}

/// Parses the requests a minute of a key; 0 is no limit.
pub(crate) fn parse_key_limit(text: &str) -> Result<KeyLimit, String> {
    let limit = text.parse().ok().and_then(KeyLimit::from_number);
    limit.ok_or_else(|| {
        format!("must be a number of requests a minute, at most {MAX_REQUESTS_PER_MINUTE}; 0 is no limit")
    })
}

pub(crate) fn parse_email(text: &str) -> Result<EmailAddress, &'static str> {
    let address = EmailAddress::parse(reject_control(text)?)?;
    address.check_deliverable()?;
    Ok(address)
}

/// Search of users.
#[derive(Clone, Debug)]
pub(crate) enum UserPattern {
    /// By an address, or by one half of it.
    Address(EmailPattern),
    /// By words of names and addresses.
    Words(FuzzyQuery),
}

/// Parses an address or half of one if the text has `@` or `*`, and words otherwise.
pub(crate) fn parse_user_pattern(text: &str) -> Result<UserPattern, String> {
    let text = reject_control(text)?;
    if text.contains(['@', '*']) {
        return Ok(UserPattern::Address(EmailPattern::parse(text)?));
    }
    let query = FuzzyQuery::parse(text).map_err(|error| match error {
        FuzzyQueryError::NoWords => "must have a word".to_owned(),
        FuzzyQueryError::TooManyWords => format!("must have at most {MAX_WORDS} words"),
    });
    Ok(UserPattern::Words(query?))
}

pub(crate) fn parse_person_name(text: &str) -> Result<PersonName, &'static str> {
    PersonName::parse(reject_control(text)?)
}

pub(crate) fn parse_phone(text: &str) -> Result<Phone, &'static str> {
    Phone::parse(text)?.ok_or("must not be blank")
}

pub(crate) fn parse_lang(text: &str) -> Result<Lang, String> {
    Lang::from_tag(text).ok_or_else(|| format!("must be one of {}", Lang::ALL.map(Lang::as_str).join(", ")))
}

pub(crate) fn parse_org_id(text: &str) -> Result<OrgId, String> {
    let id = text.parse().ok().and_then(OrgId::new);
    id.ok_or_else(|| format!("must be an integer from 1 to {MAX_ID}"))
}

pub(crate) fn parse_business_id(text: &str) -> Result<BusinessId, &'static str> {
    BusinessId::parse(text).ok_or("must have 1 to 64 letters, digits and : _ . -")
}

pub(crate) fn parse_label(text: &str) -> Result<String, String> {
    let trimmed = reject_control(text)?.trim();
    match trimmed.chars().count() {
        1..=MAX_LABEL_CHARS => Ok(trimmed.to_owned()),
        _ => Err(format!("must have 1 to {MAX_LABEL_CHARS} characters")),
    }
}

/// Parses the networks of a key.
pub(crate) fn parse_networks(texts: &[String]) -> Result<AllowedNetworks, String> {
    AllowedNetworks::parse(texts.iter().map(String::as_str)).map_err(|error| match error {
        FieldError::Text(text) => format!("--network {text}"),
        FieldError::Choice { explanation, .. } => explanation.to_owned(),
    })
}

/// Parses the lifetime of a key, which is longer than zero.
pub(crate) fn parse_lifetime(text: &str) -> Result<SignedDuration, String> {
    match parse_duration(text, MAX_LIFETIME)? {
        SignedDuration::ZERO => Err("must be more than nothing".to_owned()),
        lifetime => Ok(lifetime),
    }
}

/// Parses the time for which a rotated key still gives access.
pub(crate) fn parse_overlap(text: &str) -> Result<SignedDuration, String> {
    parse_duration(text, LONGEST_OVERLAP.unsigned_abs())
}

/// Parses the time for which a command waits, which is longer than zero.
pub(crate) fn parse_wait(text: &str) -> Result<Duration, String> {
    Ok(parse_lifetime(text)?.unsigned_abs())
}

/// Start of the time of which records are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// So long ago.
    Ago(SignedDuration),
    At(Timestamp),
}

impl Since {
    /// Returns the instant.
    pub(crate) fn before(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(time) => now - time,
            Self::At(at) => at,
        }
    }
}

/// Parses a duration, a date, or an instant, which is in UTC without an offset. No record is kept for longer than the longest duration. A
/// date begins at midnight UTC.
pub(crate) fn parse_since(text: &str) -> Result<Since, String> {
    let text = text.trim();
    if let Some(microsecond) = DateInput::parse(text).and_then(DateInput::microsecond) {
        return Timestamp::from_microsecond(microsecond).map(Since::At).map_err(|error| error.to_string());
    }
    let not_a_time = |error: String| {
        let is_another = error.starts_with("must be a duration");
        if is_another {
            format!("{error}, a date such as 2026-11-22, or an instant such as 2026-11-22T12:00:00Z")
        } else {
            error
        }
    };
    parse_duration(text, LIFETIME.unsigned_abs()).map(Since::Ago).map_err(not_a_time)
}

/// Parses `30m`, `24h`, `90d`, `2w`. A day has 24 hours: time zones play no part.
fn parse_duration(text: &str, longest: Duration) -> Result<SignedDuration, String> {
    let longest = SignedDuration::try_from(longest).map_err(|error| error.to_string())?;
    let span: Span = text.trim().parse().map_err(|_| "must be a duration such as 30m, 24h, 90d or 2w".to_owned())?;
    let days_are_24_hours = SpanRelativeTo::days_are_24_hours();
    let duration =
        span.to_duration(days_are_24_hours).map_err(|_| "months and years vary: give days or weeks".to_owned())?;
    if duration.is_negative() || duration > longest {
        return Err(format!("must be between 0 and {} days", longest.as_hours() / 24));
    }
    Ok(duration)
}

fn reject_control(text: &str) -> Result<&str, &'static str> {
    if has_control(text) { Err("must not contain control characters") } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_numbers_with_units() {
        let cases = [("30m", 1_800), ("24h", 86_400), ("90d", 7_776_000), ("2w", 1_209_600), ("1d 12h", 129_600)];
        for (text, seconds) in cases {
            assert_eq!(parse_lifetime(text), Ok(SignedDuration::from_secs(seconds)), "{text}");
        }
        assert_eq!(parse_overlap("0h"), Ok(SignedDuration::ZERO));
    }

    #[test]
    fn duration_out_of_bounds_is_rejected() {
        for wrong in ["", "24", "h", "-1h", "0h", "3651d", "1month", "1y", "99999999999999999999d", "tomorrow"] {
            assert!(parse_lifetime(wrong).is_err(), "{wrong:?}");
        }
        assert!(parse_lifetime("3650d").is_ok() && parse_overlap("90d").is_ok());
        assert!(parse_overlap("91d").is_err());
        assert!(parse_since("400d").is_ok() && parse_since("401d").is_err());
        let now: Timestamp = "2026-11-25T10:00:00Z".parse().expect("an instant");
        let cases = [
            ("2d", "2026-11-23T10:00:00Z"),
            ("2026-11-22", "2026-11-22T00:00:00Z"),
            ("2026-11-22T12:00:00+01:00", "2026-11-22T11:00:00Z"),
            ("2026-11-22T12:00:00", "2026-11-22T12:00:00Z"),
            ("2026-11-22T12:00:00.25Z", "2026-11-22T12:00:00.25Z"),
        ];
        for (text, start) in cases {
            assert_eq!(parse_since(text).map(|since| since.before(now).to_string()).as_deref(), Ok(start), "{text}");
        }
        let refused = parse_since("yesterday");
        assert!(refused.is_err_and(|error| error.contains("2026-11-22T12:00:00Z")));
    }

    #[test]
    fn label_has_at_most_100_printable_characters() {
        assert_eq!(parse_label(" laptop "), Ok("laptop".to_owned()));
        for wrong in ["", "  ", "a\nb", &"é".repeat(101)] {
            assert!(parse_label(wrong).is_err(), "{wrong:?}");
        }
    }
}
