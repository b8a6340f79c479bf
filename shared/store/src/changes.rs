//! The log of changes: an entry for each write of a user, by organisation and time, for an hour.
//!
//! It tells a function whose directory is out of date which users to read. It may be incomplete (entries end, clocks differ):
//! the digest of the roster proves what came of it.

use std::time::Duration;

use aws_sdk_dynamodb::types::Put;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::errors::failed;
use crate::client::read::{Item, item, parse, text};
use crate::directories::ChangePage;
use crate::keys::{change_sk, changes_pk};
use crate::{Database, UserStore, schema};
use presence_domain::directory::Change;
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::User;

/// An entry is kept for this time. A function that was not asked for longer reads its directory anew.
const KEPT: Duration = Duration::from_hours(1);

#[derive(Serialize, Deserialize)]
struct ChangeItem {
    pk: String,
    sk: String,
    user_id: String,
    version: u64,
    /// There, and true, where the user has left the organisation or is deleted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// Seconds since 1970.
    ttl: i64,
}

/// An entry of the log, as it is read.
#[derive(Deserialize)]
struct ReadItem {
    user_id: String,
    version: u64,
    #[serde(default)]
    gone: bool,
}

/// Returns the entries that a write of a user makes: one for each organisation that it concerns.
pub(super) fn of_write(before: Option<&User>, after: Option<&User>) -> Vec<(Option<OrgId>, Change)> {
    let written = after.map(|new| (new.org_id, Change { user_id: new.id, version: new.version, is_gone: false }));
    let left = before.filter(|old| after.is_none_or(|new| new.org_id != old.org_id));
    let left = left.map(|old| (old.org_id, Change { user_id: old.id, version: old.version + 1, is_gone: true }));
    left.into_iter().chain(written).collect()
}

/// Returns the put of an entry.
pub(super) fn put(db: &Database, org_id: Option<OrgId>, change: Change, now: Timestamp) -> Result<Put, Error> {
    let entry = ChangeItem {
        pk: changes_pk(org_id),
        sk: change_sk(now),
        user_id: change.user_id.to_string(),
        version: change.version,
        gone: change.is_gone,
        ttl: now.as_second() + KEPT.as_secs().cast_signed(),
    };
    Put::builder().table_name(db.name(&schema::USERS)).set_item(Some(item(&entry)?)).build().map_err(Error::internal)
}

impl UserStore {
    /// Returns so many entries, or fewer, newest first, read strongly: the last ones, or those before a place.
    pub(super) async fn changes(
        &self,
        org_id: Option<OrgId>,
        limit: usize,
        before: Option<Item>,
    ) -> Result<ChangePage<Item>, Error> {
        let query = self
            .db
            .client
            .query()
            .table_name(self.db.name(&schema::USERS))
            .consistent_read(true)
            .key_condition_expression("#partition = :partition")
            .expression_attribute_names("#partition", schema::USERS.key.partition.0)
            .expression_attribute_values(":partition", text(changes_pk(org_id)))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(i32::MAX))
            .set_exclusive_start_key(before);
        let page = query.send().await.map_err(failed)?;
        let changes = page.items.unwrap_or_default().into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(ChangePage { changes, older: page.last_evaluated_key })
    }
}

fn read(item: Item) -> Result<Change, Error> {
    let ReadItem { user_id, version, gone } = parse(item)?;
    let user_id = UserId::parse(&user_id).ok_or_else(|| Error::internal("a change of no user"))?;
    Ok(Change { user_id, version, is_gone: gone })
}
