//! An import of categories: drafts first, the version last.
//!
//! Every write is a transaction that raises the head's revision, on condition that it is the one that this import saw
//! or wrote last. So of two imports at once one stops ([`Error::Conflict`]), and what it left stays a draft. An import
//! that was killed leaves drafts too. The next one finds them: those of the rows that it writes again are taken as they
//! are, all others are undone before it publishes. An import therefore counts as a whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put, Update};

use super::item::{Body, CategoryItem, Text};
use super::{CategoryHead, key};
use crate::client::read::{Item, item_as, number};
use crate::client::transaction::{Transaction, TransactionError};
use crate::format::CATEGORY;
use crate::keys::{DIRECTORY_PK, category_pk, parse_category_pk};
use crate::{CategoryStore, PutOutcome, schema};
use presence_domain::category::{Category, CategoryId, Country, MAX_DIRECTORY_BYTES};
use presence_domain::error::Error;

/// Categories in one transaction: DynamoDB's limit of 100 items, the head being one.
const BATCH: usize = 99;
/// Bytes in one transaction, both states of its items counted. The limit is 4 MB.
const BATCH_BYTES: usize = 2 << 20;

/// An import under way.
#[derive(Debug)]
pub struct CategoryImport {
    store: CategoryStore,
    head: CategoryHead,
    dry_run: bool,
    known: BTreeMap<CategoryId, Known>,
    /// Bytes of the directory as it will be.
    bytes: usize,
    /// Changed, and not written yet.
    pending: BTreeSet<CategoryId>,
    pending_bytes: usize,
}

/// One category, as far as the import knows.
#[derive(Debug, Default)]
struct Known {
    /// What holds at the version of the head.
    published: Option<Category>,
    /// What is to hold from the next version on.
    draft: Option<Category>,
    /// Whether a row of this import was about it.
    is_named: bool,
}

impl CategoryStore {
    /// Begins an import: reads all that is there. Writes nothing yet, in a dry run never.
    pub async fn begin_import(&self, dry_run: bool) -> Result<CategoryImport, Error> {
        let head = self.get_head().await?;
        let mut known = BTreeMap::new();
        for (pk, item) in self.category_items().await? {
            if item.since > head.version + 1 {
                return Err(Error::Conflict);
            }
            let id = parse_category_pk(&pk).ok_or_else(|| Error::internal("a category without an id"))?;
            let draft = Some(item.body.0.clone().of(id.clone()));
            let published = item.state_at(head.version).map(|body| body.of(id.clone()));
            known.insert(id, Known { published, draft, is_named: false });
        }
        let bytes = known.values().map(|known| bytes(known.published.as_ref())).sum();
        let (pending, pending_bytes) = (BTreeSet::new(), 0);
        Ok(CategoryImport { store: self.clone(), head, dry_run, known, bytes, pending, pending_bytes })
    }
}

impl CategoryImport {
    /// Takes in a category: it counts once the import is published. `None` when the directory is full
    /// ([`MAX_DIRECTORY_BYTES`]); the category is then left as it was.
    pub async fn put(&mut self, category: Category) -> Result<Option<PutOutcome>, Error> {
        let known = self.known.entry(category.id.clone()).or_default();
        // Before its first row, what an import that was never published made of the category does not count.
        let present = if known.is_named { &known.draft } else { &known.published };
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
        known.is_named = true;
        if known.draft.as_ref() != Some(&category) {
            let id = category.id.clone();
            known.draft = Some(category);
            self.change(id).await?;
        }
        Ok(Some(outcome))
    }

    /// Ends the import: undoes the drafts that an earlier one left, then makes all of this one count. Changes nothing when
    /// nothing is new.
    pub async fn publish(mut self) -> Result<(), Error> {
        let left: Vec<_> =
            self.known.iter().filter(|(_, known)| known.is_left_over()).map(|(id, _)| id.clone()).collect();
        for id in left {
            if let Some(known) = self.known.get_mut(&id) {
                known.draft.clone_from(&known.published);
            }
            self.change(id).await?;
        }
        let is_new = self.known.values().any(|known| known.draft != known.published);
        if !self.dry_run && (is_new || !self.pending.is_empty()) {
            self.write(is_new).await?;
        }
        Ok(())
    }

    /// Writes the category with the next transaction.
    async fn change(&mut self, id: CategoryId) -> Result<(), Error> {
        if self.dry_run {
            return Ok(());
        }
        let known = self.known.get(&id);
        self.pending_bytes += known.map_or(0, |known| bytes(known.published.as_ref()) + bytes(known.draft.as_ref()));
        self.pending.insert(id);
        let is_full = self.pending.len() == BATCH || self.pending_bytes >= BATCH_BYTES;
        if is_full { self.write(false).await } else { Ok(()) }
    }

    /// Writes what is pending, and the next version where it is to be published, or nothing of it.
    async fn write(&mut self, publish: bool) -> Result<(), Error> {
        let mut transaction = Transaction::new();
        transaction.update((), self.head_update(publish));
        for id in std::mem::take(&mut self.pending) {
            let known = self.known.get(&id).ok_or_else(|| Error::internal("a pending category is not known"))?;
            match known.item(&id, self.head.version + 1)? {
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

    fn drafts(&self) -> impl Iterator<Item = &Category> {
        self.known.values().filter_map(|known| known.draft.as_ref())
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

impl Known {
    /// Whether an import that was never published made it what it is.
    fn is_left_over(&self) -> bool {
        !self.is_named && self.draft != self.published
    }

    /// The item of both states, for the version that makes the draft hold; none when the category is not to be.
    fn item(&self, id: &CategoryId, since: u64) -> Result<Option<Item>, Error> {
        let Some(body) = self.draft.clone().map(Body::from) else { return Ok(None) };
        let before = self.published.clone().map(|category| Text(Body::from(category)));
        item_as(CATEGORY, &CategoryItem { pk: category_pk(id), since, body: Text(body), before }).map(Some)
    }
}

fn bytes(category: Option<&Category>) -> usize {
    category.map_or(0, Category::bytes)
}
