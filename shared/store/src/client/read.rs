//! Reads: get, query, scan and batch.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue, KeysAndAttributes};

use crate::Database;
use crate::schema::{Index, Table};
use presence_domain::error::Error;
pub(crate) use presence_ledger::table::Consistency;

/// Item of a table, in the form of the SDK.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// Returns a text attribute.
pub(crate) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// Returns a number attribute.
pub(crate) fn number(value: impl Into<i128>) -> AttributeValue {
    AttributeValue::N(value.into().to_string())
}

/// Returns a key of `pk` and `sk`.
pub(crate) fn pk_sk(pk: impl Into<String>, sk: impl Into<String>) -> Item {
    HashMap::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

/// Returns a binary attribute.
pub(crate) fn binary(value: Vec<u8>) -> AttributeValue {
    AttributeValue::B(Blob::new(value))
}

/// Order of a query by the sort key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

/// Query of one partition.
#[derive(Debug)]
pub(crate) struct Partition<'a> {
    pub(crate) table: &'a Table,
    /// Index to query; the base table, read strongly, if none.
    pub(crate) index: Option<&'a Index>,
    /// Value of the partition attribute.
    pub(crate) value: AttributeValue,
    /// Least and largest sort key; the whole partition if none.
    pub(crate) between: Option<(String, String)>,
    /// Largest number of items in one page. Always set, since the embedded DynamoDB reads the whole partition without it.
    pub(crate) page: i32,
    /// Largest number of pages. More are an error, so that no loop is unbounded.
    pub(crate) max_pages: usize,
}

impl Database {
    /// Gets one item by a strong read.
    pub(crate) async fn get(&self, table: &Table, key: Item) -> Result<Option<Item>, Error> {
        self.tables.get(table, key, Consistency::Strong).await
    }

    /// Queries every item of a partition, page by page, in the order of the sort key.
    pub(crate) async fn query(&self, partition: Partition<'_>) -> Result<Vec<Item>, Error> {
        let (mut items, mut start) = (Vec::new(), None);
        for _ in 0..partition.max_pages {
            let (page, next) = self.query_page(&partition, start).await?;
            items.extend(page);
            start = next;
            if start.is_none() {
                return Ok(items);
            }
        }
        Err(Error::internal("a partition is larger than the bound on its pages"))
    }

    /// Queries one page of a partition. Returns its items and the key after which the next page starts.
    pub(crate) async fn query_page(
        &self,
        partition: &Partition<'_>,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        self.query_page_with(partition, start, Consistency::Strong, Order::Ascending).await
    }

    /// Queries one page of a partition, as [`Database::query_page`]. An index is always read eventually.
    pub(crate) async fn query_page_with(
        &self,
        partition: &Partition<'_>,
        start: Option<Item>,
        consistency: Consistency,
        order: Order,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        self.tables.query_page(partition, start, consistency, order).await
    }

    /// Scans every item of a table by strong reads, page by page, in no order.
    pub(crate) async fn scan(&self, table: &Table, page: i32, max_pages: usize) -> Result<Vec<Item>, Error> {
        let (mut items, mut start) = (Vec::new(), None);
        for _ in 0..max_pages {
            let (found, next) = self.scan_page(table, page, start).await?;
            items.extend(found);
            start = next;
            if start.is_none() {
                return Ok(items);
            }
        }
        Err(Error::internal("a table is larger than the bound on its pages"))
    }

    /// Scans one page of a table by a strong read, in no order. Returns its items and the key after which the next page starts.
    pub(crate) async fn scan_page(
        &self,
        table: &Table,
        page: i32,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        self.tables.scan_page(table, page, start).await
    }

    /// Scans one page of an index, which lags, in no order. Returns its entries and the key after which the next page starts. With
    /// a prefix, returns only the entries in which the attribute begins with the text.
    pub(crate) async fn scan_index_page(
        &self,
        table: &Table,
        index: &Index,
        page: i32,
        prefix: Option<(&'static str, String)>,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), Error> {
        let scan = self.dynamo.client.scan().table_name(self.name(table)).index_name(index.name).limit(page);
        let scan = match prefix {
            Some((attribute, prefix)) => scan
                .filter_expression("begins_with(#attribute, :prefix)")
                .expression_attribute_names("#attribute", attribute)
                .expression_attribute_values(":prefix", text(prefix)),
            None => scan,
        };
        let scan = scan.set_exclusive_start_key(start);
        let page = self.retry_throttled(|| scan.clone().send()).await?;
        Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
    }

    /// Gets the items that exist among the keys by strong reads, in no order. Reads the named attributes, or all if none is named.
    pub(crate) async fn get_batch(
        &self,
        table: &Table,
        keys: Vec<Item>,
        attributes: &[&'static str],
    ) -> Result<Vec<Item>, Error> {
        self.tables.get_batch(table, keys, attributes, Consistency::Strong).await
    }

    /// Returns the items of up to 100 keys as they were at one instant, in order; `None` for one that does not exist.
    ///
    /// Returns [`Error::InProgress`] if other transactions held an item until the retries ended.
    pub(crate) async fn get_in_transaction(&self, table: &Table, keys: Vec<Item>) -> Result<Vec<Option<Item>>, Error> {
        self.tables.get_together(table, keys).await
    }

    /// Gets the items that exist among the keys of tables, by full names of the tables. There are at most 100 keys.
    pub(crate) async fn get_keys(
        &self,
        wanted: HashMap<String, KeysAndAttributes>,
    ) -> Result<HashMap<String, Vec<Item>>, Error> {
        self.dynamo.get_keys(wanted).await
    }
}
