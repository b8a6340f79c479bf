//! Crash of a process at one of its calls, before the call is sent or after it was answered.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use futures::FutureExt as _;
use tokio::sync::Notify;

use super::{Answer, ConnectorLayer, Next};

/// Moment of a crash, seen from the call at which the process crashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashPoint {
    /// Nothing of the call was sent.
    Before,
    /// The call was carried out, and the process does not see the answer.
    After,
}

/// Connector that ends its process at a chosen call. Clones share one state.
#[derive(Clone, Default)]
pub struct CrashConnector {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    crashed: Notify,
}

#[derive(Default)]
struct State {
    calls: u64,
    crashes_at: Option<(u64, CrashPoint)>,
}

impl CrashConnector {
    /// Returns a connector that forwards every call.
    pub fn new() -> Self {
        Self::default()
    }

    /// Runs a process that crashes at its call of this number, counted from 1. Returns none when it crashed.
    pub async fn run<T>(&self, crashes_at: Option<(u64, CrashPoint)>, process: impl Future<Output = T>) -> Option<T> {
        *self.state() = State { calls: 0, crashes_at };
        // Two deliveries of the last process may both have crashed. The second notice is not for this process.
        let _ = self.shared.crashed.notified().now_or_never();
        let output = tokio::select! {
            biased;
            () = self.shared.crashed.notified() => None,
            output = process => Some(output),
        };
        // Calls outside of a process do not crash: nobody would wait for their end.
        self.state().crashes_at = None;
        output
    }

    /// Returns the number of calls of the last process.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Crashes the process now. The caller of this function goes no further.
    pub async fn crash<T>(&self) -> T {
        self.shared.crashed.notify_one();
        std::future::pending().await
    }

    /// Counts a call, and returns the moment at which the process crashes, if it crashes at this call.
    fn count(&self) -> Option<CrashPoint> {
        let mut state = self.state();
        state.calls += 1;
        let calls = state.calls;
        state.crashes_at.filter(|(call, _)| *call == calls).map(|(_, point)| point)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectorLayer for CrashConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        match self.count() {
            None => next.call(request).await,
            Some(CrashPoint::Before) => self.crash().await,
            Some(CrashPoint::After) => {
                let _ = next.call(request).await;
                self.crash().await
            }
        }
    }
}
