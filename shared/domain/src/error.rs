//! Error of the domain, free of HTTP. `presence-api` maps it to an answer, in one place.
//!
//! An error has two audiences. The client reads the texts inside the variants. The operator reads the causes of `Unavailable`
//! and `Internal`, which are logged once, at the boundary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error as StdError;

use crate::rate_limit::RateLimitError;

/// Cause of an error, for the log. It is never shown to a client.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Name in the log of every field whose name the client chose.
pub const UNKNOWN_FIELD: &str = "unknown";

/// Error of an operation.
#[derive(Debug)]
pub enum Error {
    /// The request breaks a rule. Nothing was changed.
    Invalid(ValidationError),
    /// The request has no API key, or one that gives no access.
    Unauthenticated,
    /// The caller may see the target, but may not do this to it. The sentence names the rule, and holds words of the policy only.
    Forbidden(String),
    /// The target does not exist in the caller's scope.
    NotFound,
    /// The events after a cursor are no longer kept.
    Gone {
        /// Cursor from which on events are kept.
        oldest: String,
    },
    /// Concurrent changes won every attempt.
    Conflict,
    /// A request with the same idempotency key is under way.
    InProgress,
    /// The idempotency key was used for a request with another body.
    KeyReused,
    /// The last invitation is too recent for another one.
    TooSoon {
        /// Seconds until the next invitation is allowed, rounded up; at least 1.
        retry_after_seconds: i64,
    },
    /// The key of the request has made too many requests.
    TooManyRequests(RateLimitError),
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

/// Name of a field in an error: borrowed for a field that the service knows, owned for text that the client sent. Only the former may be
/// logged.
pub type FieldName = Cow<'static, str>;

/// Errors by field name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors(BTreeMap<FieldName, FieldError>);

impl FieldErrors {
    /// Returns the errors of a request with one bad field.
    pub fn one(field: impl Into<FieldName>, error: impl Into<FieldError>) -> Self {
        let mut errors = Self::default();
        errors.add(field, error);
        errors
    }

    /// Adds the error of a field. The first error of a field stands.
    pub fn add(&mut self, field: impl Into<FieldName>, error: impl Into<FieldError>) {
        self.0.entry(field.into()).or_insert_with(|| error.into());
    }

    /// Returns [`Error::Invalid`] if any field is bad.
    pub fn into_result(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(ValidationError::Fields(self))) }
    }

    /// Iterates over the errors, by field name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &FieldError)> {
        self.0.iter().map(|(field, error)| (field.as_ref(), error))
    }

    /// Returns the names that a log may have, in order. A name that the client sent becomes [`UNKNOWN_FIELD`], once.
    pub fn loggable_names(&self) -> Vec<&'static str> {
        let known = self.0.keys().filter_map(|name| match name {
            Cow::Borrowed(known) => Some(*known),
            Cow::Owned(_) => None,
        });
        let has_unknown = self.0.keys().any(|name| matches!(name, Cow::Owned(_)));
        known.chain(has_unknown.then_some(UNKNOWN_FIELD)).collect()
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
    pub fn invalid_field(field: impl Into<FieldName>, error: impl Into<FieldError>) -> Self {
        Self::Invalid(ValidationError::Fields(FieldErrors::one(field, error)))
    }

    /// Returns the kind of the error, as the log has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "invalid",
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden(_) => "forbidden",
            Self::NotFound => "not_found",
            Self::Gone { .. } => "gone",
            Self::Conflict => "conflict",
            Self::InProgress => "in_progress",
            Self::KeyReused => "key_reused",
            Self::TooSoon { .. } => "too_soon",
            Self::TooManyRequests(_) => "too_many_requests",
            Self::Unavailable(_) => "unavailable",
            Self::Internal(_) => "internal",
        }
    }

    /// Returns the names of the bad fields that a log may have: see [`FieldErrors::loggable_names`].
    pub fn loggable_fields(&self) -> Vec<&'static str> {
        match self {
            Self::Invalid(ValidationError::Fields(errors)) => errors.loggable_names(),
            _ => Vec::new(),
        }
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
            Self::Gone { .. } => "no longer kept",
            Self::Conflict => "concurrent changes won every attempt",
            Self::InProgress => "a request with the same idempotency key is under way",
            Self::KeyReused => "the idempotency key was used with another body",
            Self::TooSoon { .. } => "too soon after the previous invitation",
            Self::TooManyRequests(_) => "too many requests with this key",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_client_chose_are_unknown_to_the_log() {
        let mut errors = FieldErrors::one("phone", "is too long");
        errors.add("a-secret".to_owned(), "is not a parameter of this operation");
        errors.add("zoe".to_owned(), "is not a parameter of this operation");
        errors.add("email", "is required");
        assert_eq!(errors.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["a-secret", "email", "phone", "zoe"]);
        assert_eq!(errors.loggable_names(), ["email", "phone", UNKNOWN_FIELD]);
        let error = Error::Invalid(ValidationError::Fields(errors));
        assert_eq!((error.kind(), error.loggable_fields().len()), ("invalid", 3));
        assert!(Error::invalid("the body is empty").loggable_fields().is_empty());
    }
}
