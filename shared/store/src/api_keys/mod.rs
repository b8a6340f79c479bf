//! API keys: their items, their lookup by the next request, their synchronisation with the owner, and the buckets of their limits.

mod buckets;
mod item;
mod sync_with_owner;

pub use buckets::{LeaseOutcome, RateLimitStore};
pub use item::ApiKeyRecord;
pub(crate) use sync_with_owner::{KeyWrite, expire, revoke, set_limit, sync_with_owner};

use std::collections::HashMap;

use jiff::Timestamp;

use crate::client::errors::failed;
use crate::client::read::{Item, number, text};
use crate::format::{KEY, kind_of};
use crate::{Database, schema};
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_domain::user::Role;

/// Number of keys in one page of a Scan.
const PAGE: i32 = 1_000;

/// API keys as authentication sees them. The store of users issues and revokes them. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ApiKeyStore {
    pub(crate) db: Database,
}

impl ApiKeyStore {
    /// Builds the store. Makes no call.
    pub fn new(database: &Database) -> Self {
        Self { db: database.clone() }
    }

    /// Opens the connection to DynamoDB while a function starts. A failure is logged and ignored.
    pub async fn connect(&self) {
        self.db.connect(&schema::API_KEYS).await;
    }

    /// Returns the record of a key by a strong read of one unit.
    pub async fn get(&self, hash: &ApiKeyHash) -> Result<Option<ApiKeyRecord>, Error> {
        self.db.get(&schema::API_KEYS, key(hash)).await?.map(ApiKeyRecord::read).transpose()
    }

    /// Records the last use of a key. Fails for a deleted key, which it does not bring back.
    pub async fn record_use(&self, hash: &ApiKeyHash, used_at: Timestamp) -> Result<(), Error> {
        let update = self
            .db
            .dynamo
            .client
            .update_item()
            .table_name(self.db.name(&schema::API_KEYS))
            .set_key(Some(key(hash)))
            .update_expression("SET last_used_at = :used_at")
            .condition_expression("attribute_exists(key_hash)")
            .expression_attribute_values(":used_at", number(used_at.as_millisecond()));
        update.send().await.map(drop).map_err(failed)
    }

    /// True if an owner with this role has a key that gives access now. Scans the keys strongly until one is found.
    pub async fn has_live_key(&self, role: Role, now: Timestamp) -> Result<bool, Error> {
        let mut start = None;
        loop {
            let (items, next) = self.db.scan_page(&schema::API_KEYS, PAGE, start).await?;
            let keys = items.into_iter().filter(|item| kind_of(&schema::API_KEYS, item) == KEY);
            let principals = keys.filter_map(|item| ApiKeyRecord::read(item).ok()?.principal(now));
            if principals.into_iter().any(|principal| principal.role == role) {
                return Ok(true);
            }
            start = next;
            if start.is_none() {
                return Ok(false);
            }
        }
    }
}

pub(crate) fn key(hash: &ApiKeyHash) -> Item {
    HashMap::from([("key_hash".to_owned(), text(hash.as_hex()))])
}
