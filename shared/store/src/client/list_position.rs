//! Position in a list that is read page by page. It can be written to a file, to go on later.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, number, text};

/// Position in a list: the key of the last item that was read. As JSON it is an object with the attributes of the key.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPosition(pub(crate) Item);

/// Attribute of a key, as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum KeyValue {
    Number(u64),
    Text(String),
}

impl Serialize for ListPosition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |value: &AttributeValue| match value {
            AttributeValue::S(text) => Ok(KeyValue::Text(text.clone())),
            AttributeValue::N(digits) => digits.parse().map(KeyValue::Number).map_err(serde::ser::Error::custom),
            _ => Err(serde::ser::Error::custom("a key of this service is a text or a number")),
        };
        let key: BTreeMap<&String, KeyValue> =
            self.0.iter().map(|(name, attribute)| Ok((name, value(attribute)?))).collect::<Result<_, S::Error>>()?;
        key.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ListPosition {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = BTreeMap::<String, KeyValue>::deserialize(deserializer)?;
        let attribute = |value| match value {
            KeyValue::Text(value) => text(value),
            KeyValue::Number(value) => number(value),
        };
        Ok(Self(key.into_iter().map(|(name, value)| (name, attribute(value))).collect()))
    }
}
