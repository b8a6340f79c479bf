//! JSON that keeps the order of members, so that readers find the parts of the description where they were written.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Members of an object, in their order.
pub type Members = IndexMap<String, Json>;

/// JSON value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Json {
    /// Object.
    Object(Members),
    /// Array.
    Array(Vec<Json>),
    /// Text, number, boolean or null.
    Scalar(Value),
}

impl Json {
    /// Parses text.
    ///
    /// # Panics
    /// Panics if the text is not JSON.
    pub fn parse(text: &str) -> Self {
        serde_json::from_str(text).expect("the text is JSON")
    }

    /// Returns the value as indented text that ends with a line break.
    ///
    /// # Panics
    /// Never panics: every key is text.
    pub fn to_pretty_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("the keys are text");
        text.push('\n');
        text
    }

    /// Returns the members of the object that the names lead to, to change them.
    pub fn members_mut(&mut self, names: &[&str]) -> Option<&mut Members> {
        let Self::Object(members) = self else { return None };
        match names {
            [] => Some(members),
            [name, rest @ ..] => members.get_mut(*name)?.members_mut(rest),
        }
    }
}
