//! Kills a process at one of its calls, before the call is made or after it was answered.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::config::RuntimeComponents;
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use futures::FutureExt as _;
use presence_tests::plain_http;
use tokio::sync::Notify;

/// When the process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    /// Nothing of the call was sent.
    Before,
    /// It was carried out, and the process does not hear of it.
    After,
}

/// HTTP client that ends its process at a chosen call. Clones share one state.
#[derive(Clone)]
pub(super) struct CrashConnector {
    inner: SharedHttpClient,
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
    crashes_at: Option<(u64, Moment)>,
}

impl CrashConnector {
    pub(super) fn new() -> Self {
        Self { inner: SharedHttpClient::new(plain_http()), shared: Arc::default() }
    }

    /// Runs a process that dies at its call of this number, from 1 on; none when it died.
    pub(super) async fn run<T>(
        &self,
        crashes_at: Option<(u64, Moment)>,
        process: impl Future<Output = T>,
    ) -> Option<T> {
        *self.state() = State { calls: 0, crashes_at };
        // A process with several deliveries under way may die of two of them: the second one is not the next process's.
        let _ = self.shared.crashed.notified().now_or_never();
        tokio::select! {
            biased;
            () = self.shared.crashed.notified() => None,
            ended = process => Some(ended),
        }
    }

    /// How many calls the last process made.
    pub(super) fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Kills the process now: what calls this goes no further.
    pub(super) async fn crash<T>(&self) -> T {
        self.shared.crashed.notify_one();
        std::future::pending().await
    }

    /// Counts a call, and says when the process dies of it.
    fn count(&self) -> Option<Moment> {
        let mut state = self.state();
        state.calls += 1;
        let calls = state.calls;
        state.crashes_at.filter(|(call, _)| *call == calls).map(|(_, moment)| moment)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CrashConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrashConnector").finish_non_exhaustive()
    }
}

impl HttpClient for CrashConnector {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(Connector {
            inner: self.inner.http_connector(settings, components),
            crashes: self.clone(),
        })
    }
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    crashes: CrashConnector,
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, crashes) = (self.inner.clone(), self.crashes.clone());
        HttpConnectorFuture::new(async move {
            match crashes.count() {
                None => inner.call(request).await,
                Some(Moment::Before) => crashes.crash().await,
                Some(Moment::After) => {
                    let _ = inner.call(request).await;
                    crashes.crash().await
                }
            }
        })
    }
}
