//! Table in memory, for tests. Its calls wait for nothing. A log in it has no changes, and ends where its directory says.

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::ids::OrgId;

use crate::table::{
    Answer, Consistency, LedgerTable, LogCursor, LogItem, NewValue, NodesByTree, NumberedValue, Pauses, ValueName,
};
use crate::tree::NodeRef;
use crate::{ReviewSet, TreeKey, Trees};

/// Table in memory. Clones have the same values.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryTable(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    values: BTreeMap<Name, NumberedValue>,
    /// Values that another writer stores before the next put, or during the next pause.
    later: Vec<(Name, NumberedValue)>,
    /// Values that eventual reads do not find.
    hidden: BTreeSet<Name>,
    /// Consistency of each read, and the number of its names.
    reads: Vec<(Consistency, usize)>,
}

/// Name of a value, as [`ValueName`].
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Root(TreeKey),
    Slot(TreeKey, u32),
    Bucket(OrgId, usize),
    Directory(OrgId),
}

/// Pauses of a call that may try twice.
struct OnePause {
    table: MemoryTable,
    is_left: bool,
}

/// Returns the output of calls that wait for nothing but a table in memory.
pub(crate) fn at_once<T>(calls: impl Future<Output = T>) -> T {
    calls.now_or_never().expect("a table in memory answers at once")
}

impl MemoryTable {
    pub(crate) fn trees(&self) -> Trees {
        Trees::new(Arc::new(self.clone()))
    }

    /// Stores a value.
    pub(crate) fn store(&self, name: ValueName<'_>, value: NewValue) {
        self.state().values.insert(name.into(), stored(value));
    }

    /// Stores a value as another writer does, before the next put or during the next pause.
    pub(crate) fn store_later(&self, name: ValueName<'_>, value: NewValue) {
        self.state().later.push((name.into(), stored(value)));
    }

    /// Stores a node.
    pub(crate) fn store_node(&self, tree: &TreeKey, node: NodeRef, bytes: Vec<u8>) {
        self.store(ValueName::Slot(tree, node.slot), NewValue { number: node.stamp.into(), bytes, oldest: None });
    }

    /// Hides a value from eventual reads.
    pub(crate) fn hide(&self, name: ValueName<'_>) {
        self.state().hidden.insert(name.into());
    }

    /// Takes the reads since the last call: the consistency of each, and the number of its names.
    pub(crate) fn take_reads(&self) -> Vec<(Consistency, usize)> {
        std::mem::take(&mut self.state().reads)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics in a call")
    }

    fn log_of(&self, org_id: OrgId) -> Vec<LogItem> {
        let state = self.state();
        let directory = state.values.get(&Name::Directory(org_id));
        directory.map(|value| LogItem::Directory(Arc::clone(&value.bytes))).into_iter().collect()
    }
}

impl State {
    fn let_others_store(&mut self) {
        self.values.extend(std::mem::take(&mut self.later));
    }
}

impl From<ValueName<'_>> for Name {
    fn from(name: ValueName<'_>) -> Self {
        match name {
            ValueName::Root(tree) => Self::Root(tree.clone()),
            ValueName::Slot(tree, slot) => Self::Slot(tree.clone(), slot),
            ValueName::Bucket(org_id, number) => Self::Bucket(org_id, number),
            ValueName::Directory(org_id) => Self::Directory(org_id),
        }
    }
}

fn stored(NewValue { number, bytes, oldest }: NewValue) -> NumberedValue {
    NumberedValue { number, bytes: bytes.into(), oldest: oldest.map(Arc::from) }
}

fn answer<'a, T: Send + 'a>(value: T) -> Answer<'a, T> {
    ready(Ok(value)).boxed()
}

impl LedgerTable for MemoryTable {
    fn get<'a>(
        &'a self,
        names: Vec<ValueName<'a>>,
        consistency: Consistency,
    ) -> Answer<'a, Vec<Option<NumberedValue>>> {
        let mut state = self.state();
        state.reads.push((consistency, names.len()));
        let is_hidden = |name: &Name| consistency == Consistency::Eventual && state.hidden.contains(name);
        let value = |name: Name| state.values.get(&name).filter(|_| !is_hidden(&name)).cloned();
        let values: Vec<Option<NumberedValue>> = names.into_iter().map(|name| value(name.into())).collect();
        answer(values)
    }

    fn put<'a>(&'a self, name: ValueName<'a>, value: NewValue, known: Option<u64>) -> Answer<'a, bool> {
        let (mut state, name) = (self.state(), Name::from(name));
        state.let_others_store();
        let is_known = state.values.get(&name).map(|stored| stored.number) == known;
        if is_known {
            state.values.insert(name, stored(value));
        }
        answer(is_known)
    }

    fn delete_node<'a>(&'a self, tree: &'a TreeKey, node: NodeRef) -> Answer<'a, bool> {
        let (mut state, name) = (self.state(), Name::Slot(tree.clone(), node.slot));
        let has_stamp = state.values.get(&name).is_some_and(|stored| stored.number == u64::from(node.stamp));
        if has_stamp {
            state.values.remove(&name);
        }
        answer(has_stamp)
    }

    fn list_nodes<'a>(&'a self, set: &'a ReviewSet) -> Answer<'a, NodesByTree> {
        let mut nodes = NodesByTree::new();
        for (name, value) in &self.state().values {
            if let Name::Slot(tree, slot) = name
                && tree.set == *set
            {
                let stamp = u32::try_from(value.number).expect("a stamp");
                nodes.entry(tree.facet_key).or_default().push(NodeRef { slot: *slot, stamp });
            }
        }
        answer(nodes)
    }

    fn log_page(&self, org_id: OrgId, _: Option<LogCursor>) -> Answer<'_, (Vec<LogItem>, Option<LogCursor>)> {
        answer((self.log_of(org_id), None))
    }

    fn lane_start(&self, _: OrgId, _: usize, _: i32) -> Answer<'_, Vec<LogItem>> {
        answer(Vec::new())
    }

    fn logs_together<'a>(&'a self, org_ids: &'a [OrgId]) -> Answer<'a, Vec<Vec<LogItem>>> {
        let logs: Vec<Vec<LogItem>> = org_ids.iter().map(|org_id| self.log_of(*org_id)).collect();
        answer(logs)
    }

    fn delete_chunk(&self, _: OrgId, _: usize, _: u64) -> Answer<'_, ()> {
        answer(())
    }

    fn remove_unsealed(&self, _: OrgId, _: usize, _: Vec<u64>) -> Answer<'_, ()> {
        answer(())
    }

    fn pauses(&self) -> Box<dyn Pauses> {
        Box::new(OnePause { table: self.clone(), is_left: true })
    }
}

impl OnePause {
    fn take(&mut self) -> BoxFuture<'_, bool> {
        self.table.state().let_others_store();
        ready(std::mem::take(&mut self.is_left)).boxed()
    }
}

impl Pauses for OnePause {
    fn pause(&mut self) -> BoxFuture<'_, bool> {
        self.take()
    }

    fn pause_after_progress(&mut self) -> BoxFuture<'_, bool> {
        self.take()
    }
}
