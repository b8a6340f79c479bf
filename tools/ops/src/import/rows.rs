//! What every kind of row has in common.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use presence_domain::error::Error;
use presence_domain::ids::{MAX_ID, OrgId};
use presence_domain::text::has_control;
use presence_runtime::clock::Clock;
use presence_store::{CategoryImport, PutOutcome, Store};
use serde::de::DeserializeOwned;
use serde_json::Number;

use super::departures::Departures;

/// The most characters of a name.
const NAME_MAX_CHARS: usize = 255;
/// The most characters of a reason: a parser may quote a whole value.
const REASON_MAX_CHARS: usize = 300;

/// A kind of row.
pub(super) trait Row: Sized + Send + 'static {
    /// The row as JSON has it: types and names of fields are right, values may be wrong.
    type Raw: DeserializeOwned;
    /// What rows of this kind are called.
    const PLURAL: &str;

    /// The row, if its values follow the rules; else which one does not.
    fn parse(raw: Self::Raw) -> Result<Self, String>;

    /// What the row is about: rows with the same key are written one after the other.
    fn key(&self) -> String;

    /// Writes the row; in a dry run, only compares.
    fn put(self, tables: &Tables) -> impl Future<Output = Result<Verdict, Error>> + Send;

    /// Users that the import changed; none for a kind of row that changes no user.
    fn users_updated(_tables: &Tables) -> Option<u64> {
        None
    }

    /// Ends the import, all rows being written. Most kinds of row need nothing.
    fn finish(_tables: &Tables) -> impl Future<Output = Result<(), Error>> + Send {
        std::future::ready(Ok(()))
    }
}

/// What became of a row.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It is stored (or would be).
    Put(PutOutcome),
    /// It is not, for this reason.
    Rejected(String),
}

/// Where rows go.
pub(super) struct Tables {
    pub(super) store: Store,
    pub(super) dry_run: bool,
    /// Organisations that were found: most rows of a file name the same few.
    known_orgs: Mutex<HashSet<OrgId>>,
    /// The import of categories under way: they count as a whole.
    pub(super) categories: tokio::sync::Mutex<Option<CategoryImport>>,
    /// Businesses that moved to another organisation.
    pub(super) departures: Departures,
}

impl Tables {
    pub(super) fn new(store: Store, clock: Arc<dyn Clock>, dry_run: bool) -> Self {
        let departures = Departures::new(store.clone(), clock, dry_run);
        let (known_orgs, categories) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { store, dry_run, known_orgs, categories, departures }
    }

    /// Whether the organisation has been imported.
    pub(super) async fn has_org(&self, id: OrgId) -> Result<bool, Error> {
        if self.known_orgs.lock().unwrap_or_else(PoisonError::into_inner).contains(&id) {
            return Ok(true);
        }
        let exists = self.store.org_exists(id).await?;
        if exists {
            self.known_orgs.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        }
        Ok(exists)
    }
}

/// Reads a line as a row. The error says why it is none.
pub(super) fn read<R: Row>(text: &str) -> Result<R, String> {
    R::parse(raw(text)?)
}

/// Reads a line as JSON of a shape. The error says why it is not.
pub(super) fn raw<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let raw = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let reason = reason(error.inner());
        if path == "." || !error.inner().is_data() { reason } else { format!("{path}: {reason}") }
    })?;
    json.end().map_err(|error| reason(&error))?;
    Ok(raw)
}

/// A trimmed text of 1 to 255 characters.
pub(super) fn name(field: &str, text: &str) -> Result<String, String> {
    let name = short_text(field, text)?;
    if name.is_empty() { Err(format!("{field}: must have 1 to {NAME_MAX_CHARS} characters")) } else { Ok(name) }
}

/// A trimmed text of at most 255 characters.
pub(super) fn short_text(field: &str, text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    if has_control(trimmed) {
        return Err(format!("{field}: must not contain control characters"));
    }
    if trimmed.chars().count() > NAME_MAX_CHARS {
        return Err(format!("{field}: must have at most {NAME_MAX_CHARS} characters"));
    }
    Ok(trimmed.to_owned())
}

/// The id of an organisation.
pub(super) fn org_id(field: &str, number: &Number) -> Result<OrgId, String> {
    let id = number.as_u64().and_then(OrgId::new);
    id.ok_or_else(|| format!("{field}: must be an integer from 1 to {MAX_ID}"))
}

/// What the parser says, without the number of the line: it only ever sees one.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = text.strip_suffix(&place).unwrap_or(&text);
    let what: String = what.chars().take(REASON_MAX_CHARS).collect();
    if error.is_data() { what } else { format!("is not valid JSON: {what} (column {})", error.column()) }
}
