//! Which transaction holds which item.
//!
//! A write transaction holds each item that it names, conditions included, until some time after its end. Another call that
//! names one of them is refused. A retry with the same token does not conflict with itself.

use std::collections::HashMap;
use std::time::Duration;

/// The calls in flight, and those that ended within the window, by number. `Item` names an item.
#[derive(Debug)]
pub struct Holds<Item>(HashMap<u64, Held<Item>>);

#[derive(Debug)]
struct Held<Item> {
    items: Vec<Item>,
    /// `ClientRequestToken`.
    token: Option<String>,
    /// A single write: only reading transactions mind it.
    is_single: bool,
    ended: Option<Duration>,
}

/// A call that wants to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `TransactWriteItems`.
    Writes,
    /// `TransactGetItems`.
    Reads,
    /// A write of one item.
    Single,
}

impl<Item> Default for Holds<Item> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<Item: PartialEq> Holds<Item> {
    /// Returns the places, from 0, of the items that another call holds.
    pub fn conflicts(
        &mut self,
        now: Duration,
        window: Duration,
        entry: Entry,
        items: &[Item],
        token: Option<&str>,
    ) -> Vec<usize> {
        self.0.retain(|_, held| held.ended.is_none_or(|ended| now.saturating_sub(ended) < window));
        let others = || {
            let minds = |held: &&Held<Item>| !held.is_single || (entry == Entry::Reads && held.ended.is_none());
            self.0.values().filter(minds).filter(|held| token.is_none() || held.token.as_deref() != token)
        };
        (0..items.len()).filter(|&at| others().any(|held| held.items.contains(&items[at]))).collect()
    }

    /// Holds the items of a call of this number, which writes.
    pub fn begin(&mut self, number: u64, entry: Entry, items: Vec<Item>, token: Option<String>) {
        if entry != Entry::Reads {
            self.0.insert(number, Held { items, token, is_single: entry == Entry::Single, ended: None });
        }
    }

    /// Starts the window of a call.
    pub fn end(&mut self, number: u64, now: Duration) {
        if let Some(held) = self.0.get_mut(&number) {
            held.ended = Some(now);
        }
    }

    /// Forgets every call.
    pub fn clear(&mut self) {
        self.0.clear();
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
        use Entry::{Reads, Single, Writes};
        let mut holds = Holds::default();
        assert_eq!(holds.conflicts(at(0), WINDOW, Writes, &["a", "b"], Some("one")), [0; 0]);
        holds.begin(1, Writes, vec!["a", "b"], Some("one".to_owned()));
        for (entry, items, token, taken) in [
            (Writes, vec!["c", "b", "a"], Some("two"), vec![1, 2]),
            (Writes, vec!["c"], Some("two"), vec![]),
            (Writes, vec!["a", "b"], Some("one"), vec![]),
            (Reads, vec!["b"], None, vec![0]),
            (Single, vec!["a"], None, vec![0]),
        ] {
            assert_eq!(holds.conflicts(at(5), WINDOW, entry, &items, token), taken, "{entry:?} {items:?}");
        }
        holds.end(1, at(20));
        assert_eq!(holds.conflicts(at(29), WINDOW, Single, &["a"], None), [0]);
        assert_eq!(holds.conflicts(at(30), WINDOW, Single, &["a"], None), [0; 0]);
    }

    #[test]
    fn a_single_write_in_flight_is_minded_by_reading_transactions_only() {
        let mut holds = Holds::default();
        holds.begin(1, Entry::Single, vec!["a"], None);
        assert_eq!(holds.conflicts(at(0), WINDOW, Entry::Reads, &["a"], None), [0]);
        assert_eq!(holds.conflicts(at(0), WINDOW, Entry::Writes, &["a"], None), [0; 0]);
        holds.end(1, at(1));
        assert_eq!(holds.conflicts(at(1), WINDOW, Entry::Reads, &["a"], None), [0; 0]);
    }

    #[test]
    fn a_reading_transaction_holds_nothing() {
        let mut holds = Holds::default();
        holds.begin(1, Entry::Reads, vec!["a"], None);
        assert_eq!(holds.conflicts(at(0), WINDOW, Entry::Writes, &["a"], None), [0; 0]);
    }
}
