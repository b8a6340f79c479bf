//! Writes of single items on a condition.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::Database;
use crate::client::read::Item;
use crate::client::tables::{Change, Condition, ItemWrite};
use crate::schema::Table;
use presence_domain::error::Error;

impl Database {
    /// Writes an item. False if a condition does not hold.
    ///
    /// If a reply is lost, the SDK repeats the write, and a condition may fail because of the first one. So false may also mean
    /// that the item was written.
    pub(crate) async fn write(&self, write: ItemWrite) -> Result<bool, Error> {
        self.tables.write(write).await
    }

    /// Puts an item.
    pub(crate) async fn put(&self, table: &'static Table, item: Item) -> Result<(), Error> {
        self.write(ItemWrite::put(table, item, [])).await.map(drop)
    }

    /// Puts an item on a condition. False if the condition does not hold, as for [`Database::write`].
    pub(crate) async fn put_if(&self, table: &'static Table, item: Item, condition: Condition) -> Result<bool, Error> {
        self.write(ItemWrite::put(table, item, [condition])).await
    }

    /// Deletes an item, if it exists.
    pub(crate) async fn delete(&self, table: &'static Table, key: Item) -> Result<(), Error> {
        self.write(ItemWrite::delete(table, key, [])).await.map(drop)
    }

    /// Sets attributes of an item. Makes the item if there is none.
    pub(crate) async fn set_attributes(
        &self,
        table: &'static Table,
        key: Item,
        attributes: impl IntoIterator<Item = (String, AttributeValue)>,
    ) -> Result<(), Error> {
        let set = attributes.into_iter().collect();
        self.write(ItemWrite::update(table, key, set, Vec::new(), [])).await.map(drop)
    }

    /// Adds one to a number of an item. Makes the item or the number if there is none. May add two if a reply is lost.
    pub(crate) async fn increment(
        &self,
        table: &'static Table,
        key: Item,
        attribute: &'static str,
    ) -> Result<(), Error> {
        let change = Change::Update { set: Vec::new(), remove: Vec::new(), increment: Some(attribute) };
        self.write(ItemWrite { table, item: key, change, conditions: Vec::new() }).await.map(drop)
    }
}
