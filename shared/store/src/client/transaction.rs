//! All-or-nothing writes, reads of one instant, and the meaning of their failures.

use aws_sdk_dynamodb::error::SdkError;
use aws_sdk_dynamodb::operation::transact_get_items::TransactGetItemsError;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Get, Put, TransactGetItem, TransactWriteItem, Update};
use aws_smithy_runtime_api::http::Response;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::Database;
use crate::client::errors::{Cancellation, ItemTooLargeError, cancellation_codes, failed, is_throttled};
use crate::client::read::Item;
use crate::client::write_rate::ReservedUnits;
use crate::schema::Table;
use presence_domain::error::Error;
use presence_domain::ids::random_u64;

/// Transaction under construction. Each item carries a guard: the name of the thing that its condition protects.
#[derive(Debug)]
pub(crate) struct Transaction<Guard> {
    items: Vec<TransactWriteItem>,
    guards: Vec<Guard>,
}

/// Occurs when a transaction is not carried out. None of its writes happened, unless the reply was lost.
#[derive(Debug)]
pub(crate) enum TransactionError<Guard> {
    /// The conditions of these guards failed.
    ConditionsFailed(Vec<Guard>),
    /// Any other failure.
    Failed(Error),
}

impl<Guard> From<Error> for TransactionError<Guard> {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<Guard: Copy> Transaction<Guard> {
    /// Returns an empty transaction.
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), guards: Vec::new() }
    }

    /// Adds a put.
    pub(crate) fn put(&mut self, guard: Guard, put: Put) {
        self.push(guard, TransactWriteItem::builder().put(put).build());
    }

    /// Adds an update.
    pub(crate) fn update(&mut self, guard: Guard, update: Update) {
        self.push(guard, TransactWriteItem::builder().update(update).build());
    }

    /// Adds a delete.
    pub(crate) fn delete(&mut self, guard: Guard, delete: Delete) {
        self.push(guard, TransactWriteItem::builder().delete(delete).build());
    }

    /// Adds a check, which writes nothing.
    pub(crate) fn check(&mut self, guard: Guard, check: ConditionCheck) {
        self.push(guard, TransactWriteItem::builder().condition_check(check).build());
    }

    fn push(&mut self, guard: Guard, item: TransactWriteItem) {
        self.items.push(item);
        self.guards.push(guard);
    }

    /// Commits the transaction, as [`Transaction::commit_unless`] without a precondition to look at.
    pub(crate) async fn commit(self, database: &Database) -> Result<(), TransactionError<Guard>> {
        self.commit_unless(database, |_| std::future::ready(Ok(false)).boxed()).await
    }

    /// Commits the transaction. Retries while it is throttled or conflicts with another one, until the deadline.
    ///
    /// Every attempt has the same token: if a reply is lost, DynamoDB answers the next attempt with the outcome of the first, so
    /// that nothing is done twice.
    ///
    /// After a conflict, `precondition_lost` tells for each item that another transaction held if its condition fails by now.
    /// Most often the other transaction has won. A read finds that out more cheaply than one more transaction, which would
    /// conflict with the next one.
    pub(crate) async fn commit_unless<'a>(
        self,
        database: &Database,
        precondition_lost: impl Fn(Guard) -> BoxFuture<'a, Result<bool, Error>>,
    ) -> Result<(), TransactionError<Guard>> {
        let token = format!("{:016x}{:016x}", random_u64(), random_u64());
        let mut retries = database.retries();
        loop {
            let reserved = self.reserve_units(database).await;
            let attempt = database.client.transact_write_items().client_request_token(&token);
            let attempt = attempt.set_transact_items(Some(self.items.clone())).send();
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            let error = match Box::pin(attempt).await {
                Ok(written) => {
                    if let Some(rate) = database.write_rate() {
                        rate.record_write(&reserved, written.consumed_capacity());
                    }
                    return Ok(());
                }
                Err(error) => error,
            };
            let (held, throttled) = match cancellation_codes(&error).map(|codes| Cancellation::of(&codes)) {
                Some(Cancellation::ConditionsFailed(positions)) => {
                    return Err(TransactionError::ConditionsFailed(self.guards_at(positions)));
                }
                Some(Cancellation::Transient { held, throttled }) => (self.guards_at(held), throttled),
                None if is_throttled(&error) => (Vec::new(), true),
                Some(Cancellation::Permanent) | None => {
                    let too_large = ItemTooLargeError::of(&error);
                    return Err(TransactionError::Failed(too_large.map_or_else(|| failed(error), Error::internal)));
                }
            };
            if let Some(rate) = database.write_rate().filter(|_| throttled) {
                rate.record_throttle(&reserved);
            }
            if !retries.pause().await {
                return Err(TransactionError::Failed(failed(error)));
            }
            for guard in held {
                if precondition_lost(guard).await.map_err(TransactionError::Failed)? {
                    return Err(TransactionError::ConditionsFailed(vec![guard]));
                }
            }
        }
    }

    /// Waits until the write rate of an import allows the transaction.
    async fn reserve_units(&self, database: &Database) -> ReservedUnits {
        match database.write_rate() {
            Some(rate) => rate.reserve(self.items.iter().filter_map(table_of)).await,
            None => ReservedUnits::new(),
        }
    }

    fn guards_at(&self, positions: Vec<usize>) -> Vec<Guard> {
        positions.into_iter().filter_map(|position| self.guards.get(position).copied()).collect()
    }
}

impl Database {
    /// Returns the items of up to 100 keys as they were at one instant, in order; `None` for one that does not exist.
    ///
    /// Returns [`Error::InProgress`] if other transactions held an item until the retries ended.
    pub(crate) async fn get_in_transaction(&self, table: &Table, keys: Vec<Item>) -> Result<Vec<Option<Item>>, Error> {
        let get = |key| {
            let get =
                Get::builder().table_name(self.name(table)).set_key(Some(key)).build().map_err(Error::internal)?;
            Ok(TransactGetItem::builder().get(get).build())
        };
        let gets: Vec<TransactGetItem> = keys.into_iter().map(get).collect::<Result<_, Error>>()?;
        let read = self.client.transact_get_items().set_transact_items(Some(gets));
        let mut retries = self.retries();
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
