//! Named values of a request, read so that a client learns of all its mistakes at once.

use serde_json::Value;

use super::credential::API_KEY;
use super::raw_value::RawValue;
use super::read;
use super::request_context;
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::page::PageRequest;
use presence_domain::patch::Patch;
use presence_domain::suggestion::suggest;
use presence_domain::text::has_control;

/// Maximum number of items in a list. Each may cost a read. Of ids with 24 characters, the gateway takes some 400: with more, the request
/// line exceeds its limit.
pub const MAX_ITEMS: usize = 500;

/// Error of a parameter that the operation does not consume.
const NOT_A_PARAMETER: &str = "is not a parameter of this operation";
/// Error of such a field of a body.
const NOT_A_FIELD: &str = "is not a field of this operation";

/// Maximum number of unknown names in one request for which the name that was meant is looked for. A body has room for thousands.
const MAX_SUGGESTIONS: usize = 16;

/// Function that turns a raw value into a domain type.
type Reader<'a, T> = fn(RawValue<'a>) -> Result<T, FieldError>;

/// Named values of one request, with the mistakes found so far.
///
/// A name that no operation consumes is a mistake too. A mistyped filter must not return everything, and a mistyped field must
/// not succeed.
#[derive(Debug)]
pub struct Fields<'a> {
    values: Vec<(&'a str, RawValue<'a>)>,
    consumed: Vec<&'static str>,
    /// Names of lists that were given in the form that some clients write.
    other_names: Vec<&'a str>,
    errors: FieldErrors,
}

impl<'a> Fields<'a> {
    /// Returns the parameters of a query string.
    pub(super) fn of_query(query: &'a [(String, String)]) -> Self {
        Self::new(query.iter().map(|(name, value)| (name.as_str(), RawValue::Text(value))).collect())
    }

    /// Returns the fields of a body, for an operation without query parameters. Every query parameter is a mistake.
    pub(super) fn of_body(query: &'a [(String, String)], body: &'a [(String, Value)]) -> Self {
        let mut fields = Self::new(body.iter().map(|(name, value)| (name.as_str(), RawValue::Json(value))).collect());
        for (name, _) in query {
            fields.errors.add(name.clone(), NOT_A_PARAMETER);
        }
        fields
    }

    fn new(values: Vec<(&'a str, RawValue<'a>)>) -> Self {
        Self { values, consumed: Vec::new(), other_names: Vec::new(), errors: FieldErrors::default() }
    }

    /// Records that a field is wrong.
    pub fn fail(&mut self, name: &'static str, error: impl Into<FieldError>) {
        self.errors.add(name, error);
    }

    /// Reads an optional value. Null and blank text count as missing.
    pub fn optional<T>(&mut self, name: &'static str, read: Reader<'a, T>) -> Option<T> {
        let raw = self.consume(name)?;
        if raw.is_blank_parameter() || raw.is_null() { None } else { self.record(name, read(raw)) }
    }

    /// Reads an optional value that must not be empty if it is there. Null is a mistake, and blank text is left to the reader.
    pub fn optional_strict<T>(&mut self, name: &'static str, read: Reader<'a, T>) -> Option<T> {
        let raw = self.consume(name)?;
        let value = if raw.is_null() { Err("must not be null".into()) } else { read(raw) };
        self.record(name, value)
    }

    /// Reads a required value. Null and blank text count as missing.
    pub fn required<T>(&mut self, name: &'static str, read: Reader<'a, T>) -> Option<T> {
        let raw = self.consume(name).filter(|raw| !raw.is_null() && !raw.is_blank());
        self.record(name, raw.map_or_else(|| Err("is required".into()), read))
    }

    /// Reads a change of a field. A missing value keeps the field, and null clears it.
    pub fn patch<T>(&mut self, name: &'static str, read: Reader<'a, Option<T>>) -> Patch<T> {
        let Some(raw) = self.consume(name) else { return Patch::Keep };
        if raw.is_null() {
            return Patch::Clear;
        }
        match self.record(name, read(raw)) {
            Some(Some(value)) => Patch::Set(value),
            Some(None) => Patch::Clear,
            None => Patch::Keep,
        }
    }

    /// Reads an optional value that may turn out not to matter. Its mistake is returned and not recorded. Null counts as missing.
    pub fn deferred<T>(&mut self, name: &'static str, read: Reader<'a, T>) -> Option<Result<T, FieldError>> {
        self.consume(name).filter(|raw| !raw.is_null()).map(read)
    }

    /// Reads a list of the query string. Items are separated by commas, or the parameter is repeated. Items are trimmed. Blank items
    /// and duplicates are dropped. A list without items counts as missing.
    ///
    /// Some clients write `[]` after the name of a list, or `__in` after that of any filter with several values. These are the same list.
    pub fn list<T: PartialEq>(&mut self, name: &'static str, read: Reader<'a, T>) -> Option<Vec<T>> {
        self.consumed.push(name);
        let mut texts = Vec::new();
        for (other, raw) in &self.values {
            if *other == name {
                texts.extend(raw.as_parameter());
            } else if is_other_name(other, name) {
                if !self.other_names.contains(other) {
                    self.other_names.push(other);
                    request_context::record(|identity| identity.other_names = identity.other_names.saturating_add(1));
                }
                texts.extend(raw.as_parameter());
            }
        }
        let items = read_list(texts.into_iter(), read);
        self.record(name, items).filter(|items| !items.is_empty())
    }

    /// Reads `page` and `per_page`.
    pub fn page_request(&mut self) -> PageRequest {
        PageRequest {
            page: self.optional("page", read::page).unwrap_or(1),
            size: self.optional("per_page", read::per_page).unwrap_or(PageRequest::DEFAULT_SIZE),
        }
    }

    /// Ends the reading. Returns [`Error::Invalid`] with every mistake, if there is one.
    pub fn finish(self) -> Result<(), Error> {
        self.into_errors().into_result()
    }

    /// Ends the reading. Returns every mistake, so that the caller can add more.
    pub fn into_errors(self) -> FieldErrors {
        let Self { values, mut consumed, other_names, mut errors } = self;
        consumed.push(API_KEY);
        let unknown = values.into_iter().filter(|(name, _)| !consumed.contains(name) && !other_names.contains(name));
        for (number, (name, value)) in unknown.enumerate() {
            let meant = if number < MAX_SUGGESTIONS { suggest(name, &consumed) } else { None };
            errors.add(name.to_owned(), unknown_name(value, meant));
        }
        errors
    }

    /// Returns the value of a name, and marks the name as consumed. A repeated name is a mistake.
    fn consume(&mut self, name: &'static str) -> Option<RawValue<'a>> {
        self.consumed.push(name);
        let mut values = self.values.iter().filter(|(other, _)| *other == name);
        let first = values.next().map(|(_, raw)| *raw);
        if values.next().is_some() {
            self.fail(name, "is given more than once");
            return None;
        }
        first
    }

    /// Returns the value that was read, or records the mistake.
    fn record<T>(&mut self, name: &'static str, value: Result<T, FieldError>) -> Option<T> {
        value.map_err(|error| self.fail(name, error)).ok()
    }
}

/// True if a parameter is the list of this name in the form that some clients write: `rating__in[]`, `state__in`, `state__in[]`.
fn is_other_name(other: &str, name: &str) -> bool {
    let plain = other.strip_suffix("[]").unwrap_or(other);
    plain == name || (!name.ends_with("__in") && plain.strip_suffix("__in") == Some(name))
}

/// Returns the error of a name that the operation does not consume, with the name that was probably meant.
fn unknown_name(value: RawValue<'_>, meant: Option<&'static str>) -> FieldError {
    let text = match value {
        RawValue::Text(_) => NOT_A_PARAMETER,
        RawValue::Json(_) => NOT_A_FIELD,
    };
    match meant {
        None => text.into(),
        Some(meant) => format!("{text}; did you mean \"{meant}\"?").into(),
    }
}

fn read_list<'a, T: PartialEq>(
    texts: impl Iterator<Item = &'a str>,
    read: Reader<'a, T>,
) -> Result<Vec<T>, FieldError> {
    let mut items = Vec::new();
    for text in texts {
        if has_control(text) {
            return Err("must not contain control characters".into());
        }
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let item = read(RawValue::Text(part))?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    if items.len() > MAX_ITEMS { Err(format!("must have at most {MAX_ITEMS} items").into()) } else { Ok(items) }
}
