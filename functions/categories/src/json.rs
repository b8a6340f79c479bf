//! JSON that keeps the order of members, so that readers find the parts of the description where they were written.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Bytes of a line up to which a value is in one.
const LINE: usize = 180;
/// Spaces before a member or an item.
const INDENT: usize = 2;

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

    /// Returns the value as indented text that ends with a line break. What fits into a line is in one.
    pub fn to_pretty_text(&self) -> String {
        self.to_lines(0) + "\n"
    }

    /// Returns the value as text of lines, of which all but the first one have this indent.
    fn to_lines(&self, indent: usize) -> String {
        let deeper = indent + INDENT;
        let (open, items, close): (_, Vec<String>, _) = match self {
            Self::Scalar(value) => return value.to_string(),
            Self::Array(items) => ("[", items.iter().map(|item| item.to_lines(deeper)).collect(), "]"),
            Self::Object(members) => {
                let member = |(name, value): (&String, &Self)| format!("{}: {}", json!(name), value.to_lines(deeper));
                ("{", members.iter().map(member).collect(), "}")
            }
        };
        // With brackets and separators, each item takes two bytes more.
        let line = indent + items.iter().map(|item| item.len() + 2).sum::<usize>();
        if line <= LINE && !items.iter().any(|item| item.contains('\n')) {
            return format!("{open}{}{close}", items.join(", "));
        }
        let break_line = format!("\n{:deeper$}", "");
        format!("{open}{break_line}{}\n{:indent$}{close}", items.join(&format!(",{break_line}")), "")
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
