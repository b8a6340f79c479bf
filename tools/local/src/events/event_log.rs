//! Events that the local `EventBridge` took, and the mode in which it works.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::watch;

/// Number of events that are kept. The oldest are dropped first.
const MAX_EVENTS: usize = 1_000;

/// Behaviour of the local `EventBridge`, and of the queue of replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BusMode {
    /// Takes every event.
    #[default]
    Accept,
    /// Answers every call with `ThrottlingException`.
    Throttle,
    /// Takes every second event of a call, the first one included, and refuses the others one by one.
    RefuseHalf,
    /// Takes every event, then breaks the connection before the response is complete.
    LoseReply,
}

/// Events that the local `EventBridge` took, and its mode.
#[derive(Debug, Default)]
pub struct EventLog {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Value>,
    /// Number of events so far, with those that were dropped.
    count: usize,
    mode: BusMode,
}

impl EventLog {
    /// Returns the events, oldest first, as `EventBridge` hands them to a target: `id`, `time`, `source`, `detail-type`, `detail`.
    pub fn events(&self) -> Vec<Value> {
        self.state().events.iter().cloned().collect()
    }

    /// Returns the kept events after the first `after` ones, and the number of all so far. If there were never so many, the caller counts
    /// those of an earlier stack, and gets all that are kept.
    pub(super) fn events_after(&self, after: usize) -> (Vec<Value>, usize) {
        let state = self.state();
        let dropped = state.count - state.events.len();
        let skipped = if after > state.count { 0 } else { after.saturating_sub(dropped) };
        (state.events.iter().skip(skipped).cloned().collect(), state.count)
    }

    /// Sets the mode for the next calls.
    pub fn set_mode(&self, mode: BusMode) {
        self.state().mode = mode;
    }

    /// Returns the current mode.
    pub(super) fn mode(&self) -> BusMode {
        self.state().mode
    }

    pub(super) fn add(&self, event: Value) {
        let mut state = self.state();
        if state.events.len() == MAX_EVENTS {
            state.events.pop_front();
        }
        state.events.push_back(event);
        state.count += 1;
        drop(state);
        self.changed.send_replace(());
    }

    /// Returns a channel that tells of each further event.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_page_keeps_as_many_events_as_the_stack() {
        let script = include_str!("../../pages/events/events.js").replace('_', "");
        assert!(script.contains(&format!("MOSTKEPT = {MAX_EVENTS};")));
    }

    #[test]
    fn a_reader_gets_each_kept_event_once_and_all_of_them_from_another_stack() {
        let log = EventLog::default();
        for number in 1..=MAX_EVENTS + 3 {
            log.add(json!(number));
        }
        let all = MAX_EVENTS + 3;
        for (after, first, length) in [
            (0, Some(4), MAX_EVENTS),
            (2, Some(4), MAX_EVENTS),
            (5, Some(6), all - 5),
            (all, None, 0),
            (all + 1, Some(4), MAX_EVENTS),
        ] {
            let (events, last) = log.events_after(after);
            assert_eq!(
                (events.first().cloned(), events.len(), last),
                (first.map(|number: usize| json!(number)), length, all),
                "after {after}"
            );
        }
    }
}
