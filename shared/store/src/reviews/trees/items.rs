//! Items of trees: roots, nodes, the directory and its buckets. Each is a number, for conditions, and a binary value.

use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::{Item, binary, number, pk_sk};
use crate::keys::{node_sk, root_sk, tree_pk};
use presence_domain::error::Error;
use presence_ledger::TreeKey;
use presence_ledger::tree::{NodeRef, TreeRoot, encode_oldest, encode_root};

/// Attribute with the edition of a root, a directory or a bucket.
pub(crate) const EDITION: &str = "e";
/// Attribute with the stamp of a node.
pub(crate) const STAMP: &str = "s";
/// Attribute with the binary value.
pub(crate) const VALUE: &str = "v";
/// Attribute of a root with the copies of its oldest postings. Versions before the copies ignore it, and put roots without it.
pub(crate) const OLDEST: &str = "o";

/// Value of an item, and the number that its next put raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NumberedValue {
    /// Edition, or stamp of a node.
    pub(crate) number: u64,
    /// Binary value.
    pub(crate) bytes: Arc<[u8]>,
}

impl NumberedValue {
    /// Reads an item whose number is the named attribute.
    pub(crate) fn read(mut item: Item, number_attribute: &str) -> Result<Self, Error> {
        let number = item.get(number_attribute).and_then(|value| value.as_n().ok()?.parse().ok());
        let bytes = match item.remove(VALUE) {
            Some(AttributeValue::B(blob)) => Some(blob.into_inner().into()),
            _ => None,
        };
        let value = number.zip(bytes).map(|(number, bytes)| Self { number, bytes });
        value.ok_or_else(|| Error::internal("a stored item of a tree has no number or no value"))
    }
}

/// Returns an item with a number and a binary value.
pub(crate) fn numbered_item(key: Item, number_attribute: &str, value: impl Into<i128>, bytes: Vec<u8>) -> Item {
    let mut item = key;
    item.insert(number_attribute.to_owned(), number(value));
    item.insert(VALUE.to_owned(), binary(bytes));
    item
}

/// Returns the item of a root.
pub(crate) fn root_item(tree: &TreeKey, root: &TreeRoot) -> Item {
    let mut item = numbered_item(root_key(tree), EDITION, root.edition, encode_root(root));
    item.extend(encode_oldest(root).map(|bytes| (OLDEST.to_owned(), binary(bytes))));
    item
}

/// Returns the key of the root of a tree.
pub(crate) fn root_key(tree: &TreeKey) -> Item {
    pk_sk(tree_pk(&tree.set), root_sk(tree.facet_key))
}

/// Returns the key of the slot of a node.
pub(crate) fn node_key(tree: &TreeKey, node: NodeRef) -> Item {
    pk_sk(tree_pk(&tree.set), node_sk(tree.facet_key, node.slot))
}
