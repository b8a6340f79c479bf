//! All-or-nothing writes, and what their refusal means.

use aws_sdk_dynamodb::types::{Delete, Put, TransactWriteItem, Update};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::Database;
use crate::client::errors::{Cancelled, ItemsTooLarge, cancellation_codes, failed, is_throttled};
use crate::client::pace::Units;
use presence_domain::error::Error;
use presence_domain::ids::random_u64;

/// A transaction in the making. Each item carries a name of what its condition protects.
#[derive(Debug)]
pub(crate) struct Transaction<Guard> {
    items: Vec<TransactWriteItem>,
    guards: Vec<Guard>,
}

/// Why a transaction was not done. Nothing of it was.
#[derive(Debug)]
pub(crate) enum Refusal<Guard> {
    /// The conditions of these items failed.
    Conditions(Vec<Guard>),
    /// Something else.
    Failed(Error),
}

impl<Guard> From<Error> for Refusal<Guard> {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl<Guard: Copy> Transaction<Guard> {
    /// An empty one.
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

    fn push(&mut self, guard: Guard, item: TransactWriteItem) {
        self.items.push(item);
        self.guards.push(guard);
    }

    /// Sends it.
    pub(crate) async fn commit(self, store: &Database) -> Result<(), Refusal<Guard>> {
        self.commit_unless(store, |_| std::future::ready(Ok(false)).boxed()).await
    }

    /// Sends it, again and again while it is throttled or meets another one, until the deadline. The token is the same for
    /// every attempt: where a reply was lost, the next attempt is answered with the outcome of the first, so that nothing is
    /// ever done twice.
    ///
    /// After a conflict `overtaken` tells of the items that another transaction held whether their conditions fail by
    /// now. Most often that other one has won, and a read says so where one more transaction would only add to the
    /// crowd, and meet the next one in it.
    pub(crate) async fn commit_unless<'a>(
        self,
        store: &Database,
        overtaken: impl Fn(Guard) -> BoxFuture<'a, Result<bool, Error>>,
    ) -> Result<(), Refusal<Guard>> {
        let token = format!("{:016x}{:016x}", random_u64(), random_u64());
        let mut retries = store.retries();
        loop {
            let units = self.admitted(store).await;
            let attempt = store.client.transact_write_items().client_request_token(&token);
            let attempt = attempt.set_transact_items(Some(self.items.clone())).send();
            // On the heap: the SDK's futures are large, and every caller would hold a copy.
            let error = match Box::pin(attempt).await {
                Ok(written) => {
                    if let Some(pace) = store.pace() {
                        pace.written(&units, written.consumed_capacity());
                    }
                    return Ok(());
                }
                Err(error) => error,
            };
            let (held, throttled) = match cancellation_codes(&error).map(|codes| Cancelled::of(&codes)) {
                Some(Cancelled::Conditions(places)) => return Err(Refusal::Conditions(self.guards_at(places))),
                Some(Cancelled::ForNow { held, throttled }) => (self.guards_at(held), throttled),
                None if is_throttled(&error) => (Vec::new(), true),
                Some(Cancelled::ForGood) | None => {
                    let too_large = ItemsTooLarge::of(&error);
                    return Err(Refusal::Failed(too_large.map_or_else(|| failed(error), Error::internal)));
                }
            };
            if let Some(pace) = store.pace().filter(|_| throttled) {
                pace.throttled(&units);
            }
            if !retries.pause().await {
                return Err(Refusal::Failed(failed(error)));
            }
            for guard in held {
                if overtaken(guard).await.map_err(Refusal::Failed)? {
                    return Err(Refusal::Conditions(vec![guard]));
                }
            }
        }
    }

    /// Waits until an import may send it.
    async fn admitted(&self, store: &Database) -> Units {
        match store.pace() {
            Some(pace) => pace.admit(self.items.iter().filter_map(table_of)).await,
            None => Units::new(),
        }
    }

    fn guards_at(&self, places: Vec<usize>) -> Vec<Guard> {
        places.into_iter().filter_map(|place| self.guards.get(place).copied()).collect()
    }
}

fn table_of(item: &TransactWriteItem) -> Option<&str> {
    let put = item.put().map(Put::table_name);
    put.or_else(|| item.update().map(Update::table_name)).or_else(|| item.delete().map(Delete::table_name))
}
