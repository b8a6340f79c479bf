//! Readers of single values. Each refuses control characters, which no input may have.

use std::borrow::Cow;

use serde_json::Value;

use super::Given;
use presence_domain::error::FieldError;
use presence_domain::ids::{MAX_ID, OrgId};
use presence_domain::page::PageRequest;
use presence_domain::text::{city_key, fold, has_control};

/// The most characters of a text to search for.
pub const MAX_SEARCH_CHARS: usize = 255;

/// Any text.
pub fn text(given: Given<'_>) -> Result<&str, FieldError> {
    let text = match given {
        Given::Text(text) => text,
        Given::Json(Value::String(text)) => text,
        Given::Json(_) => return Err("must be a string".into()),
    };
    if has_control(text) { Err("must not contain control characters".into()) } else { Ok(text) }
}

/// Text to search for: at most 255 characters, folded. Text of which folding leaves nothing is refused,
/// because it would match everything.
pub fn search_text(given: Given<'_>) -> Result<String, FieldError> {
    folded(given, |text| fold(text.trim()))
}

/// The name of a city, as the key by which cities are compared: at most 255 characters. A name of nothing but hyphens,
/// apostrophes and blanks is refused: it names no city.
pub fn city(given: Given<'_>) -> Result<String, FieldError> {
    folded(given, city_key)
}

fn folded(given: Given<'_>, fold: fn(&str) -> String) -> Result<String, FieldError> {
    let text = text(given)?;
    if text.chars().count() > MAX_SEARCH_CHARS {
        return Err("must have at most 255 characters".into());
    }
    let folded = fold(text);
    if folded.trim().is_empty() { Err("has nothing to search for".into()) } else { Ok(folded) }
}

/// A truth value: `true` or `false` in any case, `1` or `0`, or a JSON boolean.
pub fn boolean(given: Given<'_>) -> Result<bool, FieldError> {
    const CHOICES: [&str; 2] = ["True", "False"];
    let text = match given {
        Given::Json(Value::Bool(value)) => return Ok(*value),
        Given::Json(Value::Number(number)) => Cow::Owned(number.to_string()),
        Given::Json(Value::String(text)) => Cow::Borrowed(text.as_str()),
        Given::Text(text) => Cow::Borrowed(text),
        Given::Json(_) => return Err(FieldError::choice(CHOICES)),
    };
    match text.trim() {
        "1" => Ok(true),
        "0" => Ok(false),
        word if word.eq_ignore_ascii_case("true") => Ok(true),
        word if word.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(FieldError::choice(CHOICES)),
    }
}

/// A whole number: a JSON integer or decimal text.
pub fn integer(given: Given<'_>) -> Result<i128, FieldError> {
    decimal(given)?.parse().map_err(|_| "is out of range".into())
}

/// The digits of a whole number, after its sign; as many as were given.
fn decimal(given: Given<'_>) -> Result<Cow<'_, str>, FieldError> {
    let digits = match given {
        Given::Json(Value::Number(number)) => Cow::Owned(number.to_string()),
        Given::Json(Value::String(text)) => Cow::Borrowed(text.trim()),
        Given::Text(text) => Cow::Borrowed(text.trim()),
        Given::Json(_) => return Err("must be an integer".into()),
    };
    let unsigned = digits.strip_prefix('-').unwrap_or(&digits);
    if unsigned.is_empty() || !unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("must be an integer".into());
    }
    Ok(digits)
}

/// An organisation's id.
pub fn org_id(given: Given<'_>) -> Result<OrgId, FieldError> {
    let number = integer(given)?;
    let id = u64::try_from(number).ok().and_then(OrgId::new);
    id.ok_or_else(|| format!("must be an integer from 1 to {MAX_ID}").into())
}

/// A page number, at most [`PageRequest::MAX_PAGE`]. Below 1 it counts as 1, however far; past the end it is kept as asked.
pub fn page(given: Given<'_>) -> Result<u64, FieldError> {
    let digits = decimal(given)?;
    if digits.starts_with('-') {
        return Ok(1);
    }
    let number = digits.parse::<u64>().ok().filter(|number| *number <= PageRequest::MAX_PAGE);
    number.map(|number| number.max(1)).ok_or_else(|| format!("must be at most {}", PageRequest::MAX_PAGE).into())
}

/// Items on a page: 1 to 100.
pub fn per_page(given: Given<'_>) -> Result<u64, FieldError> {
    let size = u64::try_from(integer(given)?).ok().filter(|size| (1..=PageRequest::MAX_SIZE).contains(size));
    size.ok_or_else(|| format!("must be an integer from 1 to {}", PageRequest::MAX_SIZE).into())
}

/// One of a fixed set, spelled exactly.
pub fn choice<T: Copy>(given: Given<'_>, choices: &[T], spelling: fn(T) -> &'static str) -> Result<T, FieldError> {
    let refused = || FieldError::choice(choices.iter().map(|choice| spelling(*choice)));
    let text = match given {
        Given::Text(text) => text,
        Given::Json(Value::String(text)) => text,
        Given::Json(_) => return Err(refused()),
    };
    choices.iter().copied().find(|choice| spelling(*choice) == text).ok_or_else(refused)
}
