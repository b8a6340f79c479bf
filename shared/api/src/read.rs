//! Readers of single values. Each but [`any_text`] refuses control characters, which most input may not have.

use std::borrow::Cow;

use serde_json::{Number, Value};

use super::raw_value::RawValue;
use presence_domain::error::FieldError;
use presence_domain::ids::{MAX_ID, OrgId};
use presence_domain::page::PageRequest;
use presence_domain::text::{city_key, fold, has_control};

/// Maximum number of characters in a text to search for.
pub const MAX_SEARCH_CHARS: usize = 255;
/// Bound below which a number with a fraction or an exponent has every whole value exactly: 2^53.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads any text.
pub fn text(raw: RawValue<'_>) -> Result<&str, FieldError> {
    let text = any_text(raw)?;
    if has_control(text) { Err("must not contain control characters".into()) } else { Ok(text) }
}

/// Reads any text, with control characters, for a field that drops them.
pub fn any_text(raw: RawValue<'_>) -> Result<&str, FieldError> {
    raw.as_text().ok_or_else(|| "must be a string".into())
}

/// Reads text to search for: at most 255 characters, folded. Refuses text of which folding leaves nothing, because such text would
/// match everything.
pub fn search_text(raw: RawValue<'_>) -> Result<String, FieldError> {
    folded(raw, |text| fold(text.trim()))
}

/// Reads the name of a city, as the key by which cities are compared: at most 255 characters. Refuses a name of hyphens, apostrophes
/// and blanks only, because it names no city.
pub fn city(raw: RawValue<'_>) -> Result<String, FieldError> {
    folded(raw, city_key)
}

fn folded(raw: RawValue<'_>, fold: fn(&str) -> String) -> Result<String, FieldError> {
    let text = text(raw)?;
    if text.chars().count() > MAX_SEARCH_CHARS {
        return Err("must have at most 255 characters".into());
    }
    let folded = fold(text);
    if folded.trim().is_empty() { Err("has nothing to search for".into()) } else { Ok(folded) }
}

/// Reads a boolean: `true` or `false` in any case, `1` or `0`, or a JSON boolean.
pub fn boolean(raw: RawValue<'_>) -> Result<bool, FieldError> {
    const CHOICES: [&str; 2] = ["True", "False"];
    let text = match raw {
        RawValue::Json(Value::Bool(value)) => return Ok(*value),
        RawValue::Json(Value::Number(number)) => Cow::Owned(number_text(number)),
        RawValue::Json(Value::String(text)) => Cow::Borrowed(text.as_str()),
        RawValue::Text(text) => Cow::Borrowed(text),
        RawValue::Json(_) => return Err(FieldError::choice(CHOICES)),
    };
    match text.trim() {
        "1" => Ok(true),
        "0" => Ok(false),
        word if word.eq_ignore_ascii_case("true") => Ok(true),
        word if word.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(FieldError::choice(CHOICES)),
    }
}

/// Reads a whole number: a JSON integer or decimal text.
pub fn integer(raw: RawValue<'_>) -> Result<i128, FieldError> {
    decimal(raw)?.parse().map_err(|_| "is out of range".into())
}

/// Reads a whole number as text: an optional minus sign and digits, however many.
fn decimal(raw: RawValue<'_>) -> Result<Cow<'_, str>, FieldError> {
    let digits = match raw {
        RawValue::Json(Value::Number(number)) => Cow::Owned(number_text(number)),
        RawValue::Json(Value::String(text)) => Cow::Borrowed(text.trim()),
        RawValue::Text(text) => Cow::Borrowed(text.trim()),
        RawValue::Json(_) => return Err("must be an integer".into()),
    };
    let unsigned = digits.strip_prefix('-').unwrap_or(&digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("must be an integer".into());
    }
    Ok(digits)
}

/// Returns a number as text. A whole one has digits only, even if JSON writes a fraction or an exponent: `7.0` is an integer in JSON Schema.
fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < MAX_EXACT => {
            format!("{:.0}", float + 0.0)
        }
        _ => number.to_string(),
    }
}

/// Reads the id of an organisation.
pub fn org_id(raw: RawValue<'_>) -> Result<OrgId, FieldError> {
    let number = integer(raw)?;
    let id = u64::try_from(number).ok().and_then(OrgId::new);
    id.ok_or_else(|| format!("must be an integer from 1 to {MAX_ID}").into())
}

/// Reads a page number, at most [`PageRequest::MAX_PAGE`]. Any number below 1 counts as 1. A number past the last page is kept.
pub fn page(raw: RawValue<'_>) -> Result<u64, FieldError> {
    let digits = decimal(raw)?;
    if digits.starts_with('-') {
        return Ok(1);
    }
    let number = digits.parse::<u64>().ok().filter(|number| *number <= PageRequest::MAX_PAGE);
    number.map(|number| number.max(1)).ok_or_else(|| format!("must be at most {}", PageRequest::MAX_PAGE).into())
}

/// Reads the number of items on a page: 1 to 100.
pub fn per_page(raw: RawValue<'_>) -> Result<u64, FieldError> {
    let size = u64::try_from(integer(raw)?).ok().filter(|size| (1..=PageRequest::MAX_SIZE).contains(size));
    size.ok_or_else(|| format!("must be an integer from 1 to {}", PageRequest::MAX_SIZE).into())
}

/// Reads one of a fixed set of values, spelled exactly.
pub fn choice<T: Copy>(raw: RawValue<'_>, choices: &[T], spelling: fn(T) -> &'static str) -> Result<T, FieldError> {
    let text = raw.as_text();
    let choice = choices.iter().copied().find(|choice| text == Some(spelling(*choice)));
    choice.ok_or_else(|| FieldError::choice(choices.iter().map(|choice| spelling(*choice))))
}
