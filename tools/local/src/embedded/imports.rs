//! Imports straight into the emulator, without requests.

use std::collections::HashMap;

use anyhow::{Context as _, anyhow};
use aws_sdk_dynamodb::types::AttributeValue;
use dynoxide::ImportOptions;
use presence_domain::error::Error;
use presence_domain::review::Review;
use presence_ledger::OrgPostings;
use presence_ledger::tree::FACETS_FROM;
use presence_store::{Stores, bulk_org_items, bulk_review_items, schema};

use super::EmbeddedDynamo;

/// Number of items of trees that are imported at a time: some 40 MB.
const IMPORT_CHUNK: usize = 10_000;

impl EmbeddedDynamo {
    /// Imports many items into a table without the HTTP protocol, which would take ten times as long. Writes no stream records.
    /// Returns the number of bytes, as `DynamoDB` counts them.
    pub fn import(&self, table: &str, items: Vec<HashMap<String, AttributeValue>>) -> anyhow::Result<usize> {
        let items: anyhow::Result<Vec<_>> = items.into_iter().map(embedded_item).collect();
        Ok(self.database.import_items(table, items?, ImportOptions::default())?.bytes_imported)
    }

    /// Imports the trees and the directory of an organisation, whose reviews are imported one by one. Returns the number of bytes.
    pub fn import_trees(&self, table: &str, postings: OrgPostings) -> anyhow::Result<usize> {
        let (mut items, mut bytes) = (Vec::new(), 0);
        bulk_org_items(postings, FACETS_FROM, |item| {
            items.push(item);
            if items.len() >= IMPORT_CHUNK {
                bytes += self.import(table, std::mem::take(&mut items)).map_err(Error::internal)?;
            }
            Ok(())
        })?;
        Ok(bytes + self.import(table, items)?)
    }

    /// Speeds up writes at the cost of durability: a power cut may corrupt the file. For data that can be generated again.
    pub fn enable_bulk_loading(&self) -> anyhow::Result<()> {
        self.database.enable_bulk_loading().context("cannot set the database up for bulk loading")
    }

    /// Imports all reviews of some organisations, and the items that count them.
    pub(crate) fn fill_reviews(&self, store: &Stores, reviews: &[Review], facets_from: i64) -> anyhow::Result<()> {
        self.import(&store.database.name(&schema::REVIEWS), bulk_review_items(reviews, facets_from)?).map(drop)
    }
}

/// Converts an item into the emulator's own type. Sets are not supported: the service stores none.
fn embedded_item(item: HashMap<String, AttributeValue>) -> anyhow::Result<dynoxide::Item> {
    item.into_iter().map(|(name, value)| Ok((name, embedded_value(value)?))).collect()
}

fn embedded_value(value: AttributeValue) -> anyhow::Result<dynoxide::AttributeValue> {
    Ok(match value {
        AttributeValue::S(text) => dynoxide::AttributeValue::S(text),
        AttributeValue::N(digits) => dynoxide::AttributeValue::N(digits),
        AttributeValue::B(bytes) => dynoxide::AttributeValue::B(bytes.into_inner()),
        AttributeValue::Bool(is_true) => dynoxide::AttributeValue::BOOL(is_true),
        AttributeValue::Null(is_null) => dynoxide::AttributeValue::NULL(is_null),
        AttributeValue::L(values) => {
            dynoxide::AttributeValue::L(values.into_iter().map(embedded_value).collect::<Result<_, _>>()?)
        }
        AttributeValue::M(item) => dynoxide::AttributeValue::M(embedded_item(item)?),
        other => return Err(anyhow!("{other:?} is of a type that the service does not store")),
    })
}
