//! Import of categories: it writes drafts first, and raises the version last.
//!
//! Every write is a transaction that raises the revision of the head. Its condition is that the revision is the one that this import has
//! read or written last. So of two concurrent imports, one fails with [`Error::Conflict`]. Its drafts stay, and so do those of an import
//! that was killed. The next import finds them. It keeps those that equal its own rows, and undoes all others before it publishes. So an
//! import takes effect as a whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put, Update};

use super::item::{Body, CategoryItem, JsonText};
use super::{CategoryHead, key};
use crate::client::read::{Item, number};
use crate::client::transaction::{Transaction, TransactionError};
use crate::format::{CATEGORY, item_as};
use crate::keys::{DIRECTORY_PK, category_pk, parse_category_pk};
use crate::{CategoryStore, PutOutcome, schema};
use presence_domain::category::{Category, CategoryId, Country, MAX_DIRECTORY_BYTES};
use presence_domain::error::Error;

/// Maximum number of categories in one transaction. DynamoDB takes 100 items, and the head is one of them.
const MAX_BATCH: usize = 99;
/// Maximum size of one transaction in bytes, with both states of its items. DynamoDB takes 4 MB.
const MAX_BATCH_BYTES: usize = 2 << 20;

/// Import in progress.
#[derive(Debug)]
pub struct CategoryImport {
    store: CategoryStore,
    head: CategoryHead,
    dry_run: bool,
    categories: BTreeMap<CategoryId, ImportedCategory>,
    /// Size of the directory after the import, in bytes.
    bytes: usize,
    /// Categories that have changed and are not written yet.
    pending: BTreeSet<CategoryId>,
    /// Size of these categories with both states, in bytes.
    pending_bytes: usize,
}

/// Category during an import.
#[derive(Debug, Default)]
struct ImportedCategory {
    /// Category at the version of the head.
    published: Option<Category>,
    /// Category from the next version on.
    draft: Option<Category>,
    /// True if this import had a row of the category.
    has_row: bool,
}

impl CategoryStore {
    /// Starts an import by reading the directory. A dry run never writes.
    pub async fn begin_import(&self, dry_run: bool) -> Result<CategoryImport, Error> {
        let head = self.get_head().await?;
        let mut categories = BTreeMap::new();
        for (pk, item) in self.list_items().await? {
            if item.since > head.version + 1 {
                return Err(Error::Conflict);
            }
            let id = parse_category_pk(&pk).ok_or_else(|| Error::internal("a category without an id"))?;
            let draft = Some(item.body.0.clone().into_category(id.clone()));
            let published = item.state_at(head.version).map(|body| body.into_category(id.clone()));
            categories.insert(id, ImportedCategory { published, draft, has_row: false });
        }
        let bytes = categories.values().map(|category| bytes(category.published.as_ref())).sum();
        let (pending, pending_bytes) = (BTreeSet::new(), 0);
        Ok(CategoryImport { store: self.clone(), head, dry_run, categories, bytes, pending, pending_bytes })
    }
}

impl CategoryImport {
    /// Adds a category, which takes effect when the import is published. Returns `None` and leaves the category as it was if the directory
    /// would be larger than [`MAX_DIRECTORY_BYTES`].
    pub async fn put(&mut self, category: Category) -> Result<Option<PutOutcome>, Error> {
        let entry = self.categories.entry(category.id.clone()).or_default();
        // Before the first row of a category, its draft is that of an earlier import that was not published: it does not count.
        let present = if entry.has_row { &entry.draft } else { &entry.published };
        let outcome = match present {
            None => PutOutcome::Created,
            Some(present) if *present == category => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        };
        let bytes = self.bytes - bytes(present.as_ref()) + category.bytes();
        if bytes > MAX_DIRECTORY_BYTES {
            return Ok(None);
        }
        self.bytes = bytes;
        entry.has_row = true;
        if entry.draft.as_ref() != Some(&category) {
            let id = category.id.clone();
            entry.draft = Some(category);
            self.add_pending(id).await?;
        }
        Ok(Some(outcome))
    }

    /// Publishes the import. It first undoes the drafts of earlier imports that were not published. An import without changes writes
    /// nothing.
    pub async fn publish(mut self) -> Result<(), Error> {
        let stale: Vec<_> = self
            .categories
            .iter()
            .filter(|(_, category)| category.has_stale_draft())
            .map(|(id, _)| id.clone())
            .collect();
        for id in stale {
            if let Some(category) = self.categories.get_mut(&id) {
                category.draft.clone_from(&category.published);
            }
            self.add_pending(id).await?;
        }
        let is_new = self.categories.values().any(|category| category.draft != category.published);
        if !self.dry_run && (is_new || !self.pending.is_empty()) {
            self.write(is_new).await?;
        }
        Ok(())
    }

    /// Adds a category to the next transaction, and writes the transaction if it is full.
    async fn add_pending(&mut self, id: CategoryId) -> Result<(), Error> {
        if self.dry_run {
            return Ok(());
        }
        let category = self.categories.get(&id);
        self.pending_bytes +=
            category.map_or(0, |category| bytes(category.published.as_ref()) + bytes(category.draft.as_ref()));
        self.pending.insert(id);
        let is_full = self.pending.len() == MAX_BATCH || self.pending_bytes >= MAX_BATCH_BYTES;
        if is_full { self.write(false).await } else { Ok(()) }
    }

    /// Writes the pending categories, and the next version if `publish` is true, in one transaction.
    async fn write(&mut self, publish: bool) -> Result<(), Error> {
        let mut transaction = Transaction::new();
        transaction.update((), self.head_update(publish));
        for id in std::mem::take(&mut self.pending) {
            let category =
                self.categories.get(&id).ok_or_else(|| Error::internal("a pending category is not in the import"))?;
            match category.to_item(&id, self.head.version + 1)? {
                Some(item) => transaction.put((), self.put_of(item)),
                None => transaction.delete((), self.delete_of(&id)),
            }
        }
        match transaction.commit(&self.store.db).await {
            Ok(()) => {}
            Err(TransactionError::ConditionsFailed(_)) => return Err(Error::Conflict),
            Err(TransactionError::Failed(error)) => return Err(error),
        }
        self.pending_bytes = 0;
        self.head.revision += 1;
        Ok(())
    }

    /// Returns the update of the head, on condition of the last revision.
    fn head_update(&self, publish: bool) -> Update {
        let CategoryHead { version, revision, .. } = self.head;
        let condition = if revision == 0 { "attribute_not_exists(pk)" } else { "revision = :revision" };
        let update = Update::builder()
            .table_name(self.store.db.name(&schema::CATEGORIES))
            .set_key(Some(key(DIRECTORY_PK)))
            .condition_expression(condition)
            .set_expression_attribute_values(
                (revision > 0).then(|| [(":revision".to_owned(), number(revision))].into()),
            )
            .expression_attribute_values(":next", number(revision + 1));
        let update = if publish {
            update
                .update_expression("SET revision = :next, version = :version, languages = :languages, #count = :count")
                .expression_attribute_names("#count", "count")
                .expression_attribute_values(":version", number(version + 1))
                .expression_attribute_values(":languages", self.languages())
                .expression_attribute_values(":count", number(self.drafts().count() as u64))
        } else if revision == 0 {
            update
                .update_expression("SET revision = :next, version = :version")
                .expression_attribute_values(":version", number(version))
        } else {
            update.update_expression("SET revision = :next")
        };
        update.build().expect("table, key and expression are set")
    }

    /// Iterates over the categories of the next version.
    fn drafts(&self) -> impl Iterator<Item = &Category> {
        self.categories.values().filter_map(|category| category.draft.as_ref())
    }

    fn languages(&self) -> AttributeValue {
        let languages: BTreeSet<Country> = self.drafts().flat_map(|category| category.names.keys().copied()).collect();
        AttributeValue::L(languages.into_iter().map(|lang| AttributeValue::S(lang.to_string())).collect())
    }

    fn put_of(&self, item: Item) -> Put {
        let put = Put::builder().table_name(self.store.db.name(&schema::CATEGORIES)).set_item(Some(item));
        put.build().expect("table and item are set")
    }

    fn delete_of(&self, id: &CategoryId) -> Delete {
        let delete = Delete::builder().table_name(self.store.db.name(&schema::CATEGORIES));
        delete.set_key(Some(key(category_pk(id)))).build().expect("table and key are set")
    }
}

impl ImportedCategory {
    /// True if the draft is that of an earlier import that was not published.
    fn has_stale_draft(&self) -> bool {
        !self.has_row && self.draft != self.published
    }

    /// Returns the item of both states; `None` if the category does not exist from version `since` on.
    fn to_item(&self, id: &CategoryId, since: u64) -> Result<Option<Item>, Error> {
        let Some(body) = self.draft.clone().map(Body::from) else { return Ok(None) };
        let before = self.published.clone().map(|category| JsonText(Body::from(category)));
        item_as(CATEGORY, &CategoryItem { pk: category_pk(id), since, body: JsonText(body), before }).map(Some)
    }
}

fn bytes(category: Option<&Category>) -> usize {
    category.map_or(0, Category::bytes)
}
