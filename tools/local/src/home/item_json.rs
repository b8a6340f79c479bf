//! Items of tables as JSON for people: binary attributes decoded where the domain can, and secrets left out.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use presence_store::{keys, review_body_json, schema};
use serde_json::{Map, Number, Value, json};

use super::binary;
use super::key_words::words_of_attribute;

/// Stored item.
pub(super) type Item = HashMap<String, AttributeValue>;

/// Parts of the names of attributes whose values are not shown.
const HIDDEN: [&str; 3] = ["password", "token", "secret"];

/// Returns an item as JSON.
pub(super) fn item_json(table: &str, item: &Item) -> Map<String, Value> {
    let key = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
    let decode = |name: &str, bytes: &[u8]| {
        let is_ledger = table == schema::REVIEWS.name;
        is_ledger.then(|| binary::decode(key("pk"), key("sk"), name, bytes)).flatten()
    };
    item.iter().map(|(name, value)| (name.clone(), attribute_json(name, value, &decode))).collect()
}

/// Returns the words for the attributes that are keys of indexes, by the name of the attribute.
pub(super) fn attribute_words(item: &Item) -> Map<String, Value> {
    let words = |(name, value): (&String, &AttributeValue)| {
        Some((name.clone(), words_of_attribute(name, value.as_s().ok()?)?.into()))
    };
    item.iter().filter_map(words).collect()
}

fn attribute_json(name: &str, value: &AttributeValue, decode: &impl Fn(&str, &[u8]) -> Option<Value>) -> Value {
    if HIDDEN.iter().any(|hidden| name.contains(hidden)) {
        return "[not shown]".into();
    }
    match value {
        AttributeValue::S(text) => text.clone().into(),
        AttributeValue::N(digits) => digits.parse().map_or_else(|_| digits.clone().into(), Value::Number),
        AttributeValue::Bool(is_true) => (*is_true).into(),
        AttributeValue::L(values) => values.iter().map(|value| attribute_json("", value, decode)).collect(),
        AttributeValue::M(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), attribute_json(name, value, decode)));
            Value::Object(fields.collect())
        }
        AttributeValue::B(blob) => decode(name, blob.as_ref()).unwrap_or_else(|| bytes_json(blob.as_ref())),
        AttributeValue::Ss(texts) => texts.clone().into(),
        AttributeValue::Ns(numbers) => numbers.clone().into(),
        _ => Value::Null,
    }
}

fn bytes_json(bytes: &[u8]) -> Value {
    json!({ "bytes": Number::from(bytes.len()) })
}

/// Link from one item to others: its words, and the table and key that they have.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(super) struct ItemLink {
    label: String,
    table: &'static str,
    partition: String,
    /// Sort key; `None` for all items of the partition.
    sort: Option<&'static str>,
}

impl ItemLink {
    fn new(label: String, table: &schema::Table, partition: String, sort: Option<&'static str>) -> Self {
        Self { label, table: table.name, partition, sort }
    }

    fn to_user(id: &str) -> Self {
        let partition = format!("{}{id}", keys::USER_PK_PREFIX);
        Self::new(format!("user {id}"), &schema::USERS, partition, Some(keys::USER_SK))
    }

    fn to_business(id: &str) -> Self {
        Self::new(format!("business {id}"), &schema::BUSINESSES, format!("BUSINESS#{id}"), None)
    }

    fn to_org(id: &str) -> Self {
        Self::new(format!("organisation {id}"), &schema::BUSINESSES, format!("ORG#{id}"), None)
    }
}

/// Returns the items that an item names.
pub(super) fn links_of(table: &str, item: &Item) -> Vec<ItemLink> {
    let text = |name: &str| match item.get(name) {
        Some(AttributeValue::S(text) | AttributeValue::N(text)) => Some(text.as_str()),
        _ => None,
    };
    let partition = text("pk").unwrap_or_default();
    let mut links = Vec::new();
    links.extend(text("user_id").map(ItemLink::to_user));
    links.extend(text("target").and_then(|target| target.strip_prefix(keys::USER_PK_PREFIX)).map(ItemLink::to_user));
    links.extend(text("business_id").map(ItemLink::to_business));
    links.extend(reviewed_business(table, item).as_deref().map(ItemLink::to_business));
    links.extend(text("org_id").map(ItemLink::to_org));
    if let Some(id) = partition.strip_prefix(keys::USER_PK_PREFIX).filter(|_| table == schema::USERS.name) {
        if text("sk") != Some(keys::USER_SK) {
            links.push(ItemLink::to_user(id));
        }
        links.extend(text("email_key").map(|address| {
            let partition = keys::lock_pk(address);
            ItemLink::new("reservation of the address".to_owned(), &schema::USERS, partition, Some(keys::LOCK_SK))
        }));
        links.push(ItemLink::new("changes in the audit trail".to_owned(), &schema::AUDIT, partition.to_owned(), None));
    }
    if let Some(id) = partition.strip_prefix("ORG#").filter(|_| table == schema::BUSINESSES.name) {
        let (log, tree) = (format!("{}{id}", keys::LOG_PK_PREFIX), format!("{}o:{id}", keys::TREE_PK_PREFIX));
        links.push(ItemLink::new("log of its reviews".to_owned(), &schema::REVIEWS, log, None));
        links.push(ItemLink::new("tree of its reviews".to_owned(), &schema::REVIEWS, tree, Some(keys::ROOT_SK)));
    }
    links
}

/// Returns the business of a review, which its body names.
fn reviewed_business(table: &str, item: &Item) -> Option<String> {
    let bytes = item.get("body").filter(|_| table == schema::REVIEWS.name)?.as_b().ok()?;
    review_body_json(bytes.as_ref())?["business_id"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;

    use super::*;

    fn text(value: &str) -> AttributeValue {
        AttributeValue::S(value.to_owned())
    }

    fn item(attributes: &[(&str, AttributeValue)]) -> Item {
        attributes.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn attributes_of_each_type_are_json_and_secrets_are_not_shown() {
        let links = AttributeValue::L(vec![AttributeValue::M(item(&[("token_hash", text("abc"))]))]);
        let item = item(&[
            ("name", text("Zoé")),
            ("count", AttributeValue::N("12".to_owned())),
            ("active", AttributeValue::Bool(true)),
            ("none", AttributeValue::Null(true)),
            ("bytes", AttributeValue::B(Blob::new(vec![1, 2, 3]))),
            ("password_hash", text("abc")),
            ("links", links),
        ]);
        let expected = json!({
            "name": "Zoé", "count": 12, "active": true, "none": null, "bytes": {"bytes": 3},
            "password_hash": "[not shown]", "links": [{"token_hash": "[not shown]"}],
        });
        assert_eq!(Value::Object(item_json("users", &item)), expected);
    }

    #[test]
    fn items_link_to_the_items_that_they_name() {
        let labels = |table: &str, attributes: &[(&str, AttributeValue)]| {
            let links = links_of(table, &item(attributes));
            links.into_iter().map(|link| (link.label, link.partition)).collect::<Vec<_>>()
        };
        let pair = |label: &str, partition: &str| (label.to_owned(), partition.to_owned());
        let org = AttributeValue::N("42".to_owned());
        let body =
            AttributeValue::B(Blob::new(b"\x02b1\x04lyon\x00\x01x\x01x\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00"));
        // Reviews of earlier formats have an attribute for each field.
        for business in [("business_id", text("b1")), ("body", body)] {
            assert_eq!(
                labels("reviews", &[("pk", text("R#r1")), business, ("org_id", org.clone())]),
                [pair("business b1", "BUSINESS#b1"), pair("organisation 42", "ORG#42")]
            );
        }
        let user = [("pk", text("USER#7")), ("sk", text("USER")), ("email_key", text("a@b"))];
        let expected = [pair("reservation of the address", "EMAIL#a@b"), pair("changes in the audit trail", "USER#7")];
        assert_eq!(labels("users", &user), expected);
        assert_eq!(labels("audit", &[("target", text("USER#7"))]), [pair("user 7", "USER#7")]);
        assert_eq!(labels("api-keys", &[("user_id", text("7"))]), [pair("user 7", "USER#7")]);
        let org = [pair("log of its reviews", "LOG#42"), pair("tree of its reviews", "TREE#o:42")];
        assert_eq!(labels("businesses", &[("pk", text("ORG#42"))]), org);
    }
}
