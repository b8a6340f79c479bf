//! The table, its history, and the truth about the reviews.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::counts::Counts;
use super::engine::Engine;
use super::fault::PlantedFault;
use super::items::{Body, Item, Key, LogKey, REVIEWS};
use super::rng::Rng;
use crate::ledger::{LogPosition, Place};

/// Occurs when a condition does not hold, or another process was first.
#[derive(Clone, Copy, Debug)]
pub(super) struct LostError;

/// Change of a review as it was written.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub org: u8,
    pub lane: usize,
    /// Sequence number.
    pub sequence: u64,
    pub review: u64,
    pub version: u64,
    pub new: Option<Place>,
    /// Number of the transaction.
    pub written: usize,
}

/// The table, and everything that the processes of a run share.
#[derive(Debug)]
pub(super) struct SimulatedTable {
    /// Number of reviews that are written. Few reviews change often.
    pub reviews: u64,
    /// Trees of the run.
    pub engine: Engine,
    /// Planted fault.
    pub fault: Option<PlantedFault>,
    /// Values of each item, oldest first; `None` where it was not there.
    items: RefCell<BTreeMap<Key, Vec<Option<Rc<Item>>>>>,
    rng: RefCell<Rng>,
    /// Changes of all transactions, in their order.
    pub commits: RefCell<Vec<Commit>>,
    /// Sequence of the last acknowledged change of each lane, by organisation.
    pub acknowledged: RefCell<BTreeMap<u8, LogPosition>>,
    /// Number of transactions so far.
    pub transactions: Cell<usize>,
    pub counts: RefCell<Counts>,
    /// Transactions whose items are not all visible yet, by number.
    open: RefCell<BTreeMap<usize, Vec<Write>>>,
    /// First thing that went wrong.
    pub violation: RefCell<Option<String>>,
}

/// Item of a transaction, and its new value.
pub(super) type Write = (Key, Option<Item>);

/// Pause of a process: other processes run before it goes on.
#[derive(Debug)]
pub(super) struct Pause(bool);

impl Future for Pause {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl SimulatedTable {
    /// Returns an empty table.
    pub(super) fn new(seed: u64, engine: Engine, fault: Option<PlantedFault>) -> Rc<Self> {
        Rc::new(Self {
            reviews: if seed.is_multiple_of(2) { REVIEWS } else { REVIEWS / 2 },
            engine,
            fault,
            items: RefCell::default(),
            rng: RefCell::new(Rng::new(seed)),
            commits: RefCell::default(),
            acknowledged: RefCell::default(),
            transactions: Cell::new(0),
            counts: RefCell::default(),
            open: RefCell::default(),
            violation: RefCell::default(),
        })
    }

    /// True if this fault is planted.
    pub(super) fn has(&self, fault: PlantedFault) -> bool {
        self.fault == Some(fault)
    }

    /// Lets other processes run.
    #[expect(clippy::unused_self, reason = "a pause of a process belongs to its table")]
    pub(super) fn pause(&self) -> Pause {
        Pause(false)
    }

    /// Lets other processes run, in half of the cases: calls that are made at the same time, or one page of a Query.
    pub(super) fn maybe_pause(&self) -> Pause {
        Pause(self.chance(50))
    }

    /// Returns a random number below a limit.
    pub(super) fn below(&self, limit: u64) -> u64 {
        self.rng.borrow_mut().below(limit)
    }

    /// True with a probability in percent.
    pub(super) fn chance(&self, percent: u64) -> bool {
        self.rng.borrow_mut().chance(percent)
    }

    /// Records something that must not happen.
    pub(super) fn violated(&self, what: impl Into<String>) {
        self.violation.borrow_mut().get_or_insert_with(|| what.into());
    }

    /// Returns the newest value.
    pub(super) fn strong(&self, key: Key) -> Option<Rc<Item>> {
        self.items.borrow().get(&key).and_then(|history| history.last().cloned().flatten())
    }

    /// Returns any value that the item ever had, or none if it was once not there.
    pub(super) fn eventual(&self, key: Key) -> Option<Rc<Item>> {
        let items = self.items.borrow();
        let history = items.get(&key)?;
        if self.chance(40) {
            return history.last().cloned().flatten();
        }
        let age = usize::try_from(self.below(history.len() as u64 + 1)).expect("a small number");
        age.checked_sub(1).and_then(|age| history[age].clone())
    }

    /// Writes an item.
    pub(super) fn put(&self, key: Key, item: Item) {
        self.items.borrow_mut().entry(key).or_default().push(Some(Rc::new(item)));
    }

    /// Deletes an item.
    pub(super) fn delete(&self, key: Key) {
        self.items.borrow_mut().entry(key).or_default().push(None);
    }

    /// Carries a transaction out. Its items become visible one by one.
    pub(super) fn begin_transaction(&self, number: usize, writes: Vec<Write>) {
        self.open.borrow_mut().insert(number, writes);
    }

    /// True if an item of the transaction is not visible yet.
    pub(super) fn is_open(&self, number: usize) -> bool {
        self.open.borrow().contains_key(&number)
    }

    /// True if a transaction holds the item.
    pub(super) fn is_held(&self, key: Key) -> bool {
        self.open.borrow().values().flatten().any(|(held, _)| *held == key)
    }

    /// Makes an item of a transaction visible, if there is one. Returns false if there is none.
    pub(super) fn show_one_write(&self) -> bool {
        let mut open = self.open.borrow_mut();
        let Some(chosen) =
            open.keys().nth(usize::try_from(self.below(open.len().max(1) as u64)).expect("small")).copied()
        else {
            return false;
        };
        let writes = open.get_mut(&chosen).expect("an open transaction");
        let (key, item) = writes.swap_remove(usize::try_from(self.below(writes.len() as u64)).expect("small"));
        if writes.is_empty() {
            open.remove(&chosen);
        }
        self.items.borrow_mut().entry(key).or_default().push(item.map(Rc::new));
        true
    }

    /// Returns the next item of a log behind a key.
    pub(super) fn next_in_log(&self, org: u8, after: LogKey) -> Option<(LogKey, Rc<Item>)> {
        let items = self.items.borrow();
        let behind = (std::ops::Bound::Excluded(Key::Log(org, after)), std::ops::Bound::Unbounded);
        let mut present = items.range(behind).filter_map(|(key, history)| Some((*key, history.last()?.clone()?)));
        match present.next()? {
            (Key::Log(found, key), item) if found == org => Some((key, item)),
            _ => None,
        }
    }

    /// Returns the nodes of a tree that are there, ascending by slot.
    pub(super) fn nodes_of(&self, tree: super::items::TreeId) -> Vec<(u32, u32)> {
        let items = self.items.borrow();
        let all = items.range(Key::Node(tree, 0)..=Key::Node(tree, u32::MAX));
        all.filter_map(|(key, history)| match (key, history.last()?.as_deref()?) {
            (Key::Node(_, slot), Item::Node(node)) => Some((*slot, node.stamp)),
            _ => None,
        })
        .collect()
    }

    /// Returns the newest body of a review.
    pub(super) fn body(&self, review: u64) -> Option<Body> {
        body_of(self.strong(Key::Body(review)).as_deref())
    }

    /// Returns an earlier body of a review, or the newest.
    pub(super) fn eventual_body(&self, review: u64) -> Option<Body> {
        body_of(self.eventual(Key::Body(review)).as_deref())
    }
}

/// Returns the body that an item holds.
fn body_of(item: Option<&Item>) -> Option<Body> {
    match item {
        Some(Item::Body(body)) => Some(body.clone()),
        _ => None,
    }
}
