//! Writes of single items on a condition.

use std::collections::HashMap;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemOutput;
use aws_sdk_dynamodb::types::{AttributeValue, Put};
use aws_smithy_runtime_api::http::Response;

use crate::Database;
use crate::client::errors::{failed, is_condition_failed, is_refused_for_now};
use crate::client::read::{Item, number};
use crate::schema::Table;
use presence_domain::error::Error;

/// Condition of a write of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The item does not exist.
    NotThere,
    /// The item does not have the attribute, or does not exist.
    Without(&'static str),
    /// The attribute has this number.
    NumberIs(&'static str, u64),
}

impl Condition {
    /// Returns the put of an item on this condition, for a transaction.
    pub(crate) fn put(self, table: &str, item: Item) -> Put {
        let put = Put::builder().table_name(table).set_item(Some(item)).condition_expression(self.expression());
        let put = put.set_expression_attribute_names(self.names()).set_expression_attribute_values(self.values());
        put.build().expect("table and item are set")
    }

    fn expression(self) -> String {
        match self {
            Self::NotThere => "attribute_not_exists(pk)".to_owned(),
            Self::Without(_) => "attribute_not_exists(#number)".to_owned(),
            Self::NumberIs(..) => "#number = :number".to_owned(),
        }
    }

    fn names(self) -> Option<HashMap<String, String>> {
        match self {
            Self::NotThere => None,
            Self::Without(name) | Self::NumberIs(name, _) => {
                Some(HashMap::from([("#number".to_owned(), name.to_owned())]))
            }
        }
    }

    fn values(self) -> Option<HashMap<String, AttributeValue>> {
        match self {
            Self::NotThere | Self::Without(_) => None,
            Self::NumberIs(_, value) => Some(HashMap::from([(":number".to_owned(), number(value))])),
        }
    }
}

impl Database {
    /// Puts an item on a condition. False if the condition does not hold.
    ///
    /// If a reply is lost, the SDK repeats the put, and the condition may fail because of the first one. So false may also mean
    /// that the item was put.
    pub(crate) async fn put_if(&self, table: &Table, item: Item, condition: Condition) -> Result<bool, Error> {
        self.put_counted(table, item, condition).await.map(|units| units.is_some())
    }

    /// Puts an item on a condition, as [`Database::put_if`]. Returns the write units that it took; `None` if the condition does not
    /// hold.
    pub(crate) async fn put_counted(
        &self,
        table: &Table,
        item: Item,
        condition: Condition,
    ) -> Result<Option<f64>, Error> {
        let put = self.client.put_item().table_name(self.name(table)).set_item(Some(item));
        let put = put
            .condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values());
        let put = self.retry_for_output(|| put.clone().send()).await?;
        // The meter asks for the capacity of every call.
        let units = |put: PutItemOutput| put.consumed_capacity.and_then(|capacity| capacity.capacity_units);
        Ok(put.map(|put| units(put).unwrap_or_default()))
    }

    /// Deletes an item on a condition. False if the condition does not hold, as for [`Database::put_if`].
    pub(crate) async fn delete_if(&self, table: &Table, key: Item, condition: Condition) -> Result<bool, Error> {
        let delete = self.client.delete_item().table_name(self.name(table)).set_key(Some(key));
        let delete = delete
            .condition_expression(condition.expression())
            .set_expression_attribute_names(condition.names())
            .set_expression_attribute_values(condition.values());
        self.retry_conditional(|| delete.clone().send()).await
    }

    /// Deletes an item, if it exists.
    pub(crate) async fn delete(&self, table: &Table, key: Item) -> Result<(), Error> {
        let delete = self.client.delete_item().table_name(self.name(table)).set_key(Some(key));
        self.retry_throttled(|| delete.clone().send()).await.map(|_| ())
    }

    /// Removes attributes of an item that exists. Those that it does not have are skipped.
    pub(crate) async fn remove_attributes(
        &self,
        table: &Table,
        key: Item,
        attributes: &[String],
    ) -> Result<bool, Error> {
        let update = self.client.update_item().table_name(self.name(table)).set_key(Some(key));
        let placeholders: Vec<String> = (0..attributes.len()).map(|n| format!("#{n}")).collect();
        let names = placeholders.iter().cloned().zip(attributes.iter().cloned()).collect();
        let update = update
            .update_expression(format!("REMOVE {}", placeholders.join(", ")))
            .condition_expression("attribute_exists(pk)")
            .set_expression_attribute_names(Some(names));
        self.retry_conditional(|| update.clone().send()).await
    }

    /// Adds one to a number of an item. Makes the item or the number if there is none. May add two if a reply is lost.
    pub(crate) async fn increment(&self, table: &Table, key: Item, attribute: &str) -> Result<(), Error> {
        let update = self.client.update_item().table_name(self.name(table)).set_key(Some(key));
        let update = update
            .update_expression("ADD #number :one")
            .expression_attribute_names("#number", attribute)
            .expression_attribute_values(":one", number(1_u64));
        self.retry_conditional(|| update.clone().send()).await.map(drop)
    }

    /// Makes a conditional call, and retries it while DynamoDB refuses it for now. False if its condition does not hold.
    pub(crate) async fn retry_conditional<T, E, F>(&self, call: impl Fn() -> F) -> Result<bool, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        self.retry_for_output(call).await.map(|output| output.is_some())
    }

    /// Makes a conditional call, as [`Database::retry_conditional`]. Returns its output; `None` if its condition does not hold.
    async fn retry_for_output<T, E, F>(&self, call: impl Fn() -> F) -> Result<Option<T>, Error>
    where
        F: Future<Output = Result<T, SdkError<E, Response>>>,
        E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
    {
        let mut retries = self.retries();
        loop {
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            match Box::pin(call()).await {
                Ok(output) => {
                    self.note_progress();
                    return Ok(Some(output));
                }
                Err(error) if is_condition_failed(&error) => return Ok(None),
                Err(error) if is_refused_for_now(&error) && retries.pause().await => {}
                Err(error) => return Err(failed(error)),
            }
        }
    }
}
