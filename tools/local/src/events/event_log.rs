//! Events that the local `EventBridge` took, and the mode in which it works.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// Number of events that are kept. The oldest are dropped first.
const MAX_EVENTS: usize = 10_000;

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
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Value>,
    mode: BusMode,
}

impl EventLog {
    /// Returns the events, oldest first, as `EventBridge` hands them to a target: `id`, `time`, `source`, `detail-type`, `detail`.
    #[must_use]
    pub fn events(&self) -> Vec<Value> {
        self.state().events.iter().cloned().collect()
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
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
