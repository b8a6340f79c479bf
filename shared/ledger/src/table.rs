//! Table that holds logs and trees: the calls that the ledger makes, and what they promise.
//!
//! `presence-store` makes them to `DynamoDB`. A call is retried while the table refuses it for now. A failure after that leaves open
//! whether a write was done.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::review::FacetKey;

use crate::tree::NodeRef;
use crate::{LaneState, ReviewSet, TreeKey};

/// Answer of a call.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Nodes of the trees of a set, by the facet key of their tree.
pub type NodesByTree = BTreeMap<Option<FacetKey>, Vec<NodeRef>>;

/// Calls of the table.
pub trait LedgerTable: Debug + Send + Sync {
    /// Returns the value of each name, in order; `None` for one that has none. A name may be there twice.
    fn get<'a>(&'a self, names: Vec<ValueName<'a>>, consistency: Consistency)
    -> Answer<'a, Vec<Option<NumberedValue>>>;

    /// Puts a value if the stored one has the known number, or if there is none and none is known. False if it has another one.
    ///
    /// If a reply is lost, the put is repeated, and fails because of the first one. So false may also mean that the value was put.
    fn put<'a>(&'a self, name: ValueName<'a>, value: NewValue, known: Option<u64>) -> Answer<'a, bool>;

    /// Deletes a node if its slot still has its stamp. False if it has another one.
    fn delete_node<'a>(&'a self, tree: &'a TreeKey, node: NodeRef) -> Answer<'a, bool>;

    /// Returns the nodes of the trees of a set by an eventual read: some may be older, or missing.
    fn list_nodes<'a>(&'a self, set: &'a ReviewSet) -> Answer<'a, NodesByTree>;

    /// Returns one page of a log by a strong read that begins behind an item, and the last item of the page if there are more.
    ///
    /// A page is no snapshot. The order of the items is essential: each lane before its chunks, these by their first change, and the
    /// directory last.
    fn log_page(&self, org_id: OrgId, start: Option<LogCursor>) -> Answer<'_, (Vec<LogItem>, Option<LogCursor>)>;

    /// Returns the first items of a lane by a strong read: its state, and its oldest chunks.
    fn lane_start(&self, org_id: OrgId, lane: usize, items: i32) -> Answer<'_, Vec<LogItem>>;

    /// Returns the lanes and the directory of each log, as they all were at one instant. [`Error::InProgress`] if writers held one of
    /// them for too long.
    fn logs_together<'a>(&'a self, org_ids: &'a [OrgId]) -> Answer<'a, Vec<Vec<LogItem>>>;

    /// Deletes a sealed chunk, if it is there.
    fn delete_chunk(&self, org_id: OrgId, lane: usize, first: u64) -> Answer<'_, ()>;

    /// Removes those unsealed changes from a lane that begin with these sequence numbers and are still there.
    fn remove_unsealed(&self, org_id: OrgId, lane: usize, firsts: Vec<u64>) -> Answer<'_, ()>;

    /// Returns the pauses of a call that begins now.
    fn pauses(&self) -> Box<dyn Pauses>;
}

/// Pauses between the attempts of one call.
pub trait Pauses: Send {
    /// Waits before the next attempt. False if there is none any more.
    fn pause(&mut self) -> BoxFuture<'_, bool>;

    /// Waits before the next attempt, after another process went on. False if there is none any more.
    fn pause_after_progress(&mut self) -> BoxFuture<'_, bool>;
}

/// Consistency of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// The read sees every write that was acknowledged before it.
    Strong,
    /// The read may see an older state, for half the units.
    Eventual,
}

/// Name of a value with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueName<'a> {
    /// Root of a tree; its number is the edition.
    Root(&'a TreeKey),
    /// Slot of a tree; its number is the stamp of the node.
    Slot(&'a TreeKey, u32),
    /// Bucket of the directory of an organisation; its number is the edition.
    Bucket(OrgId, usize),
    /// Directory of an organisation; its number is the edition.
    Directory(OrgId),
}

/// Stored value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedValue {
    /// Number that each put raises.
    pub number: u64,
    /// Binary form.
    pub bytes: Arc<[u8]>,
    /// Binary form of the copies of the oldest postings of a root, if it has any.
    pub oldest: Option<Arc<[u8]>>,
}

/// Value to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewValue {
    /// Number.
    pub number: u64,
    /// Binary form.
    pub bytes: Vec<u8>,
    /// Binary form of the copies of the oldest postings of a root, if it has any.
    pub oldest: Option<Vec<u8>>,
}

/// Place in a log from which a read goes on, in the form of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogCursor(pub String);

/// Changes in binary form, by the sequence number of the first of them.
pub type Changes = BTreeMap<u64, Vec<u8>>;

/// Item of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogItem {
    /// Lane.
    Lane {
        /// Number of the lane.
        lane: usize,
        /// State of the lane, with the changes that are not sealed.
        state: LaneState,
    },
    /// Sealed chunk of a lane.
    Chunk {
        /// Number of the lane.
        lane: usize,
        /// Sequence number of its first change.
        first: u64,
        /// Its changes.
        changes: Changes,
    },
    /// Directory of the trees, in binary form.
    Directory(Arc<[u8]>),
}
