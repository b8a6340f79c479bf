//! Directory of categories. A function keeps it in memory, and every request checks its version.
//!
//! The table has one item for each category, and one head ([`CategoryHead`]) with the version of the directory. An import changes more
//! items than one transaction can. So it writes **drafts**: an item has the category from the next version on (`body`, `since`), and the
//! category before it (`before`). Raising the version of the head publishes all drafts in one write. A reader at version V takes the
//! state at V from each item, so that it never sees a part of an import:
//!
//! | `since` | state at version V |
//! |---|---|
//! | ≤ V | `body` |
//! | V + 1 | `before`; without it, the category does not exist yet |
//! | > V + 1 | unknown: the reader must read the head again |

mod import;
mod item;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub use import::CategoryImport;
use item::{CategoryItem, HeadItem};

use crate::client::read::{Item, text};
use crate::format::{CATEGORY, CATEGORY_HEAD, parse_as};
use crate::keys::{DIRECTORY_PK, parse_category_pk};
use crate::{Database, schema};
use presence_domain::category::CategoryDirectory;
use presence_domain::error::Error;

/// Number of items in one page of a Scan. They fill about the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 1_000;
/// Maximum number of pages. It is enough for the largest directory with two states in each item, in pages that are half full.
const MAX_PAGES: usize = 150;
/// Maximum number of attempts to read the directory. An attempt fails only if one import is published and another one starts while it
/// reads.
const MAX_ATTEMPTS: u32 = 3;

/// Head of the category directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryHead {
    /// Version that is published. Each import that changes a category adds 1; it is 0 before the first one.
    pub(super) version: u64,
    /// Number of writes of imports. It lets concurrent imports notice each other.
    revision: u64,
    /// Number of categories at this version.
    count: u64,
}

impl CategoryHead {
    /// Returns the version that is published. Two directories with one version are the same.
    pub fn version(&self) -> u64 {
        self.version
    }
}

/// Cache of the directory that was read last.
#[derive(Debug, Default)]
pub(super) struct CategoryCache(Mutex<Option<Arc<CategoryDirectory>>>);

impl CategoryCache {
    /// Returns the directory if it has this version.
    fn get(&self, version: u64) -> Option<Arc<CategoryDirectory>> {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.as_ref().filter(|directory| directory.version() == version).map(Arc::clone)
    }

    /// Stores a directory, unless the cached one is newer.
    fn insert(&self, directory: &Arc<CategoryDirectory>) {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.as_ref().is_none_or(|other| other.version() < directory.version()) {
            *cached = Some(Arc::clone(directory));
        }
    }
}

/// Store of the category directory, with a cache of one version. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CategoryStore {
    pub(crate) db: Database,
    cache: Arc<CategoryCache>,
}

impl CategoryStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone(), cache: Arc::default() }
    }
}

impl CategoryStore {
    /// Reads the head of the directory, strongly. It costs one read unit.
    pub async fn get_head(&self) -> Result<CategoryHead, Error> {
        let head = self
            .db
            .get(&schema::CATEGORIES, key(DIRECTORY_PK))
            .await?
            .map(|head| parse_as::<HeadItem>(CATEGORY_HEAD, head))
            .transpose()?;
        Ok(head.map_or_else(CategoryHead::default, CategoryHead::from))
    }

    /// Returns the directory at the version of a head that was read in this request, or at a newer one. It comes from the cache, or is
    /// read at about a quarter of a read unit for each category.
    pub async fn get_directory(&self, head: CategoryHead) -> Result<Arc<CategoryDirectory>, Error> {
        let mut head = head;
        for _ in 0..MAX_ATTEMPTS {
            if let Some(directory) = self.cache.get(head.version) {
                return Ok(directory);
            }
            if let Some(directory) = self.read_directory(head).await? {
                let directory = Arc::new(directory);
                self.cache.insert(&directory);
                return Ok(directory);
            }
            head = self.get_head().await?;
        }
        Err(Error::Unavailable("imports of categories overtook every read of the directory".into()))
    }

    /// Reads the directory at the version of a head. Returns `None` if the items have moved on to a later version.
    async fn read_directory(&self, head: CategoryHead) -> Result<Option<CategoryDirectory>, Error> {
        if head.version == 0 {
            return Ok(Some(CategoryDirectory::new(0, Vec::new())));
        }
        let mut categories = Vec::new();
        for (pk, item) in self.list_items().await? {
            if item.since > head.version + 1 {
                return Ok(None);
            }
            let id = parse_category_pk(&pk).ok_or_else(|| Error::internal("a category without an id"))?;
            categories.extend(item.state_at(head.version).map(|body| body.into_category(id)));
        }
        if categories.len() as u64 != head.count {
            return Err(Error::internal("the number of categories differs from that of their head"));
        }
        Ok(Some(CategoryDirectory::new(head.version, categories)))
    }

    /// Reads the items of all categories, with their keys.
    async fn list_items(&self) -> Result<Vec<(String, CategoryItem)>, Error> {
        let mut items = Vec::new();
        for item in self.db.scan(&schema::CATEGORIES, PAGE, MAX_PAGES).await? {
            let pk = item.get("pk").and_then(|pk| pk.as_s().ok()).cloned().unwrap_or_default();
            if pk != DIRECTORY_PK {
                items.push((pk, parse_as(CATEGORY, item)?));
            }
        }
        Ok(items)
    }
}

fn key(pk: impl Into<String>) -> Item {
    HashMap::from([("pk".to_owned(), text(pk))])
}
