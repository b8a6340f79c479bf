//! Marks of addresses that SES reported: bounced for good, or complained about.
//!
//! A mark belongs to an address, not to a user, since addresses move between users. The first report counts. A mark that an
//! operator cleared leaves its item for a month, so that a late report of the same bounce changes nothing.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::ConditionCheck;
use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::invitation::{AddressMark, MarkReason};
use serde::{Deserialize, Serialize};

use crate::client::read::{number, pk_sk};
use crate::format::{MARK, item_as, parse_as};
use crate::keys::{MARK_SK, mark_pk};
use crate::{Database, UserStore, schema};

/// Seconds for which a mark is kept: a year, after which the address may have another owner.
const KEPT_SECONDS: i64 = 365 * 24 * 3_600;
/// Seconds for which a cleared mark is kept. SES and Lambda repeat a report for a day at most.
const KEPT_CLEARED_SECONDS: i64 = 30 * 24 * 3_600;
/// Condition of an address to which mail may be sent.
const IS_FREE: &str = "attribute_not_exists(pk) OR attribute_exists(cleared_at)";

#[derive(Debug, Serialize, Deserialize)]
struct MarkItem {
    pk: String,
    sk: String,
    reason: String,
    /// Milliseconds since 1970.
    at: i64,
    /// Milliseconds since 1970, once an operator cleared the mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cleared_at: Option<i64>,
    /// Seconds since 1970.
    ttl: i64,
}

impl MarkItem {
    /// Returns the mark; `None` if it was cleared.
    fn mark(&self) -> Result<Option<AddressMark>, Error> {
        let reason = MarkReason::parse(&self.reason).ok_or_else(|| Error::internal("a mark has an unknown reason"))?;
        let at = Timestamp::from_millisecond(self.at).map_err(Error::internal)?;
        Ok(self.cleared_at.is_none().then_some(AddressMark { reason, at }))
    }
}

/// Returns the check that fails while the address is marked.
pub(super) fn check_free(db: &Database, email_key: &str) -> Result<ConditionCheck, Error> {
    let check = ConditionCheck::builder().table_name(db.name(&schema::USERS));
    let check = check.set_key(Some(pk_sk(mark_pk(email_key), MARK_SK))).condition_expression(IS_FREE);
    check.build().map_err(Error::internal)
}

/// True if the item is a valid mark, cleared or not.
pub(crate) fn is_readable(item: crate::client::read::Item) -> bool {
    parse_as::<MarkItem>(MARK, item).and_then(|stored| stored.mark()).is_ok()
}

impl UserStore {
    /// Returns the mark of the address with this key, read strongly; `None` if mail may be sent to it.
    pub async fn address_mark(&self, email_key: &str) -> Result<Option<AddressMark>, Error> {
        let item = self.db.get(&schema::USERS, pk_sk(mark_pk(email_key), MARK_SK)).await?;
        item.map(|item| parse_as::<MarkItem>(MARK, item)?.mark()).transpose().map(Option::flatten)
    }

    /// Returns the marks of the marked ones among these addresses, by key, read strongly.
    pub(super) async fn address_marks(
        &self,
        email_keys: impl Iterator<Item = &str>,
    ) -> Result<HashMap<String, AddressMark>, Error> {
        let keys = email_keys.map(|email_key| pk_sk(mark_pk(email_key), MARK_SK)).collect();
        let mut marks = HashMap::new();
        for item in self.db.get_batch(&schema::USERS, keys, &[]).await? {
            let stored: MarkItem = parse_as(MARK, item)?;
            let email_key = stored.pk.strip_prefix(&mark_pk("")).unwrap_or_default().to_owned();
            marks.extend(stored.mark()?.map(|mark| (email_key, mark)));
        }
        Ok(marks)
    }

    /// Marks an address. True if the mark is new; false if the address is marked already, or was cleared after that instant.
    pub async fn mark_address(&self, email_key: &str, mark: AddressMark) -> Result<bool, Error> {
        let stored = MarkItem {
            pk: mark_pk(email_key),
            sk: MARK_SK.to_owned(),
            reason: mark.reason.as_str().to_owned(),
            at: mark.at.as_millisecond(),
            cleared_at: None,
            ttl: mark.at.as_second() + KEPT_SECONDS,
        };
        let put = self.db.dynamo.client.put_item().table_name(self.db.name(&schema::USERS));
        let put = put
            .set_item(Some(item_as(MARK, &stored)?))
            .condition_expression("attribute_not_exists(pk) OR cleared_at < :at")
            .expression_attribute_values(":at", number(stored.at));
        self.db.retry_conditional(|| put.clone().send()).await
    }

    /// Clears the mark of an address. True if it had one.
    pub async fn clear_address_mark(&self, email_key: &str, now: Timestamp) -> Result<bool, Error> {
        let update = self
            .db
            .dynamo
            .client
            .update_item()
            .table_name(self.db.name(&schema::USERS))
            .set_key(Some(pk_sk(mark_pk(email_key), MARK_SK)))
            .update_expression("SET cleared_at = :now, #ttl = :ttl")
            .condition_expression("attribute_exists(pk) AND attribute_not_exists(cleared_at)")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":now", number(now.as_millisecond()))
            .expression_attribute_values(":ttl", number(now.as_second() + KEPT_CLEARED_SECONDS));
        self.db.retry_conditional(|| update.clone().send()).await
    }
}
