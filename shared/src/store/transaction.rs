//! All-or-nothing writes, and what their refusal means.

use std::time::Duration;

use aws_sdk_dynamodb::types::{Delete, Put, TransactWriteItem, Update};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::failure::{cancellation_codes, failed};
use crate::domain::ids::random_u64;
use crate::error::Error;

/// How often a transaction that met another one on the same item is sent again.
const CONFLICT_RETRIES: u32 = 4;
/// The longest pause before the first of these; it doubles each time. DynamoDB holds an item for some
/// milliseconds; four retries stay below half a second, far inside the 3 s of an operation.
const CONFLICT_PAUSE: Duration = Duration::from_millis(25);

/// What `DynamoDB` says of an item whose condition failed.
const CONDITION_FAILED: &str = "ConditionalCheckFailed";
/// What `DynamoDB` says of an item that another transaction held.
const CONFLICT: &str = "TransactionConflict";

/// A transaction in the making. Each item carries a name of what its condition protects.
#[derive(Debug)]
pub(super) struct Transaction<Guard> {
    items: Vec<TransactWriteItem>,
    guards: Vec<Guard>,
}

/// Why a transaction was not done. Nothing of it was.
#[derive(Debug)]
pub(super) enum Refusal<Guard> {
    /// The conditions of these items failed.
    Conditions(Vec<Guard>),
    /// Something else.
    Failed(Error),
}

impl<Guard: Copy> Transaction<Guard> {
    /// An empty one.
    pub(super) fn new() -> Self {
        Self { items: Vec::new(), guards: Vec::new() }
    }

    /// Adds a put.
    pub(super) fn put(&mut self, guard: Guard, put: Put) {
        self.push(guard, TransactWriteItem::builder().put(put).build());
    }

    /// Adds an update.
    pub(super) fn update(&mut self, guard: Guard, update: Update) {
        self.push(guard, TransactWriteItem::builder().update(update).build());
    }

    /// Adds a delete.
    pub(super) fn delete(&mut self, guard: Guard, delete: Delete) {
        self.push(guard, TransactWriteItem::builder().delete(delete).build());
    }

    fn push(&mut self, guard: Guard, item: TransactWriteItem) {
        self.items.push(item);
        self.guards.push(guard);
    }

    /// Sends it.
    pub(super) async fn commit(self, client: &aws_sdk_dynamodb::Client) -> Result<(), Refusal<Guard>> {
        self.commit_unless(client, |_| std::future::ready(Ok(false)).boxed()).await
    }

    /// Sends it. The token is the same for every attempt: where a reply was lost, the next attempt is
    /// answered with the outcome of the first, so that nothing is ever done twice.
    ///
    /// After a conflict `overtaken` tells of the items that another transaction held whether their conditions fail by
    /// now. Most often that other one has won, and a read says so where one more transaction would only add to the
    /// crowd, and meet the next one in it.
    pub(super) async fn commit_unless<'a>(
        self,
        client: &aws_sdk_dynamodb::Client,
        overtaken: impl Fn(Guard) -> BoxFuture<'a, Result<bool, Error>>,
    ) -> Result<(), Refusal<Guard>> {
        let token = format!("{:016x}{:016x}", random_u64(), random_u64());
        let mut retries = 0;
        loop {
            let attempt = client
                .transact_write_items()
                .client_request_token(&token)
                .set_transact_items(Some(self.items.clone()))
                .send()
                .await;
            let Err(error) = attempt else { return Ok(()) };
            let Some(codes) = cancellation_codes(&error) else { return Err(Refusal::Failed(failed(error))) };
            let guards = guards_with(CONDITION_FAILED, &codes, &self.guards);
            if !guards.is_empty() {
                return Err(Refusal::Conditions(guards));
            }
            if !is_conflict(&codes) || retries == CONFLICT_RETRIES {
                return Err(Refusal::Failed(failed(error)));
            }
            pause(CONFLICT_PAUSE, retries, Duration::MAX).await;
            retries += 1;
            for guard in guards_with(CONFLICT, &codes, &self.guards) {
                if overtaken(guard).await.map_err(Refusal::Failed)? {
                    return Err(Refusal::Conditions(vec![guard]));
                }
            }
        }
    }
}

fn guards_with<Guard: Copy>(code: &str, codes: &[&str], guards: &[Guard]) -> Vec<Guard> {
    codes.iter().zip(guards).filter(|(found, _)| **found == code).map(|(_, guard)| *guard).collect()
}

/// Whether nothing was wrong but that another transaction held an item.
fn is_conflict(codes: &[&str]) -> bool {
    codes.contains(&CONFLICT) && codes.iter().all(|code| ["None", CONFLICT].contains(code))
}

/// Waits between nothing and the pause, which was doubled so often: full jitter keeps colliding writers from colliding again.
pub(super) async fn pause(first: Duration, doublings: u32, longest: Duration) {
    let pause = first.saturating_mul(1 << doublings).min(longest);
    tokio::time::sleep(pause.mul_f64(fastrand::f64())).await;
}
