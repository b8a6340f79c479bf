//! How categories are stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::CategoryHead;
use crate::domain::category::{Category, CategoryId, Country, Partners};

/// The head.
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

/// A category in its two states.
#[derive(Serialize, Deserialize)]
pub(super) struct CategoryItem {
    pub(super) pk: String,
    /// The version of the directory from which on `body` holds.
    pub(super) since: u64,
    pub(super) body: Body,
    /// What held until then; none for a category that was new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Body>,
}

/// All of a category but its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Body {
    code: String,
    names: BTreeMap<Country, String>,
    ancestors: BTreeMap<Country, Vec<String>>,
    partners: Partners,
}

impl CategoryItem {
    /// What held at a version, which is at least the one before `since`.
    pub(super) fn state_at(self, version: u64) -> Option<Body> {
        if self.since <= version { Some(self.body) } else { self.before }
    }
}

impl Body {
    pub(super) fn of(self, id: CategoryId) -> Category {
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
