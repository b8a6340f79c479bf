//! API keys: how they are stored, read by the next request, and kept in step with their owner.

mod admin;
mod follow;
mod item;

pub use admin::{IssuedKey, KeyRefused, MAX_LIVE_KEYS, NewApiKey};
pub(super) use follow::{KeyWrite, follow};
pub use item::ApiKeyRecord;

use std::collections::HashMap;

use jiff::Timestamp;

use super::{Store, schema};
use crate::client::errors::{failed, is_condition_failed};
use crate::client::read::{Item, number, text};
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;

impl Store {
    /// The record of a key by its digest, read strongly: one read unit.
    pub async fn api_key(&self, hash: &ApiKeyHash) -> Result<Option<ApiKeyRecord>, Error> {
        self.get(&schema::API_KEYS, key(hash)).await?.map(ApiKeyRecord::read).transpose()
    }

    /// Records when a key was last used. A key that is gone stays gone.
    pub async fn touch_api_key(&self, hash: &ApiKeyHash, used_at: Timestamp) -> Result<(), Error> {
        let update = self
            .client
            .update_item()
            .table_name(self.name(&schema::API_KEYS))
            .set_key(Some(key(hash)))
            .update_expression("SET last_used_at = :used_at")
            .condition_expression("attribute_exists(key_hash)")
            .expression_attribute_values(":used_at", number(used_at.as_millisecond()));
        match update.send().await {
            Ok(_) => Ok(()),
            Err(error) if is_condition_failed(&error) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }
}

fn key(hash: &ApiKeyHash) -> Item {
    HashMap::from([("key_hash".to_owned(), text(hash.as_hex()))])
}
