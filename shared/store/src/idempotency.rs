//! Answers that are kept under idempotency keys, beside the API keys: the table expires items, and has no stream.
//!
//! An answer is written in the transaction of its change, on the condition that none is kept.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::{AttributeValue, Put};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::errors::is_condition_failed;
use crate::client::read::{Item, number, text};
use crate::client::retry::with_retries_for;
use crate::format::{ANSWER, item_as, kind_of, parse_as};
use crate::keys::answer_key;
use crate::{Database, schema};
use presence_domain::error::Error;
use presence_domain::idempotency::{AnswerId, BodyFingerprint, IdempotentRequest, KEPT, KeptAnswer};

/// Maximum time for which a read waits for a transaction that holds the answer. A transaction takes some milliseconds.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Key attribute of the table.
const KEY_HASH: &str = "key_hash";
/// Condition of the write of an answer. `DynamoDB` deletes expired answers late.
const NONE_IS_KEPT: &str = "attribute_not_exists(key_hash) OR created_at <= :expired";
/// Number of items in one page of a Scan.
const PAGE: i32 = 1_000;

/// Answers that are kept under idempotency keys. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AnswerStore {
    db: Database,
}

/// Item of a kept answer. Neither key nor body of the request can be read from it.
#[derive(Serialize, Deserialize)]
struct AnswerItem {
    key_hash: String,
    /// Fingerprint of the body of the request.
    body_hash: String,
    status: u16,
    answer: String,
    /// Milliseconds since 1970.
    created_at: i64,
    /// Seconds since 1970 after which `DynamoDB` deletes the item.
    ttl: i64,
}

impl AnswerStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Returns the stored answer of a request by a strong read of one unit. It may have expired.
    pub async fn get(&self, id: AnswerId) -> Result<Option<KeptAnswer>, Error> {
        let item = self.db.get(&schema::API_KEYS, key(id)).await?;
        item.map(|item| read(id, item)).transpose()
    }

    /// Returns the stored answer of a request by a read of two units, from which a transaction cannot hide it. A plain read may see one
    /// item of a transaction already, and another one not yet.
    ///
    /// Returns [`Error::InProgress`] if a transaction holds the answer for a second.
    pub async fn get_settled(&self, id: AnswerId) -> Result<Option<KeptAnswer>, Error> {
        let item =
            with_retries_for(MAX_WAIT, self.db.get_in_transaction(&schema::API_KEYS, vec![key(id)])).await?.pop();
        item.flatten().map(|item| read(id, item)).transpose()
    }

    /// Keeps the answer of a request that changes nothing. Returns [`Error::InProgress`] if one is kept already.
    pub(crate) async fn put(&self, answer: &KeptAnswer) -> Result<(), Error> {
        let (item, expired) = (to_item(answer)?, expired_at(answer));
        let put = self.db.dynamo.client.put_item().table_name(self.db.name(&schema::API_KEYS)).set_item(Some(item));
        let put = put.condition_expression(NONE_IS_KEPT).expression_attribute_values(":expired", expired);
        let put = &put;
        let write = || async move {
            match put.clone().send().await {
                Ok(_) => Ok(true),
                Err(error) if is_condition_failed(&error) => Ok(false),
                Err(error) => Err(error),
            }
        };
        if self.db.retry_throttled(write).await? { Ok(()) } else { Err(Error::InProgress) }
    }

    /// Deletes the answers of the changes between two instants. Scans the table.
    pub async fn delete_between(&self, from: Timestamp, to: Timestamp) -> Result<(), Error> {
        let mut start = None;
        loop {
            let (items, next) = self.db.scan_page(&schema::API_KEYS, PAGE, start).await?;
            for item in items.into_iter().filter(|item| kind_of(&schema::API_KEYS, item) == ANSWER) {
                let stored: AnswerItem = parse_as(ANSWER, item)?;
                if !(from.as_millisecond()..=to.as_millisecond()).contains(&stored.created_at) {
                    continue;
                }
                let key = HashMap::from([(KEY_HASH.to_owned(), text(stored.key_hash))]);
                let delete =
                    self.db.dynamo.client.delete_item().table_name(self.db.name(&schema::API_KEYS)).set_key(Some(key));
                self.db.retry_throttled(|| delete.clone().send()).await?;
            }
            start = next;
            if start.is_none() {
                return Ok(());
            }
        }
    }
}

/// Returns the write that keeps an answer, on the condition that none is kept.
pub(crate) fn put(db: &Database, answer: &KeptAnswer) -> Result<Put, Error> {
    let put = Put::builder().table_name(db.name(&schema::API_KEYS)).set_item(Some(to_item(answer)?));
    let put = put.condition_expression(NONE_IS_KEPT).expression_attribute_values(":expired", expired_at(answer));
    put.build().map_err(Error::internal)
}

/// Returns the instant of the latest answer that has expired when this one is written.
fn expired_at(answer: &KeptAnswer) -> AttributeValue {
    number((answer.at.saturating_sub(KEPT)).unwrap_or(Timestamp::MIN).as_millisecond())
}

fn key(id: AnswerId) -> Item {
    HashMap::from([(KEY_HASH.to_owned(), text(answer_key(id)))])
}

fn to_item(answer: &KeptAnswer) -> Result<Item, Error> {
    item_as(
        ANSWER,
        &AnswerItem {
            key_hash: answer_key(answer.request.id),
            body_hash: answer.request.body.as_hex(),
            status: answer.status,
            answer: answer.body.clone(),
            created_at: answer.at.as_millisecond(),
            ttl: answer.expires_at().as_second(),
        },
    )
}

fn read(id: AnswerId, item: Item) -> Result<KeptAnswer, Error> {
    let stored: AnswerItem = parse_as(ANSWER, item)?;
    let body = BodyFingerprint::from_hex(&stored.body_hash);
    let at = Timestamp::from_millisecond(stored.created_at).ok();
    let (body, at) = body.zip(at).ok_or_else(|| Error::internal("a kept answer breaks the rules of its fields"))?;
    Ok(KeptAnswer { request: IdempotentRequest { id, body }, status: stored.status, body: stored.answer, at })
}
