//! A connector that lets something happen between two calls of a request.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use tokio::sync::Mutex;

/// What happens; it must not go through the connector itself.
pub type Event = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The connector, and the handle that steers it. Its calls are made one after the other, also those that a request makes side
/// by side: so what comes between two of them is well defined, and the answers of one wave may lie on both sides of it.
#[derive(Clone)]
pub struct InterleavingConnector {
    inner: SharedHttpClient,
    turn: Arc<Mutex<Turn>>,
}

#[derive(Default)]
struct Turn {
    calls: u64,
    next: Option<(u64, Event)>,
}

impl InterleavingConnector {
    /// Over another client.
    pub fn over(inner: impl HttpClient + 'static) -> Self {
        Self { inner: SharedHttpClient::new(inner), turn: Arc::default() }
    }

    /// Counts calls from 1 again; the event happens just before this one.
    pub async fn before(&self, call: u64, event: Event) {
        *self.turn.lock().await = Turn { calls: 0, next: Some((call, event)) };
    }

    /// Calls made since then, and the event if it did not happen.
    pub async fn end(&self) -> (u64, Option<Event>) {
        let mut turn = self.turn.lock().await;
        (turn.calls, turn.next.take().map(|(_, event)| event))
    }
}

impl fmt::Debug for InterleavingConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InterleavingConnector").finish_non_exhaustive()
    }
}

impl HttpClient for InterleavingConnector {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, turn: Arc::clone(&self.turn) })
    }
}

struct Connector {
    inner: SharedHttpConnector,
    turn: Arc<Mutex<Turn>>,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("interleaving::Connector").finish_non_exhaustive()
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, turn) = (self.inner.clone(), Arc::clone(&self.turn));
        HttpConnectorFuture::new(async move {
            let mut turn = turn.lock().await;
            turn.calls += 1;
            let calls = turn.calls;
            if let Some((_, event)) = turn.next.take_if(|(call, _)| *call == calls) {
                // On its own: it happens as a whole, also where the request drops the call.
                tokio::spawn(event).await.expect("what happens meanwhile does not fail");
            }
            // The embedded database has read everything when the head of its answer comes.
            inner.call(request).await
        })
    }
}
