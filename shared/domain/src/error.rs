//! Error of the domain, free of HTTP. `presence-api` maps it to an answer, in one place.
//!
//! An error has two audiences. The client reads the texts inside the variants. The operator reads the causes of `Unavailable`
//! and `Internal`, which are logged once, at the boundary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as StdError;

/// Cause of an error, for the log. It is never shown to a client.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Error of an operation.
#[derive(Debug)]
pub enum Error {
    /// The request breaks a rule. Nothing was changed.
    Invalid(ValidationError),
    /// The request has no API key, or one that gives no access.
    Unauthenticated,
    /// The caller may see the target, but may not do this to it. The text says what is not allowed.
    Forbidden(&'static str),
    /// The target does not exist in the caller's scope.
    NotFound,
    /// Concurrent changes won every attempt.
    Conflict,
    /// The last invitation is too recent for another one.
    TooSoon {
        /// Seconds until the next invitation is allowed, rounded up; at least 1.
        retry_after_seconds: i64,
    },
    /// A dependency did not answer. It is unknown if a change was made.
    Unavailable(BoxError),
    /// The code has a bug, or stored data breaks a rule.
    Internal(BoxError),
}

/// Error of the input. Occurs when a request breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidationError {
    /// The request as a whole is wrong.
    Request(Cow<'static, str>),
    /// These fields are wrong: all of them, so that the client can correct them at once.
    Fields(FieldErrors),
}

/// Errors by field name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(BTreeMap<String, FieldError>);

impl FieldErrors {
    /// Returns the errors of a request with one bad field.
    pub fn one(field: &str, error: impl Into<FieldError>) -> Self {
        let mut errors = Self::default();
        errors.add(field, error);
        errors
    }

    /// Adds the error of a field. The first error of a field stands.
    pub fn add(&mut self, field: &str, error: impl Into<FieldError>) {
        self.0.entry(field.to_owned()).or_insert_with(|| error.into());
    }

    /// Returns [`Error::Invalid`] if any field is bad.
    pub fn into_result(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(ValidationError::Fields(self))) }
    }

    /// Iterates over the errors, by field name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FieldError)> {
        self.0.iter().map(|(field, error)| (field.as_str(), error))
    }
}

/// Error of one field. Occurs when its value breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// Phrase that follows the name of the field, such as "is required".
    Text(Cow<'static, str>),
    /// The value is outside a fixed set.
    Choice {
        /// Phrase that follows the name of the field.
        explanation: &'static str,
        /// Values that are allowed.
        choices: Vec<Cow<'static, str>>,
    },
}

impl FieldError {
    /// Returns the error of a value that is none of the choices.
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
    /// Returns the error of a request that is wrong as a whole.
    pub fn invalid(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid(ValidationError::Request(text.into()))
    }

    /// Returns the error of a request with one bad field.
    pub fn invalid_field(field: &str, error: impl Into<FieldError>) -> Self {
        Self::Invalid(ValidationError::Fields(FieldErrors::one(field, error)))
    }

    /// Returns the error of a bug, or of stored data that breaks a rule.
    pub fn internal(source: impl Into<BoxError>) -> Self {
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
