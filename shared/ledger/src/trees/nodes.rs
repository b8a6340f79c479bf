//! Reads of roots and nodes.

use std::sync::Arc;

use crate::table::{Consistency, NumberedValue, ValueName};
use crate::tree::{NodeRef, OldestPostings};
use crate::{TreeKey, Trees};
use presence_domain::error::Error;

/// Root of a tree as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredRoot {
    /// Number of times that the root was written.
    pub edition: u64,
    /// Binary form of the root.
    pub bytes: Arc<[u8]>,
    /// Binary form of the copies of its oldest postings, if it has any.
    pub oldest: Option<Arc<[u8]>>,
}

impl Trees {
    /// Returns the root of a tree; `None` if it was never written.
    pub async fn get_root(&self, tree: &TreeKey, consistency: Consistency) -> Result<Option<StoredRoot>, Error> {
        Ok(self.get_roots(std::slice::from_ref(tree), consistency).await?.into_iter().flatten().next())
    }

    /// Returns the root of each tree, in order; `None` for one that was never written.
    pub async fn get_roots(
        &self,
        trees: &[TreeKey],
        consistency: Consistency,
    ) -> Result<Vec<Option<StoredRoot>>, Error> {
        let values = self.table.get(trees.iter().map(ValueName::Root).collect(), consistency).await?;
        Ok(values.into_iter().map(|value| value.map(StoredRoot::from)).collect())
    }

    /// Returns the bytes of each node, in order. `None` for a node that is no more: no current root names it.
    ///
    /// Reads eventually first. An eventual read may miss a node that was just written, so what it does not find is read
    /// strongly.
    pub async fn get_nodes(&self, nodes: &[(&TreeKey, NodeRef)]) -> Result<Vec<Option<Arc<[u8]>>>, Error> {
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
        let names = nodes.iter().map(|(tree, node)| ValueName::Slot(tree, node.slot)).collect();
        let values = self.table.get(names, consistency).await?;
        let bytes = |(value, (_, node)): (Option<NumberedValue>, &(&TreeKey, NodeRef))| {
            value.filter(|value| value.number == u64::from(node.stamp)).map(|value| value.bytes)
        };
        Ok(values.into_iter().zip(nodes).map(bytes).collect())
    }
}

impl From<NumberedValue> for StoredRoot {
    fn from(NumberedValue { number, bytes, oldest }: NumberedValue) -> Self {
        Self { edition: number, bytes, oldest }
    }
}

impl StoredRoot {
    /// Returns the copies of its oldest postings.
    pub fn oldest(&self) -> OldestPostings {
        OldestPostings::read(self.oldest.as_deref())
    }

    /// Returns the number of bytes of both binary forms.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.oldest.as_deref().map_or(0, <[u8]>::len)
    }
}
