//! Items of tables as plain JSON, without secrets.

use std::collections::HashMap;
use std::fmt::Write as _;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Map, Value, json};

/// Stored item.
pub(super) type Item = HashMap<String, AttributeValue>;

/// Parts of the names of attributes whose values are not shown.
const HIDDEN: [&str; 3] = ["password", "token", "secret"];
/// Number of bytes of a binary attribute that are shown.
const MAX_SHOWN_BYTES: usize = 16;

/// Returns an item as JSON.
pub(super) fn item_json(item: &Item) -> Map<String, Value> {
    item.iter().map(|(name, value)| (name.clone(), attribute_json(name, value))).collect()
}

fn attribute_json(name: &str, value: &AttributeValue) -> Value {
    if HIDDEN.iter().any(|hidden| name.contains(hidden)) {
        return "[not shown]".into();
    }
    match value {
        AttributeValue::S(text) => text.clone().into(),
        AttributeValue::N(digits) => digits.parse().map_or_else(|_| digits.clone().into(), Value::Number),
        AttributeValue::Bool(is_true) => (*is_true).into(),
        AttributeValue::L(values) => values.iter().map(|value| attribute_json("", value)).collect(),
        AttributeValue::M(fields) => Value::Object(item_json(fields)),
        AttributeValue::B(blob) => bytes_json(blob.as_ref()),
        AttributeValue::Ss(texts) => texts.clone().into(),
        AttributeValue::Ns(numbers) => numbers.clone().into(),
        _ => Value::Null,
    }
}

/// Returns the number of bytes, and the first of them in hexadecimal digits.
fn bytes_json(bytes: &[u8]) -> Value {
    let mut hex = String::new();
    for byte in bytes.iter().take(MAX_SHOWN_BYTES) {
        // Writing to a `String` cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    if bytes.len() > MAX_SHOWN_BYTES {
        hex.push('…');
    }
    json!({ "bytes": bytes.len(), "hex": hex })
}

#[cfg(test)]
mod tests {
    use aws_sdk_dynamodb::primitives::Blob;

    use super::*;

    #[test]
    fn attributes_of_each_type_are_json_and_secrets_are_not_shown() {
        let item = |attributes: Vec<(&str, AttributeValue)>| -> Item {
            attributes.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        };
        let text = |value: &str| AttributeValue::S(value.to_owned());
        let links = AttributeValue::L(vec![AttributeValue::M(item(vec![("token_hash", text("abc"))]))]);
        let item = item(vec![
            ("name", text("Zoé")),
            ("count", AttributeValue::N("12".to_owned())),
            ("active", AttributeValue::Bool(true)),
            ("none", AttributeValue::Null(true)),
            ("bytes", AttributeValue::B(Blob::new(vec![1, 2, 255]))),
            ("long", AttributeValue::B(Blob::new(vec![0; 17]))),
            ("secret_bytes", AttributeValue::B(Blob::new(vec![7]))),
            ("password_hash", text("abc")),
            ("links", links),
        ]);
        let expected = json!({
            "name": "Zoé", "count": 12, "active": true, "none": null, "bytes": {"bytes": 3, "hex": "0102ff"},
            "long": {"bytes": 17, "hex": "00000000000000000000000000000000…"}, "secret_bytes": "[not shown]",
            "password_hash": "[not shown]", "links": [{"token_hash": "[not shown]"}],
        });
        assert_eq!(Value::Object(item_json(&item)), expected);
    }
}
