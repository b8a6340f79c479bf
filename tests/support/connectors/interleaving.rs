//! Connector that runs something between two calls of a request.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use tokio::sync::Mutex;

use super::{Answer, ConnectorLayer, Next};

/// Work to run between two calls. It must not use the connector itself.
pub type Event = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Connector that makes its calls one after the other, and runs an [`Event`] before a chosen call.
///
/// Calls that a request makes side by side are serialised too. So it is well defined which calls come before the event, and
/// the calls of one round trip may lie on both sides of it.
#[derive(Clone, Default)]
pub struct InterleavingConnector {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    calls: u64,
    next: Option<(u64, Event)>,
}

impl InterleavingConnector {
    /// Returns a connector that only serialises calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts calls from 1 again, and runs the event just before this call.
    pub async fn before(&self, call: u64, event: Event) {
        *self.state.lock().await = State { calls: 0, next: Some((call, event)) };
    }

    /// Returns the number of calls since then, and the event if it did not run.
    pub async fn end(&self) -> (u64, Option<Event>) {
        let mut state = self.state.lock().await;
        (state.calls, state.next.take().map(|(_, event)| event))
    }
}

impl ConnectorLayer for InterleavingConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let mut state = self.state.lock().await;
        state.calls += 1;
        let calls = state.calls;
        if let Some((_, event)) = state.next.take_if(|(call, _)| *call == calls) {
            // A task of its own: the event runs to its end even if the request drops this call.
            tokio::spawn(event).await.expect("the event does not fail");
        }
        // The lock is held for the call. The embedded database has read everything when the head of its answer comes.
        next.call(request).await
    }
}
