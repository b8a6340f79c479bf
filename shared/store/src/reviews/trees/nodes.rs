//! Reads of roots and nodes.

use std::collections::HashMap;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;

use super::items::{EDITION, NumberedValue, OLDEST, STAMP, node_key, root_key};
use crate::client::read::{Consistency, Item};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_ledger::TreeKey;
use presence_ledger::tree::{NodeRef, OldestPostings};

/// Root of a tree as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredRoot {
    /// Number of times that the root was written.
    pub(crate) edition: u64,
    /// Binary form of the root.
    pub(crate) bytes: Arc<[u8]>,
    /// Binary form of the copies of its oldest postings, if it has any.
    pub(crate) oldest: Option<Arc<[u8]>>,
}

impl ReviewStore {
    /// Returns the root of a tree; `None` if it was never written.
    pub(crate) async fn get_root(&self, tree: &TreeKey, consistency: Consistency) -> Result<Option<StoredRoot>, Error> {
        let item = self.db.get_with(&schema::REVIEWS, root_key(tree), consistency).await?;
        item.map(StoredRoot::from_item).transpose()
    }

    /// Returns the root of each tree, in order; `None` for one that was never written.
    pub(crate) async fn get_roots(
        &self,
        trees: &[TreeKey],
        consistency: Consistency,
    ) -> Result<Vec<Option<StoredRoot>>, Error> {
        let items = self.get_items(trees.iter().map(root_key).collect(), consistency).await?;
        items.into_iter().map(|item| item.map(StoredRoot::from_item).transpose()).collect()
    }

    /// Returns the bytes of each node, in order. `None` for a node that is no more: no current root names it.
    ///
    /// Reads eventually first. An eventual read may miss a node that was just written, so what it does not find is read
    /// strongly.
    pub(crate) async fn get_nodes(&self, nodes: &[(&TreeKey, NodeRef)]) -> Result<Vec<Option<Arc<[u8]>>>, Error> {
        let mut found = self.read_nodes(nodes, Consistency::Eventual).await?;
        let missing: Vec<usize> = (0..nodes.len()).filter(|position| found[*position].is_none()).collect();
        if !missing.is_empty() {
            let names: Vec<_> = missing.iter().map(|position| nodes[*position]).collect();
            for (position, bytes) in missing.into_iter().zip(self.read_nodes(&names, Consistency::Strong).await?) {
                found[position] = bytes;
            }
        }
        Ok(found)
    }

    /// Returns the bytes of those nodes that the read finds under their stamp.
    async fn read_nodes(
        &self,
        nodes: &[(&TreeKey, NodeRef)],
        consistency: Consistency,
    ) -> Result<Vec<Option<Arc<[u8]>>>, Error> {
        let keys = nodes.iter().map(|(tree, node)| node_key(tree, *node)).collect();
        let items = self.get_items(keys, consistency).await?;
        let bytes = |(item, (_, node)): (Option<Item>, &(&TreeKey, NodeRef))| {
            let value = item.map(|item| NumberedValue::read(item, STAMP)).transpose()?;
            Ok(value.filter(|value| value.number == u64::from(node.stamp)).map(|value| value.bytes))
        };
        items.into_iter().zip(nodes).map(bytes).collect()
    }

    /// Returns the item of each key, in order; `None` for one that does not exist.
    pub(super) async fn get_items(
        &self,
        keys: Vec<Item>,
        consistency: Consistency,
    ) -> Result<Vec<Option<Item>>, Error> {
        if let [key] = &keys[..] {
            return Ok(vec![self.db.get_with(&schema::REVIEWS, key.clone(), consistency).await?]);
        }
        // DynamoDB refuses a batch that names a key twice.
        let mut positions: HashMap<ItemName, Vec<usize>> = HashMap::new();
        let mut distinct = Vec::new();
        for (position, key) in keys.into_iter().enumerate() {
            let named = positions.entry(ItemName::of(&key)).or_default();
            if named.is_empty() {
                distinct.push(key);
            }
            named.push(position);
        }
        let mut found = vec![None; positions.values().map(Vec::len).sum()];
        for item in self.db.get_batch_with(&schema::REVIEWS, distinct, &[], consistency).await? {
            let Some((first, others)) = positions.get(&ItemName::of(&item)).and_then(|all| all.split_first()) else {
                continue;
            };
            for other in others {
                found[*other] = Some(item.clone());
            }
            found[*first] = Some(item);
        }
        Ok(found)
    }
}

impl StoredRoot {
    fn from_item(mut item: Item) -> Result<Self, Error> {
        let oldest = match item.remove(OLDEST) {
            Some(AttributeValue::B(blob)) => Some(blob.into_inner().into()),
            _ => None,
        };
        let NumberedValue { number, bytes } = NumberedValue::read(item, EDITION)?;
        Ok(Self { edition: number, bytes, oldest })
    }

    /// Returns the copies of its oldest postings.
    pub(crate) fn oldest(&self) -> OldestPostings {
        OldestPostings::read(self.oldest.as_deref(), self.edition)
    }

    /// Returns the number of bytes of both binary forms.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() + self.oldest.as_deref().map_or(0, <[u8]>::len)
    }
}

/// Partition and sort key of an item.
#[derive(PartialEq, Eq, Hash)]
struct ItemName(String, String);

impl ItemName {
    fn of(item: &Item) -> Self {
        let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
        Self(text("pk"), text("sk"))
    }
}
