//! Conflicts between transactions.
//!
//! A write transaction conflicts with each other call that names one of its items, from its start until some time after its
//! end. Items of a `ConditionCheck` count as well. A retry with the same token does not conflict with itself.

use std::collections::HashMap;
use std::time::Duration;

/// Writing calls in flight and those that ended within the window, by number. `Item` identifies an item.
#[derive(Debug)]
pub(super) struct ConflictTracker<Item>(HashMap<u64, TrackedCall<Item>>);

#[derive(Debug)]
struct TrackedCall<Item> {
    items: Vec<Item>,
    /// `ClientRequestToken`.
    token: Option<String>,
    /// True for a write of one item. It conflicts with reading transactions only.
    is_single: bool,
    ended_at: Option<Duration>,
}

/// Kind of a call, by its conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// `TransactWriteItems`.
    WriteTransaction,
    /// `TransactGetItems`.
    ReadTransaction,
    /// Write of one item.
    SingleWrite,
}

impl<Item> Default for ConflictTracker<Item> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<Item: PartialEq> ConflictTracker<Item> {
    /// Returns the positions, from 0, of the items that another call uses.
    ///
    /// `window` is the time for which a transaction still conflicts after its end.
    pub(super) fn conflicting_positions(
        &mut self,
        now: Duration,
        window: Duration,
        kind: CallKind,
        items: &[Item],
        token: Option<&str>,
    ) -> Vec<usize> {
        self.0.retain(|_, call| call.ended_at.is_none_or(|ended_at| now.saturating_sub(ended_at) < window));
        let others: Vec<_> = self.0.values().filter(|call| call.conflicts_with(kind, token)).collect();
        (0..items.len()).filter(|&position| others.iter().any(|call| call.items.contains(&items[position]))).collect()
    }

    /// Tracks a call from its start. A reading transaction is not tracked, because no later call conflicts with it.
    pub(super) fn begin(&mut self, number: u64, kind: CallKind, items: Vec<Item>, token: Option<String>) {
        if kind != CallKind::ReadTransaction {
            let is_single = kind == CallKind::SingleWrite;
            self.0.insert(number, TrackedCall { items, token, is_single, ended_at: None });
        }
    }

    /// Marks the end of a call, which starts its window.
    pub(super) fn end(&mut self, number: u64, now: Duration) {
        if let Some(call) = self.0.get_mut(&number) {
            call.ended_at = Some(now);
        }
    }
}

impl<Item> TrackedCall<Item> {
    fn conflicts_with(&self, kind: CallKind, token: Option<&str>) -> bool {
        let is_retry = token.is_some() && self.token.as_deref() == token;
        let is_relevant = !self.is_single || (kind == CallKind::ReadTransaction && self.ended_at.is_none());
        is_relevant && !is_retry
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Duration = Duration::from_millis(10);

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn calls_conflict_with_a_transaction_in_flight_and_for_the_window_after_it() {
        use CallKind::{ReadTransaction, SingleWrite, WriteTransaction};
        let mut tracker = ConflictTracker::default();
        assert_eq!(tracker.conflicting_positions(at(0), WINDOW, WriteTransaction, &["a", "b"], Some("one")), [0; 0]);
        tracker.begin(1, WriteTransaction, vec!["a", "b"], Some("one".to_owned()));
        for (kind, items, token, conflicting) in [
            (WriteTransaction, vec!["c", "b", "a"], Some("two"), vec![1, 2]),
            (WriteTransaction, vec!["c"], Some("two"), vec![]),
            (WriteTransaction, vec!["a", "b"], Some("one"), vec![]),
            (ReadTransaction, vec!["b"], None, vec![0]),
            (SingleWrite, vec!["a"], None, vec![0]),
        ] {
            assert_eq!(
                tracker.conflicting_positions(at(5), WINDOW, kind, &items, token),
                conflicting,
                "{kind:?} {items:?}"
            );
        }
        tracker.end(1, at(20));
        assert_eq!(tracker.conflicting_positions(at(29), WINDOW, SingleWrite, &["a"], None), [0]);
        assert_eq!(tracker.conflicting_positions(at(30), WINDOW, SingleWrite, &["a"], None), [0; 0]);
    }

    #[test]
    fn single_write_in_flight_conflicts_with_reading_transactions_only() {
        let mut tracker = ConflictTracker::default();
        tracker.begin(1, CallKind::SingleWrite, vec!["a"], None);
        assert_eq!(tracker.conflicting_positions(at(0), WINDOW, CallKind::ReadTransaction, &["a"], None), [0]);
        assert_eq!(tracker.conflicting_positions(at(0), WINDOW, CallKind::WriteTransaction, &["a"], None), [0; 0]);
        tracker.end(1, at(1));
        assert_eq!(tracker.conflicting_positions(at(1), WINDOW, CallKind::ReadTransaction, &["a"], None), [0; 0]);
    }

    #[test]
    fn reading_transaction_conflicts_with_no_later_call() {
        let mut tracker = ConflictTracker::default();
        tracker.begin(1, CallKind::ReadTransaction, vec!["a"], None);
        assert_eq!(tracker.conflicting_positions(at(0), WINDOW, CallKind::WriteTransaction, &["a"], None), [0; 0]);
    }
}
