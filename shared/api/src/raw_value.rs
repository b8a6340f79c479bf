//! Value of a request before it is read.

use serde_json::Value;

use presence_domain::text::has_control;

/// Value as the client sent it.
#[derive(Clone, Copy, Debug)]
pub enum RawValue<'a> {
    /// Decoded text of the query string.
    Text(&'a str),
    /// Value of the JSON body.
    Json(&'a Value),
}

impl<'a> RawValue<'a> {
    /// Returns the text of a query parameter or of a string of the body.
    pub(super) fn as_text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(value) => value.as_str(),
        }
    }

    /// Returns the text of a query parameter.
    pub(super) fn as_parameter(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(_) => None,
        }
    }

    /// True for a query parameter without text. Control characters are not blank: the reader refuses them.
    pub(super) fn is_blank_parameter(self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty() && !has_control(text))
    }

    /// True for a value without text, in the query string or in the body.
    pub fn is_blank(self) -> bool {
        self.is_blank_parameter() || matches!(self, Self::Json(Value::String(text)) if text.trim().is_empty())
    }

    /// True for the text of several integers with one of the separators between them.
    pub fn is_list_of_integers(self, separators: &[char]) -> bool {
        let items: Vec<_> =
            self.as_text().unwrap_or_default().split(separators).filter(|item| !item.trim().is_empty()).collect();
        items.len() > 1 && items.iter().all(|item| item.trim().parse::<i64>().is_ok())
    }

    /// True for a null of the body.
    pub(super) fn is_null(self) -> bool {
        matches!(self, Self::Json(Value::Null))
    }
}
