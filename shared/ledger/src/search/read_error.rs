//! Reads of nodes, and what can come between the reads of a ledger.

use std::sync::Arc;

use super::Searcher;
use crate::TreeKey;
use crate::tree::{DecodeError, NodeRef};
use presence_domain::error::Error;

/// Occurs when a ledger changes while it is read, or cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// Items or trees changed since the log was read. The next attempt reads the log again.
    Overtaken,
    /// A node of the tree is no more: its root is too old. The next attempt reads the root strongly.
    NodeGone(TreeKey),
    /// A read failed.
    Failed(Error),
}

impl From<Error> for ReadError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<DecodeError> for ReadError {
    fn from(error: DecodeError) -> Self {
        Self::Failed(Error::internal(error))
    }
}

impl Searcher {
    /// Returns the bytes of each node, in order. Reads them from the table into the cache.
    pub(super) async fn read_nodes_of_roots(&self, names: &[(&TreeKey, NodeRef)]) -> Result<Vec<Arc<[u8]>>, ReadError> {
        let mut read = Vec::with_capacity(names.len());
        for ((tree, node), bytes) in names.iter().zip(self.trees.get_nodes(names).await?) {
            let bytes = bytes.ok_or_else(|| ReadError::NodeGone((*tree).clone()))?;
            self.cache.insert_node(tree, *node, Arc::clone(&bytes));
            read.push(bytes);
        }
        Ok(read)
    }
}
