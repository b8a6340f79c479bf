//! Calls of tables that protocols make: over DynamoDB, or over the simulation, which drives them in random interleavings.
//!
//! A call is retried while the database refuses it for now. A failure after that leaves open whether a write was done.

use std::fmt::Debug;
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, TransactWriteItem};
use futures::future::BoxFuture;

use crate::client::read::{Consistency, Item, Order, Partition};
use crate::client::retry::Retries;
use crate::schema::Table;
use presence_domain::error::Error;

/// Answer of a call.
pub(crate) type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Tells whether the condition of an item of a transaction, by its position, fails by now.
pub(crate) type IsLost<'a> = dyn Fn(usize) -> Answer<'a, bool> + Send + Sync + 'a;

/// Calls of tables.
pub(crate) trait Tables: Debug + Send + Sync {
    /// Gets one item.
    fn get<'a>(&'a self, table: &'a Table, key: Item, consistency: Consistency) -> Answer<'a, Option<Item>>;

    /// Gets the items that exist among the keys, in no order. No key may be there twice. Reads the named attributes, or all if none is
    /// named.
    fn get_batch<'a>(
        &'a self,
        table: &'a Table,
        keys: Vec<Item>,
        attributes: &'a [&'static str],
        consistency: Consistency,
    ) -> Answer<'a, Vec<Item>>;

    /// Gets the items of up to 100 keys as they were at one instant, in order. [`Error::InProgress`] if other transactions held an item
    /// until the retries ended.
    fn get_together<'a>(&'a self, table: &'a Table, keys: Vec<Item>) -> Answer<'a, Vec<Option<Item>>>;

    /// Queries one page of a partition. Returns its items and the key after which the next page starts. A page is no snapshot. An index
    /// is always read eventually.
    fn query_page<'a>(
        &'a self,
        partition: &'a Partition<'a>,
        start: Option<Item>,
        consistency: Consistency,
        order: Order,
    ) -> Answer<'a, (Vec<Item>, Option<Item>)>;

    /// Scans one page of a table by a strong read, in no order. Returns its items and the key after which the next page starts.
    fn scan_page<'a>(
        &'a self,
        table: &'a Table,
        page: i32,
        start: Option<Item>,
    ) -> Answer<'a, (Vec<Item>, Option<Item>)>;

    /// Writes an item. False if a condition does not hold.
    ///
    /// If a reply is lost, the write is repeated, and a condition may fail because of the first one. So false may also mean that the
    /// item was written.
    fn write(&self, write: ItemWrite) -> Answer<'_, bool>;

    /// Puts an item as [`Tables::write`], at the pace of its partition. [`Error::Unavailable`] if the pace leaves no time for the put
    /// before the deadline.
    fn write_at_pace(&self, write: ItemWrite) -> Answer<'_, bool>;

    /// Commits a transaction. After a conflict, `is_lost` is asked about each item that another transaction held.
    fn commit<'a>(
        &'a self,
        items: Vec<TransactionItem>,
        is_lost: &'a IsLost<'a>,
    ) -> BoxFuture<'a, Result<(), CommitError>>;

    /// Returns the pauses of a call that begins now.
    fn retries(&self) -> Retries;

    /// Waits.
    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()>;
}

/// Occurs when a transaction is not carried out. None of its writes happened, unless the reply was lost.
#[derive(Debug)]
pub(crate) enum CommitError {
    /// The conditions of the items at these positions failed.
    ConditionsFailed(Vec<usize>),
    /// Any other failure.
    Failed(Error),
}

/// Item of a transaction.
#[derive(Clone, Debug)]
pub(crate) enum TransactionItem {
    /// Write on simple conditions.
    Write(ItemWrite),
    /// Write on any other condition, in the form of the SDK.
    Sdk(Box<TransactWriteItem>),
}

#[cfg(test)]
impl TransactionItem {
    /// Returns the write, as simulated tables carry it out.
    pub(crate) fn into_write(self) -> ItemWrite {
        match self {
            Self::Write(write) => write,
            Self::Sdk(item) => panic!("a simulation cannot carry out {item:?}"),
        }
    }
}

/// Write of one item, if all its conditions hold.
#[derive(Clone, Debug)]
pub(crate) struct ItemWrite {
    pub(crate) table: &'static Table,
    /// Whole item of a put, key of any other change.
    pub(crate) item: Item,
    pub(crate) change: Change,
    pub(crate) conditions: Vec<Condition>,
}

/// Change of an item.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The item replaces the stored one.
    Put,
    Delete,
    /// Attributes are set, removed and counted. The item is made if there is none.
    Update {
        set: Vec<(String, AttributeValue)>,
        remove: Vec<String>,
        /// Attribute to which one is added.
        increment: Option<&'static str>,
    },
}

/// Condition of a write of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The item exists.
    There,
    /// The item does not exist.
    NotThere,
    /// The item has the attribute.
    With(&'static str),
    /// The item does not have the attribute, or does not exist.
    Without(&'static str),
    /// The attribute has this number.
    NumberIs(&'static str, u64),
    /// The attribute has this text.
    TextIs(&'static str, String),
    /// The item does not exist, or the attribute is a number below this one.
    NotThereOrBelow(&'static str, u64),
}

impl ItemWrite {
    /// Returns the put of an item.
    pub(crate) fn put(table: &'static Table, item: Item, conditions: impl IntoIterator<Item = Condition>) -> Self {
        Self { table, item, change: Change::Put, conditions: conditions.into_iter().collect() }
    }

    /// Returns the deletion of an item.
    pub(crate) fn delete(table: &'static Table, key: Item, conditions: impl IntoIterator<Item = Condition>) -> Self {
        Self { table, item: key, change: Change::Delete, conditions: conditions.into_iter().collect() }
    }

    /// Returns an update that sets and removes attributes.
    pub(crate) fn update(
        table: &'static Table,
        key: Item,
        set: Vec<(String, AttributeValue)>,
        remove: Vec<String>,
        conditions: impl IntoIterator<Item = Condition>,
    ) -> Self {
        let change = Change::Update { set, remove, increment: None };
        Self { table, item: key, change, conditions: conditions.into_iter().collect() }
    }
}
