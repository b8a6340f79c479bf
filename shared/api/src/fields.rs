//! Reading named values, so that a client learns of all its mistakes at once.

use serde_json::Value;

use super::credential::API_KEY;
use presence_domain::error::{Error, FieldError, FieldErrors};
use presence_domain::patch::Patch;
use presence_domain::text::has_control;

/// Items of a list: as many ids as fit into the 10 KB that the gateway takes of a request line. Each may cost a read.
pub const MAX_ITEMS: usize = 500;

/// A value as it was given.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// In the query string, decoded.
    Text(&'a str),
    /// In the JSON body.
    Json(&'a Value),
}

/// The named values of one request, and what is wrong with them so far. Every name that is never asked for is
/// wrong too: a mistyped filter must not return everything, nor a mistyped field succeed.
#[derive(Debug)]
pub struct Fields<'a> {
    given: Vec<(&'a str, Given<'a>)>,
    asked: Vec<&'static str>,
    errors: FieldErrors,
}

impl<'a> Fields<'a> {
    /// Parameters of the query string.
    pub(super) fn of_query(query: &'a [(String, String)]) -> Self {
        let given = query.iter().map(|(name, value)| (name.as_str(), Given::Text(value))).collect();
        Self { given, asked: Vec::new(), errors: FieldErrors::default() }
    }

    /// Fields of the body, of an operation that has no query parameters.
    pub(super) fn of_body(query: &'a [(String, String)], body: &'a [(String, Value)]) -> Self {
        let given = body.iter().map(|(name, value)| (name.as_str(), Given::Json(value))).collect();
        let mut fields = Self { given, asked: Vec::new(), errors: FieldErrors::default() };
        for (name, _) in query {
            fields.fail(name, "is not a parameter of this operation");
        }
        fields
    }

    /// Notes that a field is wrong.
    pub fn fail(&mut self, name: &str, error: impl Into<FieldError>) {
        self.errors.add(name, error);
    }

    /// An optional value; blank or null is not given.
    pub fn optional<T>(&mut self, name: &'static str, read: fn(Given<'_>) -> Result<T, FieldError>) -> Option<T> {
        let given = self.ask(name)?;
        if given.is_blank() || given.is_null() { None } else { self.keep(name, read(given)) }
    }

    /// An optional value for which blank text is a mistake; null is not given.
    pub fn optional_not_blank<T>(
        &mut self,
        name: &'static str,
        read: fn(Given<'_>) -> Result<T, FieldError>,
    ) -> Option<T> {
        let given = self.ask(name)?;
        if given.is_null() { None } else { self.keep(name, read(given)) }
    }

    /// A value that must not be null, but may be missing.
    pub fn optional_not_null<T>(
        &mut self,
        name: &'static str,
        read: fn(Given<'_>) -> Result<T, FieldError>,
    ) -> Option<T> {
        let given = self.ask(name)?;
        if given.is_null() {
            self.fail(name, "must not be null");
            return None;
        }
        self.keep(name, read(given))
    }

    /// A value that must be given.
    pub fn required<T>(&mut self, name: &'static str, read: fn(Given<'_>) -> Result<T, FieldError>) -> Option<T> {
        match self.ask(name) {
            Some(given) if !given.is_null() && !given.is_blank_text() => self.keep(name, read(given)),
            _ => {
                self.fail(name, "is required");
                None
            }
        }
    }

    /// A value that may be missing, or null to clear the field.
    pub fn patch<T>(&mut self, name: &'static str, read: fn(Given<'_>) -> Result<Option<T>, FieldError>) -> Patch<T> {
        match self.ask(name) {
            None => Patch::Keep,
            Some(given) if given.is_null() => Patch::Clear,
            Some(given) => match self.keep(name, read(given)) {
                Some(Some(value)) => Patch::Set(value),
                Some(None) => Patch::Clear,
                None => Patch::Keep,
            },
        }
    }

    /// A value that may turn out not to matter: its mistake is not noted. Null is not given.
    pub fn deferred<T>(
        &mut self,
        name: &'static str,
        read: fn(Given<'_>) -> Result<T, FieldError>,
    ) -> Option<Result<T, FieldError>> {
        let given = self.ask(name)?;
        (!given.is_null()).then(|| read(given))
    }

    /// A list of the query string: separated by commas or the parameter repeated. Items are trimmed, blank ones dropped,
    /// duplicates removed; a list of blanks only is not given.
    pub fn list<T: PartialEq>(
        &mut self,
        name: &'static str,
        read: fn(Given<'_>) -> Result<T, FieldError>,
    ) -> Option<Vec<T>> {
        self.asked.push(name);
        let texts = self.given.iter().filter(|(given, _)| *given == name).filter_map(|(_, value)| value.as_text());
        let read = list_of(texts, read);
        self.keep(name, read).filter(|items| !items.is_empty())
    }

    /// Ends the reading: all that is wrong, or nothing ([`Error::Invalid`]).
    pub fn finish(self) -> Result<(), Error> {
        self.into_errors().into_result()
    }

    /// Ends the reading with all that is wrong, for those who find more.
    #[must_use]
    pub fn into_errors(mut self) -> FieldErrors {
        let unknown: Vec<_> = self.given.iter().map(|(name, _)| *name).filter(|name| !self.knows(name)).collect();
        for name in unknown {
            self.errors.add(name, "is not a parameter of this operation");
        }
        self.errors
    }

    fn knows(&self, name: &str) -> bool {
        name == API_KEY || self.asked.contains(&name)
    }

    fn ask(&mut self, name: &'static str) -> Option<Given<'a>> {
        self.asked.push(name);
        let mut values = self.given.iter().filter(|(given, _)| *given == name);
        let first = values.next().map(|(_, value)| *value);
        if values.next().is_some() {
            self.fail(name, "is given more than once");
            return None;
        }
        first
    }

    fn keep<T>(&mut self, name: &'static str, read: Result<T, FieldError>) -> Option<T> {
        read.map_err(|error| self.fail(name, error)).ok()
    }
}

fn list_of<'a, T: PartialEq>(
    texts: impl Iterator<Item = &'a str>,
    read: fn(Given<'_>) -> Result<T, FieldError>,
) -> Result<Vec<T>, FieldError> {
    let mut items = Vec::new();
    for text in texts {
        if has_control(text) {
            return Err("must not contain control characters".into());
        }
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let item = read(Given::Text(part))?;
            if !items.contains(&item) {
                items.push(item);
            }
        }
    }
    if items.len() > MAX_ITEMS { Err(format!("must have at most {MAX_ITEMS} items").into()) } else { Ok(items) }
}

impl<'a> Given<'a> {
    fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(_) => None,
        }
    }
}

impl Given<'_> {
    /// Whether it is blank text in the query string. Control characters are no blanks: they are refused.
    fn is_blank(self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty() && !has_control(text))
    }

    fn is_blank_text(self) -> bool {
        self.is_blank() || matches!(self, Self::Json(Value::String(text)) if text.trim().is_empty())
    }

    fn is_null(self) -> bool {
        matches!(self, Self::Json(Value::Null))
    }
}
