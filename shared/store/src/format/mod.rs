//! Formats of stored items.
//!
//! Old items keep their form until they are written again. So each kind of item numbers its formats. The attribute `format`
//! holds the number; without it the item has the first format. This version reads every format up to the present one, and
//! refuses newer ones, which a later version wrote.

mod kinds;
mod later;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::de::value::MapDeserializer;
use serde::de::{DeserializeOwned, IntoDeserializer};

use crate::client::read::{Item, number};
use presence_domain::error::Error;

pub(crate) use kinds::{
    ANSWER, ANY, ATTEMPT, AUDIT_RECORD, BUSINESS, BUSINESS_CHANGES, BUSINESS_CHANGES_HEAD, CATEGORY, CATEGORY_HEAD,
    DIRECTORY_HEAD, FEED_CHUNK, FEED_HEAD, KEY, Kind, LOCK, MAIL, MAILBOX, MARK, MOVE_REGISTER, NOTICE, ORG, REVIEW,
    USER, WEBHOOK, kind_of,
};

/// Attribute that holds the format.
pub(crate) const FORMAT: &str = "format";

/// Format of items without the attribute.
const FIRST: u64 = 1;

/// Returns the format of an item; 0 if the attribute is not a number.
pub(crate) fn format_of(item: &Item) -> u64 {
    let parse = |value: &AttributeValue| value.as_n().ok()?.parse().ok();
    item.get(FORMAT).map_or(FIRST, |value| parse(value).unwrap_or_default())
}

/// Checks that this version knows the format of an item. Returns [`Error::Unavailable`] otherwise: during a deployment, a retry
/// may reach a function of the version that wrote the item.
pub(crate) fn check(kind: Kind, item: &Item) -> Result<(), Error> {
    match format_of(item) {
        format if (FIRST..=kind.format).contains(&format) => Ok(()),
        format => {
            let Kind { name, format: known, .. } = kind;
            let text = format!("a stored {name} has format {format}, and this version knows those up to {known}");
            Err(Error::Unavailable(text.into()))
        }
    }
}

/// Writes the present format of a kind into an item. The first format needs no attribute.
pub(crate) fn mark(kind: Kind, item: &mut Item) {
    if kind.format > FIRST {
        item.insert(FORMAT.to_owned(), number(kind.format));
    }
}

/// Parses an item of a kind that has one format. An item that does not fit its type is [`Error::Internal`].
pub(crate) fn parse<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    parse_as(ANY, item)
}

/// Parses an item of a kind. Returns [`Error::Unavailable`] for a format that this version does not know.
pub(crate) fn parse_as<T: DeserializeOwned>(kind: Kind, item: Item) -> Result<T, Error> {
    check(kind, &item)?;
    let attributes = item.into_iter().map(|(name, value)| (name, StoredAttribute(value)));
    T::deserialize(MapDeserializer::new(attributes)).map_err(Error::internal)
}

/// Attribute that is parsed where it lies. `serde_dynamo::from_item` would first copy the whole item into a map of its own, which
/// takes longer than to parse it.
struct StoredAttribute(AttributeValue);

impl IntoDeserializer<'_, serde_dynamo::Error> for StoredAttribute {
    type Deserializer = serde_dynamo::Deserializer;

    fn into_deserializer(self) -> Self::Deserializer {
        serde_dynamo::Deserializer::from_attribute_value(self.0.into())
    }
}

/// Serialises a value as an item of a kind that has one format.
pub(crate) fn item<T: serde::Serialize>(value: &T) -> Result<Item, Error> {
    item_as(ANY, value)
}

/// Serialises a value as an item of a kind, in its present format.
pub(crate) fn item_as<T: serde::Serialize>(kind: Kind, value: &T) -> Result<Item, Error> {
    let mut item = serde_dynamo::to_item(value).map_err(Error::internal)?;
    mark(kind, &mut item);
    Ok(item)
}

#[cfg(test)]
mod tests;
