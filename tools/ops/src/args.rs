//! Readers of arguments: text into domain types. What they refuse is wrong usage.

use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::{SignedDuration, Span, SpanRelativeTo};
use presence_domain::email::EmailAddress;
use presence_domain::email_pattern::EmailPattern;
use presence_domain::ids::{BusinessId, MAX_ID, OrgId};
use presence_domain::text::has_control;
use presence_domain::user::{Lang, PersonName, Phone, Role, Status};

/// The most characters of a key's label: it fits one line of a list.
const LABEL_MAX_CHARS: usize = 100;
/// The longest life of a key: ten years. Beyond it, a mistyped unit is likelier than a plan.
const MAX_LIFE: Duration = Duration::from_hours(10 * 365 * 24);
/// The longest overlap of a rotation: 90 days. A key that has to last longer needs no rotation.
const MAX_OVERLAP: Duration = Duration::from_hours(90 * 24);

pub(crate) fn role() -> impl TypedValueParser<Value = Role> {
    choice(&Role::ALL, Role::as_str)
}

pub(crate) fn status() -> impl TypedValueParser<Value = Status> {
    choice(&Status::ALL, Status::as_str)
}

fn choice<T: Copy + Send + Sync + 'static>(
    choices: &'static [T],
    spelling: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(choices.iter().map(|choice| spelling(*choice))).try_map(move |text| {
        choices.iter().copied().find(|choice| spelling(*choice) == text).ok_or("is not one of the choices")
    })
}

pub(crate) fn email(text: &str) -> Result<EmailAddress, &'static str> {
    let address = EmailAddress::parse(without_control(text)?)?;
    address.check_deliverable()?;
    Ok(address)
}

pub(crate) fn email_pattern(text: &str) -> Result<EmailPattern, &'static str> {
    EmailPattern::parse(without_control(text)?)
}

pub(crate) fn person_name(text: &str) -> Result<PersonName, &'static str> {
    PersonName::parse(without_control(text)?)
}

pub(crate) fn phone(text: &str) -> Result<Phone, &'static str> {
    Phone::parse(text)?.ok_or("must not be blank")
}

pub(crate) fn lang(text: &str) -> Result<Lang, String> {
    Lang::parse(text).ok_or_else(|| format!("must be one of {}", Lang::ALL.map(Lang::as_str).join(", ")))
}

pub(crate) fn org_id(text: &str) -> Result<OrgId, String> {
    let id = text.parse().ok().and_then(OrgId::new);
    id.ok_or_else(|| format!("must be an integer from 1 to {MAX_ID}"))
}

pub(crate) fn business_id(text: &str) -> Result<BusinessId, &'static str> {
    BusinessId::parse(text).ok_or("must have 1 to 64 letters, digits and : _ . -")
}

pub(crate) fn label(text: &str) -> Result<String, String> {
    let trimmed = without_control(text)?.trim();
    match trimmed.chars().count() {
        1..=LABEL_MAX_CHARS => Ok(trimmed.to_owned()),
        _ => Err(format!("must have 1 to {LABEL_MAX_CHARS} characters")),
    }
}

/// How long a key lives: more than nothing.
pub(crate) fn life(text: &str) -> Result<SignedDuration, String> {
    match duration(text, MAX_LIFE)? {
        SignedDuration::ZERO => Err("must be more than nothing".to_owned()),
        life => Ok(life),
    }
}

/// How long a rotated key still gives access.
pub(crate) fn overlap(text: &str) -> Result<SignedDuration, String> {
    duration(text, MAX_OVERLAP)
}

/// Reads `30m`, `24h`, `90d`, `2w`. A day has 24 hours, wherever the operator lives.
fn duration(text: &str, longest: Duration) -> Result<SignedDuration, String> {
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

fn without_control(text: &str) -> Result<&str, &'static str> {
    if has_control(text) { Err("must not contain control characters") } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_number_and_a_unit() {
        let cases = [("30m", 1_800), ("24h", 86_400), ("90d", 7_776_000), ("2w", 1_209_600), ("1d 12h", 129_600)];
        for (text, seconds) in cases {
            assert_eq!(life(text), Ok(SignedDuration::from_secs(seconds)), "{text}");
        }
        assert_eq!(overlap("0h"), Ok(SignedDuration::ZERO));
    }

    #[test]
    fn a_duration_is_bounded() {
        for wrong in ["", "24", "h", "-1h", "0h", "3651d", "1month", "1y", "99999999999999999999d", "tomorrow"] {
            assert!(life(wrong).is_err(), "{wrong:?}");
        }
        assert!(life("3650d").is_ok() && overlap("90d").is_ok());
        assert!(overlap("91d").is_err());
    }

    #[test]
    fn a_label_fits_a_line() {
        assert_eq!(label(" laptop "), Ok("laptop".to_owned()));
        for wrong in ["", "  ", "a\nb", &"é".repeat(101)] {
            assert!(label(wrong).is_err(), "{wrong:?}");
        }
    }
}
