//! All-or-nothing writes, and the meaning of their failures.

use aws_sdk_dynamodb::types::builders::TransactWriteItemBuilder;
use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::Database;
use crate::client::tables::{CommitError, ItemWrite, TransactionItem};
use presence_domain::error::Error;

/// Transaction under construction. Each item carries a guard: the name of the thing that its condition protects.
#[derive(Debug)]
pub(crate) struct Transaction<Guard> {
    items: Vec<TransactionItem>,
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

impl<Guard: Copy + Send + Sync> Transaction<Guard> {
    /// Returns an empty transaction.
    pub(crate) fn new() -> Self {
        Self { items: Vec::new(), guards: Vec::new() }
    }

    /// Adds a write.
    pub(crate) fn write(&mut self, guard: Guard, write: ItemWrite) {
        self.push(guard, TransactionItem::Write(write));
    }

    /// Adds a put in the form of the SDK.
    pub(crate) fn put(&mut self, guard: Guard, put: Put) {
        self.push(guard, in_form_of_sdk(TransactWriteItem::builder().put(put)));
    }

    /// Adds an update in the form of the SDK.
    pub(crate) fn update(&mut self, guard: Guard, update: Update) {
        self.push(guard, in_form_of_sdk(TransactWriteItem::builder().update(update)));
    }

    /// Adds a delete in the form of the SDK.
    pub(crate) fn delete(&mut self, guard: Guard, delete: Delete) {
        self.push(guard, in_form_of_sdk(TransactWriteItem::builder().delete(delete)));
    }

    /// Adds a check, which writes nothing.
    pub(crate) fn check(&mut self, guard: Guard, check: ConditionCheck) {
        self.push(guard, in_form_of_sdk(TransactWriteItem::builder().condition_check(check)));
    }

    fn push(&mut self, guard: Guard, item: TransactionItem) {
        self.items.push(item);
        self.guards.push(guard);
    }

    /// Commits the transaction, as [`Transaction::commit_unless`] without a precondition to look at.
    pub(crate) async fn commit(self, database: &Database) -> Result<(), TransactionError<Guard>> {
        self.commit_unless(database, |_| std::future::ready(Ok(false)).boxed()).await
    }

    /// Commits the transaction. Retries while it is throttled or conflicts with another one, until the deadline.
    ///
    /// After a conflict, `precondition_lost` tells for each item that another transaction held if its condition fails by now.
    /// Most often the other transaction has won. A read finds that out more cheaply than one more transaction, which would
    /// conflict with the next one.
    pub(crate) async fn commit_unless<'a>(
        self,
        database: &Database,
        precondition_lost: impl Fn(Guard) -> BoxFuture<'a, Result<bool, Error>> + Send + Sync,
    ) -> Result<(), TransactionError<Guard>> {
        let Self { items, guards } = self;
        let is_lost = |position: usize| match guards.get(position) {
            Some(guard) => precondition_lost(*guard),
            None => std::future::ready(Ok(false)).boxed(),
        };
        database.tables.commit(items, &is_lost).await.map_err(|error| match error {
            CommitError::ConditionsFailed(positions) => {
                let failed = positions.into_iter().filter_map(|position| guards.get(position).copied());
                TransactionError::ConditionsFailed(failed.collect())
            }
            CommitError::Failed(error) => TransactionError::Failed(error),
        })
    }
}

fn in_form_of_sdk(item: TransactWriteItemBuilder) -> TransactionItem {
    TransactionItem::Sdk(Box::new(item.build()))
}
