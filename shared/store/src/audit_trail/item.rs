//! Item of a record of the audit trail. It stays below 1 KB, so that a change costs four write units more: two for the item in a
//! transaction, and one for each index.

use serde::{Deserialize, Serialize};

use crate::client::read::Item;
use crate::client::tables::ItemWrite;
use crate::format::{AUDIT_RECORD, item_as, parse_as};
use crate::keys::{
    USER_PK_PREFIX, audit_sk, org_key, parse_audit_sk, parse_org_key, parse_review_pk, parse_webhook_target, review_pk,
    user_pk, webhook_target,
};
use crate::{Database, schema};
use presence_domain::api_key::ApiKeyId;
use presence_domain::audit::{Actor, AuditAction, AuditRecord, AuditTarget, LIFETIME, UserField};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::review::ReviewField;
use presence_domain::webhook::WebhookField;

#[derive(Serialize, Deserialize)]
struct AuditItem {
    target: String,
    at: String,
    actor: String,
    /// Key that the actor used.
    #[serde(skip_serializing_if = "Option::is_none")]
    actor_key: Option<String>,
    action: String,
    /// Key that the action is done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Key that replaces it.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_key: Option<String>,
    org: String,
    fields: Vec<String>,
    /// Version of the target after the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    /// Organisation that the user left.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_org: Option<String>,
    /// Prefix of the tables in which the change was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<String>,
    /// Number of records that a restore looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<u32>,
    /// End of the record, in seconds since 1970.
    ttl: i64,
}

/// Returns the put of a record. Its key is new, so that no two changes ever meet in it.
pub(crate) fn put(db: &Database, record: &AuditRecord) -> Result<ItemWrite, Error> {
    let record = AuditRecord { tables: Some(db.prefix().to_owned()), ..record.clone() };
    Ok(ItemWrite::put(&schema::AUDIT, to_item(&record)?, []))
}

fn to_item(record: &AuditRecord) -> Result<Item, Error> {
    let AuditRecord { at, actor, action, target, org_id, version, left_org, tables, .. } = record;
    let item = AuditItem {
        target: match target {
            AuditTarget::User(id) => user_pk(*id),
            AuditTarget::Review { id, .. } => review_pk(id),
            AuditTarget::Webhook { id, .. } => webhook_target(*id),
        },
        at: audit_sk(*at),
        actor: actor.id(),
        actor_key: actor.key_id().map(|key| key.to_string()),
        action: action.as_str().to_owned(),
        key: action.key_id().map(|key| key.to_string()),
        new_key: action.new_key_id().map(|key| key.to_string()),
        org: org_key(*org_id),
        fields: record.field_names().into_iter().map(str::to_owned).collect(),
        version: *version,
        left_org: left_org.map(org_key),
        tables: tables.clone(),
        repeated: action.repeated(),
        ttl: at.as_second() + LIFETIME.as_secs(),
    };
    item_as(AUDIT_RECORD, &item)
}

/// Reads a record. An item that breaks the rules of its fields is [`Error::Internal`].
pub(crate) fn read(item: Item) -> Result<AuditRecord, Error> {
    let stored: AuditItem = parse_as(AUDIT_RECORD, item)?;
    record(&stored).ok_or_else(|| Error::internal("a stored audit record breaks the rules of its fields"))
}

fn record(stored: &AuditItem) -> Option<AuditRecord> {
    let id = |text: &Option<String>| match text {
        Some(text) => ApiKeyId::parse(text).map(Some),
        None => Some(None),
    };
    let names = || stored.fields.iter().map(String::as_str);
    let (target, fields) = if let Some(id) = parse_review_pk(&stored.target) {
        (AuditTarget::Review { id, fields: names().map(ReviewField::parse).collect::<Option<_>>()? }, Vec::new())
    } else if let Some(id) = parse_webhook_target(&stored.target) {
        (AuditTarget::Webhook { id, fields: names().map(WebhookField::parse).collect::<Option<_>>()? }, Vec::new())
    } else {
        let id = UserId::parse(stored.target.strip_prefix(USER_PK_PREFIX)?)?;
        (AuditTarget::User(id), names().map(UserField::parse).collect::<Option<_>>()?)
    };
    Some(AuditRecord {
        at: parse_audit_sk(&stored.at)?,
        actor: Actor::parse(&stored.actor, stored.actor_key.as_deref())?,
        action: AuditAction::parse(&stored.action, id(&stored.key)?, stored.repeated)?
            .with_new_key(id(&stored.new_key)?),
        target,
        org_id: parse_org_key(&stored.org)?,
        fields,
        version: stored.version,
        left_org: match &stored.left_org {
            Some(left) => Some(parse_org_key(left)?),
            None => None,
        },
        tables: stored.tables.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_dynamodb::types::AttributeValue;
    use jiff::Timestamp;
    use presence_domain::audit::{OperatorName, WebhookAction};
    use presence_domain::ids::{MAX_ID, OrgId};
    use presence_domain::review::ReviewId;
    use presence_domain::webhook::WebhookId;

    fn largest() -> AuditRecord {
        let (user, digits) = (UserId::parse(&MAX_ID.to_string()).expect("an id"), "f".repeat(12));
        let key = ApiKeyId::parse(&format!("{user}-{digits}")).expect("an id");
        let name = format!("arn:{}", "é".repeat((OperatorName::MAX_BYTES - 4) / 2));
        AuditRecord {
            at: Timestamp::from_millisecond(1_800_000_000_123).expect("an instant"),
            actor: Actor::Operator(OperatorName::parse(&name).expect("a name")),
            action: AuditAction::RotateKey(key, Some(key)),
            target: user.into(),
            org_id: OrgId::new(MAX_ID),
            fields: UserField::ALL.to_vec(),
            version: Some(MAX_ID),
            left_org: Some(OrgId::new(MAX_ID)),
            tables: Some(format!("{}-r202611221200-", "p".repeat(20))),
        }
    }

    /// Returns the size of a value as `DynamoDB` counts it: bytes of text, digits of numbers, and three bytes for a list.
    fn size(value: &AttributeValue) -> usize {
        match value {
            AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
            AttributeValue::L(values) => 3 + values.iter().map(|value| 1 + size(value)).sum::<usize>(),
            other => panic!("an audit record has no {other:?}"),
        }
    }

    #[test]
    fn the_largest_record_fits_one_write_unit() {
        let item = to_item(&largest()).expect("an item");
        let bytes: usize = item.iter().map(|(name, value)| name.len() + size(value)).sum();
        // An entry of an index has some bytes more.
        assert!(bytes < 1_000, "{bytes} bytes");
    }

    #[test]
    fn records_go_through_their_items() {
        let key = ApiKeyId::parse("7-0a0a0a0a0a0a").expect("an id");
        let by_key = AuditRecord { actor: Actor::Key(key), action: AuditAction::Update, org_id: None, ..largest() };
        let activation = AuditRecord { actor: Actor::Invitee(key.owner()), action: AuditAction::Activate, ..largest() };
        let deletion = AuditRecord { action: AuditAction::Delete, fields: Vec::new(), ..by_key.clone() };
        let restore = AuditRecord { action: AuditAction::Restore(7), tables: None, ..by_key.clone() };
        let id = ReviewId::parse("63bta5e2wzsv").expect("an id");
        let target = AuditTarget::Review { id, fields: vec![ReviewField::ReplyComment, ReviewField::State] };
        let reply = AuditRecord { action: AuditAction::Reply, target, fields: Vec::new(), ..by_key.clone() };
        let target = AuditTarget::Webhook {
            id: WebhookId::parse("42-30000000000a").expect("an id"),
            fields: vec![WebhookField::Url],
        };
        let (actor, action) = (Actor::Service, AuditAction::Webhook(WebhookAction::Disable));
        let webhook = AuditRecord { target, actor, action, ..reply.clone() };
        for record in [largest(), by_key, activation, deletion, restore, reply, webhook] {
            let item = to_item(&record).expect("an item");
            assert_eq!(read(item).expect("a record"), record);
        }
    }

    #[test]
    fn a_record_expires_after_400_days() {
        let item = to_item(&largest()).expect("an item");
        let ttl = item["ttl"].as_n().expect("a number");
        assert_eq!(*ttl, (1_800_000_000 + 400 * 24 * 3600).to_string());
    }
}
