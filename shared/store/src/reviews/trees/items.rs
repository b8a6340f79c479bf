//! Items of trees: roots, nodes, the directory and its buckets. Each is a number, for conditions, and a binary value.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::{Item, binary, number, pk_sk};
use crate::keys::{DIRECTORY_SK, directory_bucket_sk, directory_buckets_pk, log_pk, node_sk, root_sk, tree_pk};
use presence_domain::error::Error;
use presence_ledger::table::{NewValue, NumberedValue, ValueName};

/// Attribute with the edition of a root, a directory or a bucket.
const EDITION: &str = "e";
/// Attribute with the stamp of a node.
pub(crate) const STAMP: &str = "s";
/// Attribute with the binary value.
const VALUE: &str = "v";
/// Attribute of a root with the copies of its oldest postings.
const OLDEST: &str = "o";

/// Returns the attribute with the number of a value.
pub(crate) fn number_attribute(name: ValueName<'_>) -> &'static str {
    if matches!(name, ValueName::Slot(..)) { STAMP } else { EDITION }
}

/// Returns the key of a value.
pub(crate) fn key_of(name: ValueName<'_>) -> Item {
    match name {
        ValueName::Root(tree) => pk_sk(tree_pk(&tree.set), root_sk(tree.facet_key)),
        ValueName::Slot(tree, slot) => pk_sk(tree_pk(&tree.set), node_sk(tree.facet_key, slot)),
        ValueName::Bucket(org_id, number) => pk_sk(directory_buckets_pk(org_id), directory_bucket_sk(number)),
        ValueName::Directory(org_id) => pk_sk(log_pk(org_id), DIRECTORY_SK),
    }
}

/// Returns the item of a value.
pub(crate) fn value_item(name: ValueName<'_>, value: NewValue) -> Item {
    let mut item = key_of(name);
    item.insert(number_attribute(name).to_owned(), number(value.number));
    item.insert(VALUE.to_owned(), binary(value.bytes));
    item.extend(value.oldest.map(|bytes| (OLDEST.to_owned(), binary(bytes))));
    item
}

/// Reads the item of a value.
pub(crate) fn read_value(mut item: Item, name: ValueName<'_>) -> Result<NumberedValue, Error> {
    let number = item.get(number_attribute(name)).and_then(|value| value.as_n().ok()?.parse().ok());
    let mut bytes = |attribute: &str| -> Option<Arc<[u8]>> {
        match item.remove(attribute) {
            Some(AttributeValue::B(blob)) => Some(blob.into_inner().into()),
            _ => None,
        }
    };
    let (oldest, bytes) = (bytes(OLDEST), bytes(VALUE));
    let value = number.zip(bytes).map(|(number, bytes)| NumberedValue { number, bytes, oldest });
    value.ok_or_else(|| Error::internal("a stored item of a tree has no number or no value"))
}
