//! Items of the categories table.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::CategoryHead;
use presence_domain::category::{Category, CategoryId, Country, Partners};

/// Item of the head.
#[derive(Deserialize)]
pub(super) struct HeadItem {
    version: u64,
    revision: u64,
    #[serde(default)]
    count: u64,
}

impl From<HeadItem> for CategoryHead {
    fn from(HeadItem { version, revision, count }: HeadItem) -> Self {
        Self { version, revision, count }
    }
}

/// Item of a category, with two states.
#[derive(Serialize, Deserialize)]
pub(super) struct CategoryItem {
    pub(super) pk: String,
    /// First version of the directory at which `body` is the category.
    pub(super) since: u64,
    pub(super) body: JsonText<Body>,
    /// Category before that version; missing for a new category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<JsonText<Body>>,
}

/// Value that is stored as JSON text. Reading the whole table is several times faster than with an attribute for each part.
pub(super) struct JsonText<T>(pub(super) T);

impl<T: Serialize> Serialize for JsonText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&serde_json::to_string(&self.0).map_err(S::Error::custom)?)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for JsonText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        serde_json::from_str(&text).map(Self).map_err(D::Error::custom)
    }
}

/// Category without its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Body {
    code: String,
    names: BTreeMap<Country, String>,
    ancestors: BTreeMap<Country, Vec<String>>,
    partners: Partners,
}

impl CategoryItem {
    /// Returns the category at a version; `None` if it does not exist then. The version must not be below the one before `since`.
    pub(super) fn state_at(self, version: u64) -> Option<Body> {
        if self.since <= version { Some(self.body.0) } else { self.before.map(|before| before.0) }
    }
}

impl Body {
    pub(super) fn into_category(self, id: CategoryId) -> Category {
        let Self { code, names, ancestors, partners } = self;
        Category { id, code, names, ancestors, partners }
    }
}

impl From<Category> for Body {
    fn from(category: Category) -> Self {
        let Category { id: _, code, names, ancestors, partners } = category;
        Self { code, names, ancestors, partners }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{item, parse};
    use presence_domain::category::CategoryRow;

    /// Size of a category without texts: keys, brackets and commas.
    const EMPTY_BYTES: usize = 300;

    #[test]
    fn category_is_read_back_as_written_and_takes_the_bytes_that_it_counts() {
        for name in [r#"Chez "L'Ami" \ fils"#, "Café 🥐 \u{2028}", &r#"""#.repeat(255), &"é".repeat(255)] {
            let row = serde_json::json!({"id": "c1", "code": "a", "names": {"FR": name}, "ancestors": {"FR": [name]}});
            let category = serde_json::from_value::<CategoryRow>(row).expect("a row").read().expect("a category");
            let body = Body::from(category.clone());
            let stored = CategoryItem {
                pk: "CATEGORY#c1".to_owned(),
                since: 7,
                body: JsonText(body.clone()),
                before: Some(JsonText(body.clone())),
            };
            let text = serde_json::to_string(&body).expect("JSON");
            assert!(text.len() <= category.bytes() + EMPTY_BYTES, "{name}: {} of {}", text.len(), category.bytes());
            let read: CategoryItem = parse(item(&stored).expect("an item")).expect("the item again");
            assert_eq!(read.before.map(|before| before.0), Some(body.clone()));
            assert_eq!(read.body.0.into_category(category.id.clone()), category);
        }
    }
}
