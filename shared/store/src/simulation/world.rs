//! State of simulated tables: items with the older states that eventual reads may show, what indexes show, and transactions that are
//! carried out item by item.

use std::collections::BTreeMap;
use std::sync::Arc;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use fastrand::Rng;

use super::applying::{applied, holds};
use super::calls::Calls;
use super::oracle::Oracle;
use crate::client::read::{Consistency, Item};
use crate::client::tables::ItemWrite;
use crate::keys::TREE_PK_PREFIX;
use crate::reviews::body_item::review_from_item;
use crate::schema::{Index, TABLES, Table};

/// Maximum number of older states that an eventual read may show.
const OLDER_STATES: usize = 4;

/// Name of a table, partition key and sort key of an item.
pub(super) type ItemKey = (&'static str, String, String);

/// Item as a read returns it.
pub(super) type StoredItem = Option<Arc<Item>>;

/// Tables and everything else that a run knows.
#[derive(Debug)]
pub(super) struct World {
    pub(super) rng: Rng,
    pub(super) calls: Calls,
    pub(super) oracle: Oracle,
    /// True while no call fails, no reply is lost and no process dies.
    pub(super) is_calm: bool,
    /// True if a tree was damaged. Then calls may fail for that.
    pub(super) is_damaged: bool,
    items: BTreeMap<ItemKey, Stored>,
    open: Vec<OpenTransaction>,
}

/// Item, present and past.
#[derive(Debug, Default)]
struct Stored {
    current: StoredItem,
    /// States that an eventual read may still show.
    older: Vec<StoredItem>,
    /// State that the indexes show.
    indexed: StoredItem,
    /// True while a transaction holds the item.
    is_held: bool,
}

/// Transaction that is decided, and whose items appear one by one.
#[derive(Debug)]
struct OpenTransaction {
    left: Vec<(ItemKey, StoredItem)>,
    /// Ticket of the call that waits for its end.
    ticket: u64,
}

/// Outcome of an attempt to commit.
pub(super) enum Commit {
    /// The transaction is decided. The call waits with this ticket until all its items are there.
    Decided(u64),
    ConditionsFailed(Vec<usize>),
    /// Other transactions hold the items at these positions.
    Held(Vec<usize>),
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let (rng, calls) = (Rng::with_seed(seed), Calls::default());
        Self {
            rng,
            calls,
            oracle: Oracle::default(),
            is_calm: false,
            is_damaged: false,
            items: BTreeMap::new(),
            open: Vec::new(),
        }
    }

    /// True in this many of a hundred cases.
    pub(super) fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    /// True for this many calls of a thousand, which fail.
    pub(super) fn fails(&mut self, per_mille: u32) -> bool {
        !self.is_calm && self.rng.u32(..1_000) < per_mille
    }

    /// Returns an item as a read of it finds it.
    pub(super) fn read(&mut self, key: &ItemKey, consistency: Consistency) -> StoredItem {
        let stored = self.items.get(key)?;
        let states = stored.older.len() + 1;
        let chosen = if consistency == Consistency::Strong { states } else { self.rng.usize(..states) + 1 };
        if chosen == states { stored.current.clone() } else { stored.older[chosen - 1].clone() }
    }

    /// Returns the first key of a partition behind one, or before it.
    pub(super) fn next_key(&self, table: &Table, pk: &str, last: Option<&str>, ascending: bool) -> Option<ItemKey> {
        use std::ops::Bound::{Excluded, Unbounded};
        let key = |sk: &str| (table.name, pk.to_owned(), sk.to_owned());
        let in_partition = |(name, partition, _): &&ItemKey| *name == table.name && partition == pk;
        let (first, end) = (key(""), key("\u{10FFFF}"));
        let found = if ascending {
            let from = last.map_or(std::ops::Bound::Included(first), |last| Excluded(key(last)));
            self.items.range((from, Excluded(end))).next().map(|(key, _)| key)
        } else {
            let to = last.map_or(Excluded(end), |last| Excluded(key(last)));
            self.items.range((Unbounded, to)).next_back().map(|(key, _)| key)
        };
        found.filter(in_partition).cloned()
    }

    /// Returns the next key of a table in the order of all keys.
    pub(super) fn next_in_table(&self, table: &Table, last: Option<&ItemKey>) -> Option<ItemKey> {
        use std::ops::Bound::{Excluded, Unbounded};
        let first = (table.name, String::new(), String::new());
        let keys = self.items.range((Excluded(last.unwrap_or(&first)), Unbounded));
        keys.map(|(key, _)| key)
            .find(|(name, ..)| *name >= table.name)
            .filter(|(name, ..)| *name == table.name)
            .cloned()
    }

    /// Returns the items that an index shows in a partition, by its sort key.
    pub(super) fn query_index(&self, table: &Table, index: &Index, value: &AttributeValue) -> Vec<(String, Arc<Item>)> {
        let (partition, sort) = (index.key.partition.0, index.key.sort.map_or("", |(name, _)| name));
        let of_table = self.items.range((table.name, String::new(), String::new())..);
        let of_table = of_table.take_while(|((name, ..), _)| *name == table.name);
        let shown = of_table.filter_map(|(_, stored)| stored.indexed.as_ref());
        let in_partition = shown.filter(|item| item.get(partition) == Some(value));
        let mut found: Vec<(String, Arc<Item>)> =
            in_partition.filter_map(|item| Some((item.get(sort)?.as_s().ok()?.clone(), Arc::clone(item)))).collect();
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        found
    }

    /// True if a transaction holds an item.
    pub(super) fn is_held(&self, key: &ItemKey) -> bool {
        self.items.get(key).is_some_and(|stored| stored.is_held)
    }

    /// Writes an item if its conditions hold. It must not be held.
    pub(super) fn write(&mut self, write: ItemWrite) -> bool {
        let key = key_of(write.table, &write.item);
        let current = self.items.get(&key).and_then(|stored| stored.current.clone());
        let is_done = holds(&write, current.as_deref());
        if is_done {
            let next = applied(write, current.as_deref().cloned());
            if let Some(review) = next.as_ref().filter(|_| key.1.starts_with("R#")) {
                let review = review_from_item(review).expect("a review");
                self.oracle.note_review(self.calls.process, &review, 0);
            }
            self.store(key, next.map(Arc::new));
        }
        is_done
    }

    fn store(&mut self, key: ItemKey, next: StoredItem) {
        let forgets = self.chance(30);
        let stored = self.items.entry(key).or_default();
        let before = std::mem::replace(&mut stored.current, next);
        if forgets {
            stored.older.clear();
        }
        stored.older.push(before);
        if stored.older.len() > OLDER_STATES {
            stored.older.remove(0);
        }
        stored.is_held = false;
    }

    /// Decides a transaction.
    pub(super) fn commit(&mut self, process: u64, writes: Vec<ItemWrite>) -> Commit {
        let keys: Vec<ItemKey> = writes.iter().map(|write| key_of(write.table, &write.item)).collect();
        let held: Vec<usize> = (0..keys.len()).filter(|position| self.is_held(&keys[*position])).collect();
        if !held.is_empty() {
            return Commit::Held(held);
        }
        let current = |key: &ItemKey| self.items.get(key).and_then(|stored| stored.current.clone());
        let is_failed = |position: &usize| !holds(&writes[*position], current(&keys[*position]).as_deref());
        let failed: Vec<usize> = (0..keys.len()).filter(is_failed).collect();
        if !failed.is_empty() {
            return Commit::ConditionsFailed(failed);
        }
        self.oracle.note_transaction(process, &writes);
        let mut left = Vec::new();
        for (key, write) in keys.into_iter().zip(writes) {
            let stored = self.items.entry(key.clone()).or_default();
            stored.is_held = true;
            left.push((key, applied(write, stored.current.as_deref().cloned()).map(Arc::new)));
        }
        let ticket = self.calls.new_ticket();
        self.open.push(OpenTransaction { left, ticket });
        Commit::Decided(ticket)
    }

    /// Damages a root or a node of a tree, if there is one.
    pub(super) fn damage_a_tree(&mut self) {
        let keys = self.keys_from(TREE_PK_PREFIX);
        let Some(key) = self.rng.choice(&keys).cloned() else { return };
        self.damage(key);
    }

    /// Returns the keys of the items that are there, and whose partition key begins with a text.
    pub(super) fn keys_from(&self, pk_prefix: &str) -> Vec<ItemKey> {
        let is_there = |(_, pk, _): &ItemKey, stored: &Stored| pk.starts_with(pk_prefix) && stored.current.is_some();
        self.items.iter().filter(|(key, stored)| is_there(key, stored)).map(|(key, _)| key.clone()).collect()
    }

    /// Damages a root or a node of a tree.
    pub(super) fn damage(&mut self, key: ItemKey) {
        let Some(mut item) = self.read(&key, Consistency::Strong).map(|item| Item::clone(&item)) else { return };
        if let Some(AttributeValue::B(value)) = item.get_mut("v") {
            // Half an item cannot be read. No checksum tells other damage, which DynamoDB does not do.
            *value = Blob::new(&value.as_ref()[..value.as_ref().len() / 2]);
        }
        self.items.entry(key).or_default().current = Some(Arc::new(item));
        self.is_damaged = true;
    }

    /// Ends the damage: what is damaged is corrected, and no eventual read shows what was.
    pub(super) fn forget_damage(&mut self) {
        self.is_damaged = false;
        self.items.values_mut().for_each(|stored| stored.older.clear());
    }

    /// Returns the tickets of the transactions that are being carried out.
    pub(super) fn open_transactions(&self) -> Vec<u64> {
        self.open.iter().map(|transaction| transaction.ticket).collect()
    }

    /// Lets one item of a transaction appear.
    pub(super) fn show_one_item(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let chosen = self.rng.usize(..self.open.len());
        let item = self.rng.usize(..self.open[chosen].left.len());
        self.show_item(chosen, item);
    }

    /// Lets the items of transactions appear whose partition and sort key, with a blank behind each, begin with a text.
    pub(super) fn show_items(&mut self, key_prefix: &str) {
        let begins = |(_, pk, sk): &ItemKey| format!("{pk} {sk} ").starts_with(key_prefix);
        let position = |open: &OpenTransaction| open.left.iter().position(|(key, _)| begins(key));
        while let Some((chosen, item)) =
            (0..).zip(&self.open).find_map(|(chosen, open)| Some((chosen, position(open)?)))
        {
            self.show_item(chosen, item);
        }
    }

    fn show_item(&mut self, chosen: usize, item: usize) {
        let (key, next) = self.open[chosen].left.swap_remove(item);
        self.store(key, next);
        if self.open[chosen].left.is_empty() {
            let ticket = self.open.swap_remove(chosen).ticket;
            self.calls.release(ticket);
        }
    }

    /// Lets the indexes catch up with some items, or with all.
    pub(super) fn show_in_indexes(&mut self, percent: u32) {
        let Self { items, rng, .. } = self;
        let with_index: Vec<_> =
            TABLES.iter().filter(|table| !table.indexes.is_empty()).map(|table| table.name).collect();
        for ((name, ..), stored) in items.iter_mut() {
            if with_index.contains(name) && rng.u32(..100) < percent {
                stored.indexed.clone_from(&stored.current);
            }
        }
    }
}

/// Returns the key of an item.
pub(super) fn key_of(table: &Table, item: &Item) -> ItemKey {
    let text = |name: &str| item.get(name).and_then(|value| value.as_s().ok()).cloned().unwrap_or_default();
    (table.name, text(table.key.partition.0), table.key.sort.map_or_else(String::new, |(sort, _)| text(sort)))
}

/// Returns the attributes of an item that are the key of the table, and of the index.
pub(super) fn key_attributes(table: &Table, index: Option<&Index>, item: &Item) -> Item {
    let names = table.key.attributes().chain(index.into_iter().flat_map(|index| index.key.attributes()));
    names.filter_map(|(name, _)| Some((name.to_owned(), item.get(name)?.clone()))).collect()
}
