//! The one error of the service. It knows nothing of HTTP: `http::failure` maps it, once.
//!
//! What a client reads is in the variants' own texts; what an operator reads is the source of
//! `Unavailable` and `Internal`, logged once at the boundary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as StdError;

/// A cause for the log. Never shown to a client.
pub type Source = Box<dyn StdError + Send + Sync>;

/// Why an operation did not succeed.
#[derive(Debug)]
pub enum Error {
    /// The request is wrong: nothing was changed.
    Invalid(Invalid),
    /// No key, or a key that gives no access.
    Unauthenticated,
    /// The caller may see the thing, but not do this. The text says what is not allowed.
    Forbidden(&'static str),
    /// There is no such thing in the caller's scope.
    NotFound,
    /// A concurrent change won every attempt.
    Conflict,
    /// An invitation was sent too short a time ago.
    TooSoon {
        /// Until the next one is allowed, rounded up, at least 1.
        retry_after_seconds: i64,
    },
    /// A dependency does not answer; whether the change was made is not known.
    Unavailable(Source),
    /// A bug, or stored data that breaks the rules.
    Internal(Source),
}

/// What is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// The request as a whole.
    Whole(Cow<'static, str>),
    /// These fields, all of them.
    Fields(FieldErrors),
}

/// Field name → what is wrong with its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(BTreeMap<String, FieldError>);

impl FieldErrors {
    /// One bad field.
    pub fn one(field: &str, error: impl Into<FieldError>) -> Self {
        let mut errors = Self::default();
        errors.add(field, error);
        errors
    }

    /// Adds a bad field. The first error of a field stands.
    pub fn add(&mut self, field: &str, error: impl Into<FieldError>) {
        self.0.entry(field.to_owned()).or_insert_with(|| error.into());
    }

    /// [`Error::Invalid`], unless no field is bad.
    pub fn into_result(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(Invalid::Fields(self))) }
    }

    /// By field name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FieldError)> {
        self.0.iter().map(|(field, error)| (field.as_str(), error))
    }
}

/// What is wrong with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// A phrase that follows the field's name: "is required".
    Text(Cow<'static, str>),
    /// A value outside a fixed set.
    Choice {
        /// A phrase.
        explanation: &'static str,
        /// The set.
        choices: Vec<Cow<'static, str>>,
    },
}

impl FieldError {
    /// A value outside a fixed set.
    pub fn choice<T: Into<Cow<'static, str>>>(choices: impl IntoIterator<Item = T>) -> Self {
        let choices = choices.into_iter().map(Into::into).collect();
        Self::Choice { explanation: "is not one of the choices", choices }
    }
}

impl From<&'static str> for FieldError {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for FieldError {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl Error {
    /// The request as a whole is wrong.
    pub fn invalid(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid(Invalid::Whole(text.into()))
    }

    /// One field is wrong.
    pub fn invalid_field(field: &str, error: impl Into<FieldError>) -> Self {
        Self::Invalid(Invalid::Fields(FieldErrors::one(field, error)))
    }

    /// Stored data that breaks the rules, or a bug.
    pub fn internal(source: impl Into<Source>) -> Self {
        Self::Internal(source.into())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Invalid(_) => "the request is invalid",
            Self::Unauthenticated => "the key gives no access",
            Self::Forbidden(_) => "the operation is not allowed",
            Self::NotFound => "not found",
            Self::Conflict => "concurrent changes won every attempt",
            Self::TooSoon { .. } => "too soon after the previous invitation",
            Self::Unavailable(_) => "a dependency does not answer",
            Self::Internal(_) => "internal error",
        })
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Unavailable(source) | Self::Internal(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}
