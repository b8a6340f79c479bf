//! Row of an import: the trait that each kind of row implements, and parsers that several kinds use.

use std::future::Future;

use presence_domain::error::Error;
use presence_domain::ids::{MAX_ID, OrgId};
use presence_domain::json_row::parse_json;
use presence_domain::text::has_control;
use presence_store::PutOutcome;
use serde::de::DeserializeOwned;
use serde_json::Number;

use super::context::ImportContext;
use super::kind::ImportKind;

/// Largest number of characters in a name.
const NAME_MAX_CHARS: usize = 255;

/// Kind of row.
pub(super) trait Row: Sized + Send + 'static {
    /// Row as parsed from JSON: names and types of the fields are right, values may be wrong.
    type Raw: DeserializeOwned;
    /// Kind of the file.
    const KIND: ImportKind;
    /// True if the rows take effect together when the import ends, and not at all if it stops.
    const IS_ATOMIC: bool = false;

    /// Checks the values of a row. The error names the wrong field.
    fn from_raw(raw: Self::Raw) -> Result<Self, String>;

    /// Returns the key of the row. Rows with the same key are written one after the other.
    fn key(&self) -> String;

    /// Writes the row. In a dry run, only compares it with the stored item.
    fn write(self, context: &ImportContext) -> impl Future<Output = Result<RowOutcome, Error>> + Send;

    /// Returns the number of users that the import changed, `None` if it changed none.
    fn users_updated(_context: &ImportContext) -> Option<u64> {
        None
    }

    /// Runs after the last row is written. Most kinds of row have nothing to do.
    fn finish(_context: &ImportContext) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the last row of an import that was stopped. The error is advice for the operator.
    fn finish_stopped(_context: &ImportContext) -> impl Future<Output = Result<(), &'static str>> + Send {
        std::future::ready(Ok(()))
    }
}

/// Outcome of a row.
#[derive(Debug)]
pub(super) enum RowOutcome {
    /// The row is stored, or would be without the dry run.
    Accepted(PutOutcome),
    /// The row is rejected for this reason.
    Rejected(String),
}

/// Parses a line as a row. The error is the reason to reject it.
pub(super) fn parse<R: Row>(text: &str) -> Result<R, String> {
    R::from_raw(parse_json(text)?)
}

/// Parses a text of 1 to 255 characters, and trims it.
pub(super) fn parse_name(field: &str, text: &str) -> Result<String, String> {
    let name = parse_short_text(field, text)?;
    if name.is_empty() { Err(format!("{field}: must have 1 to {NAME_MAX_CHARS} characters")) } else { Ok(name) }
}

/// Parses a text of at most 255 characters, and trims it.
pub(super) fn parse_short_text(field: &str, text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    if has_control(trimmed) {
        return Err(format!("{field}: must not contain control characters"));
    }
    if trimmed.chars().count() > NAME_MAX_CHARS {
        return Err(format!("{field}: must have at most {NAME_MAX_CHARS} characters"));
    }
    Ok(trimmed.to_owned())
}

/// Parses the id of an organisation.
pub(super) fn parse_org_id(field: &str, number: &Number) -> Result<OrgId, String> {
    let id = number.as_u64().and_then(OrgId::new);
    id.ok_or_else(|| format!("{field}: must be an integer from 1 to {MAX_ID}"))
}
