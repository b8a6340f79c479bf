//! The category directory: kept in memory by a function, validated on every request, changed as a whole by an import.
//!
//! The table has one item for each category and one head ([`CategoryHead`]) with the version of the directory. Many
//! items cannot be written at once, so an import writes **drafts**: an item says what holds from the next version on
//! (`body`, `since`) and what held before (`before`). Raising the version of the head makes all drafts hold in one
//! write. Whoever reads at version V takes from each item what held at V, so that no reader ever sees a part of an
//! import:
//!
//! | `since` | state at version V |
//! |---|---|
//! | ≤ V | `body` |
//! | V + 1 | `before`; without one, there is no such category yet |
//! | > V + 1 | not known any more: the head has moved on, read it again |

mod import;
mod item;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

pub use import::CategoryImport;
pub(super) use item::rewritten;
use item::{CategoryItem, HeadItem};

use crate::client::read::{Item, parse_as, text};
use crate::format::{CATEGORY, CATEGORY_HEAD};
use crate::keys::{DIRECTORY_PK, parse_category_pk};
use crate::{Database, schema};
use presence_domain::category::CategoryDirectory;
use presence_domain::error::Error;

/// Items in one page of a Scan: they fill about the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 1_000;
/// Pages at the most: twice the bytes that a directory may have, since an item has two states, in pages half full.
const MAX_PAGES: usize = 150;
/// How often the directory is read when imports overtake the reading. Each takes an import that begins and ends
/// meanwhile, and another that has begun.
const ATTEMPTS: u32 = 3;

/// What is known of all categories: the version that counts, read strongly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryHead {
    /// Goes up by one with every import that changed something; 0 before the first.
    pub(super) version: u64,
    /// Goes up with every write of an import, so that two imports at once notice each other.
    revision: u64,
    /// Categories at this version.
    count: u64,
}

/// The directory that was read last.
#[derive(Debug, Default)]
pub(super) struct CategoryCache(Mutex<Option<Arc<CategoryDirectory>>>);

impl CategoryCache {
    fn at(&self, version: u64) -> Option<Arc<CategoryDirectory>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|directory| directory.version() == version).map(Arc::clone)
    }

    /// Keeps the directory, unless a newer one is there already.
    fn keep(&self, directory: &Arc<CategoryDirectory>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|other| other.version() < directory.version()) {
            *kept = Some(Arc::clone(directory));
        }
    }
}

/// Directory of categories, with the version that was read last. Cheap to clone.
#[derive(Clone, Debug)]
pub struct CategoryStore {
    pub(crate) db: Database,
    pub(crate) categories: Arc<CategoryCache>,
}

impl CategoryStore {
    /// Builds the store. Makes no call.
    #[must_use]
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone(), categories: Arc::default() }
    }
}

impl CategoryStore {
    /// The head of the category directory, read strongly: one read unit.
    pub async fn get_head(&self) -> Result<CategoryHead, Error> {
        let head = self
            .db
            .get(&schema::CATEGORIES, key(DIRECTORY_PK))
            .await?
            .map(|head| parse_as::<HeadItem>(CATEGORY_HEAD, head))
            .transpose()?;
        Ok(head.map_or_else(CategoryHead::default, CategoryHead::from))
    }

    /// The directory whose head was read strongly in this request: exactly one version, that of the head or a newer
    /// one. From memory where it is there; else it is read, about a quarter of a read unit for each category.
    pub async fn get_directory(&self, head: CategoryHead) -> Result<Arc<CategoryDirectory>, Error> {
        let mut head = head;
        for _ in 0..ATTEMPTS {
            if let Some(directory) = self.categories.at(head.version) {
                return Ok(directory);
            }
            if let Some(directory) = self.read_category_directory(head).await? {
                let directory = Arc::new(directory);
                self.categories.keep(&directory);
                return Ok(directory);
            }
            head = self.get_head().await?;
        }
        Err(Error::Unavailable("imports of categories overtook every reading of the directory".into()))
    }

    /// The directory at the version of the head; none when the head has moved on too far.
    async fn read_category_directory(&self, head: CategoryHead) -> Result<Option<CategoryDirectory>, Error> {
        if head.version == 0 {
            return Ok(Some(CategoryDirectory::new(0, Vec::new())));
        }
        let mut categories = Vec::new();
        for (pk, item) in self.category_items().await? {
            if item.since > head.version + 1 {
                return Ok(None);
            }
            let id = parse_category_pk(&pk).ok_or_else(|| Error::internal("a category without an id"))?;
            categories.extend(item.state_at(head.version).map(|body| body.of(id)));
        }
        if categories.len() as u64 != head.count {
            return Err(Error::internal("the categories are not as many as their head says"));
        }
        Ok(Some(CategoryDirectory::new(head.version, categories)))
    }

    /// Every item of the table but the head, by key.
    async fn category_items(&self) -> Result<Vec<(String, CategoryItem)>, Error> {
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
