//! Calls of tables over the SDK of `DynamoDB`.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsError;
use aws_sdk_dynamodb::types::{
    ConditionCheck, ConsumedCapacity, Delete, Get, KeysAndAttributes, Put, TransactGetItem, TransactWriteItem, Update,
};
use aws_smithy_runtime_api::http::Response;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use tokio::time::Instant;

use crate::client::database::DynamoDb;
use crate::client::errors::{Cancellation, ItemTooLargeError, cancellation_codes, failed, is_throttled};
use crate::client::parallel::parallel;
use crate::client::partition_pace::{TIME_AFTER, partition_of, units_of};
use crate::client::read::{Consistency, Item, Order, Partition, text};
use crate::client::rendering::{Expressions, transact_item};
use crate::client::retry::{Retries, time_left};
use crate::client::tables::{Answer, Change, CommitError, IsLost, ItemWrite, Tables, TransactionItem};
use crate::client::write_rate::ReservedUnits;
use crate::schema::Table;
use presence_domain::error::Error;
use presence_domain::random::random_u64;

/// Largest number of keys in one BatchGetItem, DynamoDB's limit.
const BATCH_KEYS: usize = 100;
/// Largest number of batches in flight: enough for the leaves of 1,000 days in one round trip, and for the 2,000 businesses of a
/// user in two. A caller that reads large items limits their number.
const BATCHES_IN_FLIGHT: u16 = 11;

impl Tables for DynamoDb {
    fn get<'a>(&'a self, table: &'a Table, key: Item, consistency: Consistency) -> Answer<'a, Option<Item>> {
        let get = self.client.get_item().table_name(self.name(table)).set_key(Some(key));
        let get = get.consistent_read(consistency == Consistency::Strong);
        async move { Ok(self.retry_throttled(|| get.clone().send()).await?.item) }.boxed()
    }

    fn get_batch<'a>(
        &'a self,
        table: &'a Table,
        keys: Vec<Item>,
        attributes: &'a [&'static str],
        consistency: Consistency,
    ) -> Answer<'a, Vec<Item>> {
        let chunks: Vec<Vec<Item>> = keys.chunks(BATCH_KEYS).map(<[Item]>::to_vec).collect();
        let reads = chunks.into_iter().map(move |chunk| self.get_chunk(table, chunk, attributes, consistency));
        let reads = parallel(BATCHES_IN_FLIGHT, reads);
        async move { Ok(reads.await?.into_iter().flatten().collect()) }.boxed()
    }

    fn get_together<'a>(&'a self, table: &'a Table, keys: Vec<Item>) -> Answer<'a, Vec<Option<Item>>> {
        self.transact_get(table, keys).boxed()
    }

    fn query_page<'a>(
        &'a self,
        partition: &'a Partition<'a>,
        start: Option<Item>,
        consistency: Consistency,
        order: Order,
    ) -> Answer<'a, (Vec<Item>, Option<Item>)> {
        let key = partition.index.map_or(&partition.table.key, |index| &index.key);
        let query = self
            .client
            .query()
            .table_name(self.name(partition.table))
            .set_index_name(partition.index.map(|index| index.name.to_owned()))
            .consistent_read(partition.index.is_none() && consistency == Consistency::Strong)
            .scan_index_forward(order == Order::Ascending)
            .expression_attribute_names("#partition", key.partition.0)
            .expression_attribute_values(":partition", partition.value.clone())
            .limit(partition.page)
            .set_exclusive_start_key(start);
        let query = match (&partition.between, key.sort) {
            (Some((from, to)), Some((sort, _))) => query
                .key_condition_expression("#partition = :partition AND #sort BETWEEN :from AND :to")
                .expression_attribute_names("#sort", sort)
                .expression_attribute_values(":from", text(from))
                .expression_attribute_values(":to", text(to)),
            _ => query.key_condition_expression("#partition = :partition"),
        };
        async move {
            let page = self.retry_throttled(|| query.clone().send()).await?;
            Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
        }
        .boxed()
    }

    fn scan_page<'a>(
        &'a self,
        table: &'a Table,
        page: i32,
        start: Option<Item>,
    ) -> Answer<'a, (Vec<Item>, Option<Item>)> {
        let scan = self.client.scan().table_name(self.name(table)).consistent_read(true).limit(page);
        let scan = scan.set_exclusive_start_key(start);
        async move {
            let page = self.retry_throttled(|| scan.clone().send()).await?;
            Ok((page.items.unwrap_or_default(), page.last_evaluated_key))
        }
        .boxed()
    }

    fn write(&self, write: ItemWrite) -> Answer<'_, bool> {
        async move { Ok(self.write_counted(write).await?.is_some()) }.boxed()
    }

    fn write_at_pace(&self, write: ItemWrite) -> Answer<'_, bool> {
        self.write_paced(write).boxed()
    }

    fn commit<'a>(
        &'a self,
        items: Vec<TransactionItem>,
        is_lost: &'a IsLost<'a>,
    ) -> BoxFuture<'a, Result<(), CommitError>> {
        self.transact_write(items, is_lost).boxed()
    }

    fn retries(&self) -> Retries {
        self.start_retries()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        tokio::time::sleep(time).boxed()
    }
}

impl DynamoDb {
    async fn get_chunk(
        &self,
        table: &Table,
        keys: Vec<Item>,
        attributes: &[&'static str],
        consistency: Consistency,
    ) -> Result<Vec<Item>, Error> {
        let name = self.name(table);
        let names: HashMap<_, _> =
            attributes.iter().enumerate().map(|(n, attribute)| (format!("#{n}"), (*attribute).to_owned())).collect();
        let projection: Vec<_> = (0..attributes.len()).map(|n| format!("#{n}")).collect();
        let has_projection = !attributes.is_empty();
        let wanted = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(consistency == Consistency::Strong)
            .set_projection_expression(has_projection.then(|| projection.join(",")))
            .set_expression_attribute_names(has_projection.then_some(names));
        let wanted = HashMap::from([(name.clone(), wanted.build().map_err(Error::internal)?)]);
        Ok(self.get_keys(wanted).await?.remove(&name).unwrap_or_default())
    }

    /// Gets the items that exist among the keys of tables, by full names of the tables. There are at most 100 keys.
    pub(super) async fn get_keys(
        &self,
        wanted: HashMap<String, KeysAndAttributes>,
    ) -> Result<HashMap<String, Vec<Item>>, Error> {
        let mut unread = Some(wanted);
        let mut items: HashMap<String, Vec<Item>> = HashMap::new();
        let mut retries = self.start_retries();
        loop {
            let read = || self.client.batch_get_item().set_request_items(unread.clone()).send();
            let batch = self.retry_throttled(read).await?;
            for (table, read) in batch.responses.unwrap_or_default() {
                items.entry(table).or_default().extend(read);
            }
            unread = batch.unprocessed_keys.filter(|keys| !keys.is_empty());
            if unread.is_none() {
                return Ok(items);
            }
            if !retries.pause().await {
                return Err(Error::Unavailable("DynamoDB left keys of a batch unread".into()));
            }
        }
    }

    async fn transact_get(&self, table: &Table, keys: Vec<Item>) -> Result<Vec<Option<Item>>, Error> {
        let get = |key| {
            let get =
                Get::builder().table_name(self.name(table)).set_key(Some(key)).build().map_err(Error::internal)?;
            Ok(TransactGetItem::builder().get(get).build())
        };
        let gets: Vec<TransactGetItem> = keys.into_iter().map(get).collect::<Result<_, Error>>()?;
        let read = self.client.transact_get_items().set_transact_items(Some(gets));
        let mut retries = self.start_retries();
        loop {
            // On the heap: the SDK's futures are large.
            let error = match Box::pin(read.clone().send()).await {
                Ok(output) => {
                    return Ok(output.responses.unwrap_or_default().into_iter().map(|answer| answer.item).collect());
                }
                Err(error) => error,
            };
            let (is_held, may_retry) = match read_cancellation(&error) {
                Some(Cancellation::Transient { held, .. }) => (!held.is_empty(), true),
                Some(_) => (false, false),
                None => (false, is_throttled(&error)),
            };
            if !may_retry || !retries.pause().await {
                return Err(if is_held { Error::InProgress } else { failed(error) });
            }
        }
    }

    /// Writes an item. Returns the write units that it took; `None` if a condition does not hold.
    async fn write_counted(&self, write: ItemWrite) -> Result<Option<f64>, Error> {
        let table = self.name(write.table);
        let expressions = Expressions::of(&write);
        let (names, values) = (expressions.names(), expressions.values());
        // The meter asks for the capacity of every call.
        let units =
            |capacity: Option<ConsumedCapacity>| capacity.and_then(|one| one.capacity_units).unwrap_or_default();
        Ok(match write.change {
            Change::Put => {
                let put = self.client.put_item().table_name(table).set_item(Some(write.item));
                let put = put.set_condition_expression(expressions.condition);
                let put = put.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let output = self.retry_conditional(|| put.clone().send()).await?;
                output.map(|output| units(output.consumed_capacity))
            }
            Change::Delete => {
                let delete = self.client.delete_item().table_name(table).set_key(Some(write.item));
                let delete = delete.set_condition_expression(expressions.condition);
                let delete = delete.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let output = self.retry_conditional(|| delete.clone().send()).await?;
                output.map(|output| units(output.consumed_capacity))
            }
            Change::Update { .. } => {
                let update = self.client.update_item().table_name(table).set_key(Some(write.item));
                let update = update.set_condition_expression(expressions.condition);
                let update = update.set_update_expression(expressions.update);
                let update = update.set_expression_attribute_names(names).set_expression_attribute_values(values);
                let output = self.retry_conditional(|| update.clone().send()).await?;
                output.map(|output| units(output.consumed_capacity))
            }
        })
    }

    /// Writes an item at the pace of its partition.
    async fn write_paced(&self, write: ItemWrite) -> Result<bool, Error> {
        let Some(pace) = &self.partition_pace else { return Ok(self.write_counted(write).await?.is_some()) };
        let (key, reserved) = (partition_of(&write.item), units_of(&write.item));
        let longest = time_left().map_or(Duration::MAX, |left| left.saturating_sub(TIME_AFTER));
        let Some(wait) = pace.reserve(&key, reserved, Instant::now(), longest) else {
            return Err(Error::Unavailable("the pace of a partition leaves no time before the deadline".into()));
        };
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        let taken = self.write_counted(write).await?;
        if let Some(units) = taken {
            pace.take_more(&key, units - reserved);
        }
        Ok(taken.is_some())
    }

    /// Commits a transaction. Retries while it is throttled or conflicts with another one, until the deadline.
    ///
    /// Every attempt has the same token. If a reply is lost, DynamoDB answers the next attempt with the outcome of the first, so that
    /// nothing is done twice.
    async fn transact_write<'a>(
        &'a self,
        items: Vec<TransactionItem>,
        is_lost: &'a IsLost<'a>,
    ) -> Result<(), CommitError> {
        let in_form = |item| match item {
            TransactionItem::Sdk(item) => *item,
            TransactionItem::Write(write) => {
                let table = self.name(write.table);
                transact_item(write, &table)
            }
        };
        let items: Vec<TransactWriteItem> = items.into_iter().map(in_form).collect();
        let token = format!("{:016x}{:016x}", random_u64(), random_u64());
        let mut retries = self.start_retries();
        loop {
            let reserved = self.reserve_units(&items).await;
            let attempt = self.client.transact_write_items().client_request_token(&token);
            let attempt = attempt.set_transact_items(Some(items.clone())).send();
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            let error = match Box::pin(attempt).await {
                Ok(written) => {
                    if let Some(rate) = self.write_rate() {
                        rate.record_write(&reserved, written.consumed_capacity());
                    }
                    return Ok(());
                }
                Err(error) => error,
            };
            let (held, throttled) = match cancellation_codes(&error).map(|codes| Cancellation::of(&codes)) {
                Some(Cancellation::ConditionsFailed(positions)) => {
                    return Err(CommitError::ConditionsFailed(positions));
                }
                Some(Cancellation::Transient { held, throttled }) => (held, throttled),
                None if is_throttled(&error) => (Vec::new(), true),
                Some(Cancellation::Permanent) | None => {
                    let too_large = ItemTooLargeError::of(&error);
                    return Err(CommitError::Failed(too_large.map_or_else(|| failed(error), Error::internal)));
                }
            };
            if let Some(rate) = self.write_rate().filter(|_| throttled) {
                rate.record_throttle(&reserved);
            }
            if !retries.pause().await {
                return Err(CommitError::Failed(failed(error)));
            }
            for position in held {
                if is_lost(position).await.map_err(CommitError::Failed)? {
                    return Err(CommitError::ConditionsFailed(vec![position]));
                }
            }
        }
    }

    /// Waits until the write rate of an import allows the transaction.
    async fn reserve_units(&self, items: &[TransactWriteItem]) -> ReservedUnits {
        match self.write_rate() {
            Some(rate) => rate.reserve(items.iter().filter_map(table_of)).await,
            None => ReservedUnits::new(),
        }
    }
}

fn read_cancellation(error: &SdkError<TransactGetItemsError, Response>) -> Option<Cancellation> {
    match error.as_service_error()? {
        TransactGetItemsError::TransactionCanceledException(cancelled) => {
            let codes: Vec<_> = cancelled.cancellation_reasons().iter().map(|it| it.code().unwrap_or("None")).collect();
            Some(Cancellation::of(&codes))
        }
        _ => None,
    }
}

fn table_of(item: &TransactWriteItem) -> Option<&str> {
    let put = item.put().map(Put::table_name);
    let written = put.or_else(|| item.update().map(Update::table_name));
    let written = written.or_else(|| item.delete().map(Delete::table_name));
    written.or_else(|| item.condition_check().map(ConditionCheck::table_name))
}
