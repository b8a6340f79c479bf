//! JSON that keeps the order of members, so that readers find the parts of the description where they were written.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Members of an object, in their order.
pub(crate) type Members = IndexMap<String, Json>;

/// JSON value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Json {
    /// Object.
    Object(Members),
    /// Array.
    Array(Vec<Json>),
    /// Text, number, boolean or null.
    Scalar(Value),
}

impl Json {
    /// Creates a text.
    pub(crate) fn text(text: &str) -> Self {
        Self::Scalar(Value::from(text))
    }

    /// Parses text.
    ///
    /// # Panics
    /// Panics if the text is not JSON.
    pub(crate) fn parse(text: &str) -> Self {
        serde_json::from_str(text).expect("the text is JSON")
    }

    /// Returns the value as indented text that ends with a line break.
    pub(crate) fn to_pretty_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the keys are text");
        text.push('\n');
        text
    }

    /// Returns the text of a text.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Scalar(value) => value.as_str(),
            _ => None,
        }
    }

    /// Returns the members of an object.
    pub(crate) fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the members of an object, to change them.
    pub(crate) fn as_object_mut(&mut self) -> Option<&mut Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Returns the member that the names lead to, to change it.
    pub(crate) fn find_mut(&mut self, names: &[&str]) -> Option<&mut Self> {
        names.iter().try_fold(self, |value, name| value.as_object_mut()?.get_mut(*name))
    }

    /// Returns the values inside: members of an object, or items of an array.
    pub(crate) fn children_mut(&mut self) -> Box<dyn Iterator<Item = &mut Self> + '_> {
        match self {
            Self::Object(members) => Box::new(members.values_mut()),
            Self::Array(items) => Box::new(items.iter_mut()),
            Self::Scalar(_) => Box::new(std::iter::empty()),
        }
    }
}
