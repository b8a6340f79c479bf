//! Change log of users: an entry for each write of a user, by organisation and time, kept for an hour.
//!
//! It tells a function whose directory is out of date which users to read. It may be incomplete, because entries expire and clocks
//! differ. So the log proves nothing: the digest of the head does.

use std::time::Duration;

use aws_sdk_dynamodb::types::Put;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, text};
use crate::format::{item, parse};
use crate::keys::{change_sk, changes_pk};
use crate::users::directory::ChangePage;
use crate::{Database, UserStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::{OrgId, UserId};
use presence_domain::user::User;
use presence_domain::user_directory::ChangeEntry;

/// Lifetime of an entry. A function that got no request for longer reads its directory from the index.
const LIFETIME: Duration = Duration::from_hours(1);

/// Item of an entry, as it is written.
#[derive(Serialize)]
struct ChangeItem {
    pk: String,
    sk: String,
    user_id: String,
    version: u64,
    /// True if the user was deleted or moved to another organisation. Missing otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
    /// End of the entry, in seconds since 1970.
    ttl: i64,
}

/// Item of an entry, as it is read.
#[derive(Deserialize)]
struct StoredChange {
    user_id: String,
    version: u64,
    #[serde(default)]
    gone: bool,
}

/// Returns the entries of a write of a user: one for each organisation that it concerns.
pub(crate) fn entries_of_write(before: Option<&User>, after: Option<&User>) -> Vec<(Option<OrgId>, ChangeEntry)> {
    let written =
        after.map(|new| (new.org_id, ChangeEntry { user_id: new.id, version: new.version, is_removal: false }));
    let left_org = before.filter(|old| after.is_none_or(|new| new.org_id != old.org_id));
    let removed =
        left_org.map(|old| (old.org_id, ChangeEntry { user_id: old.id, version: old.version + 1, is_removal: true }));
    removed.into_iter().chain(written).collect()
}

/// Returns the put of an entry.
pub(crate) fn put(db: &Database, org_id: Option<OrgId>, entry: ChangeEntry, now: Timestamp) -> Result<Put, Error> {
    let change = ChangeItem {
        pk: changes_pk(org_id),
        sk: change_sk(now),
        user_id: entry.user_id.to_string(),
        version: entry.version,
        gone: entry.is_removal,
        ttl: now.as_second() + LIFETIME.as_secs().cast_signed(),
    };
    Put::builder().table_name(db.name(&schema::USERS)).set_item(Some(item(&change)?)).build().map_err(Error::internal)
}

impl UserStore {
    /// Reads at most `limit` entries, newest first, strongly: the newest ones, or those before a place.
    pub(crate) async fn list_changes(
        &self,
        org_id: Option<OrgId>,
        limit: usize,
        before: Option<Item>,
    ) -> Result<ChangePage<Item>, Error> {
        let query = self
            .db
            .dynamo
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
        let page = self.db.retry_throttled(|| query.clone().send()).await?;
        let entries = page.items.unwrap_or_default().into_iter().map(parse_entry).collect::<Result<_, _>>()?;
        Ok(ChangePage { entries, older: page.last_evaluated_key })
    }
}

fn parse_entry(item: Item) -> Result<ChangeEntry, Error> {
    let StoredChange { user_id, version, gone } = parse(item)?;
    let user_id = UserId::parse(&user_id).ok_or_else(|| Error::internal("a change of no user"))?;
    Ok(ChangeEntry { user_id, version, is_removal: gone })
}
