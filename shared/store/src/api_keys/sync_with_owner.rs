//! Writes of key items in the transaction that writes their owner, so that a demotion, suspension or deletion takes effect with
//! the next request.

use aws_sdk_dynamodb::types::{AttributeValue, Delete, Put, Update};
use jiff::Timestamp;

use super::key;
use crate::client::read::{number, text};
use crate::{Database, schema};
use presence_domain::api_key::ApiKeyHash;
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::{Status, User};

/// Write of a key item.
#[derive(Debug)]
pub(crate) enum KeyWrite {
    /// Adds a key.
    Put(Put),
    /// Changes a key.
    Update(Update),
    /// Deletes a key.
    Delete(Delete),
}

/// Returns the writes that bring the keys of the owner from `before` to `after`.
pub(crate) fn sync_with_owner(
    db: &Database,
    before: Option<&User>,
    after: Option<&User>,
    now: Timestamp,
) -> Vec<KeyWrite> {
    let Some(before) = before else { return Vec::new() };
    let mut writes = Vec::new();
    for hash in &before.keys {
        match after {
            Some(after) if after.keys.contains(hash) => {
                writes.extend(change(db, hash, before, after, now).map(KeyWrite::Update));
            }
            _ => writes.push(KeyWrite::Delete(delete(db, hash))),
        }
    }
    writes
}

/// Returns the update that revokes a key for good, unless it is revoked already.
pub(crate) fn revoke(db: &Database, hash: &ApiKeyHash, now: Timestamp) -> Update {
    update(db, hash)
        .condition_expression("attribute_exists(key_hash) AND attribute_not_exists(revoked_at)")
        .update_expression("SET revoked_at = :now")
        .expression_attribute_values(":now", number(now.as_millisecond()))
        .build()
        .expect("table, key and expression are set")
}

/// Returns the update that sets the end of a key, unless the key is revoked.
pub(crate) fn expire(db: &Database, hash: &ApiKeyHash, expires_at: Timestamp) -> Update {
    update(db, hash)
        .condition_expression("attribute_exists(key_hash) AND attribute_not_exists(revoked_at)")
        .update_expression("SET expires_at = :expires_at")
        .expression_attribute_values(":expires_at", number(expires_at.as_millisecond()))
        .build()
        .expect("table, key and expression are set")
}

/// Returns the update that gives a key a limit of its own, or the default.
pub(crate) fn set_limit(db: &Database, hash: &ApiKeyHash, limit: KeyLimit) -> Update {
    let update = update(db, hash).expression_attribute_names("#limit", "limit");
    let update = match limit.number() {
        Some(requests_per_minute) => update
            .update_expression("SET #limit = :limit")
            .expression_attribute_values(":limit", number(requests_per_minute)),
        None => update.update_expression("REMOVE #limit"),
    };
    update.build().expect("table, key and expression are set")
}

fn change(db: &Database, hash: &ApiKeyHash, before: &User, after: &User, now: Timestamp) -> Option<Update> {
    if (before.org_id, before.role, before.status) == (after.org_id, after.role, after.status) {
        return None;
    }
    let mut set = "SET #role = :role, active = :active, org_id = :org_id".to_owned();
    let mut update = update(db, hash)
        .expression_attribute_names("#role", "role")
        .expression_attribute_values(":role", text(after.role.as_str()))
        .expression_attribute_values(":active", AttributeValue::Bool(after.status == Status::Active))
        .expression_attribute_values(
            ":org_id",
            after.org_id.map_or(AttributeValue::Null(true), |org| number(org.get())),
        );
    if after.status == Status::Invited {
        set.push_str(", revoked_at = if_not_exists(revoked_at, :now)");
        update = update.expression_attribute_values(":now", number(now.as_millisecond()));
    }
    Some(update.update_expression(set).build().expect("table, key and expression are set"))
}

fn update(db: &Database, hash: &ApiKeyHash) -> aws_sdk_dynamodb::types::builders::UpdateBuilder {
    Update::builder()
        .table_name(db.name(&schema::API_KEYS))
        .set_key(Some(key(hash)))
        .condition_expression("attribute_exists(key_hash)")
}

fn delete(db: &Database, hash: &ApiKeyHash) -> Delete {
    let delete = Delete::builder().table_name(db.name(&schema::API_KEYS)).set_key(Some(key(hash)));
    delete.build().expect("table and key are set")
}
