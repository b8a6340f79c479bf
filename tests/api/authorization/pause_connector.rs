//! A connector that holds back one write, so that another request can come in between: without a race to win.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use presence_domain::access::Scope;
use presence_domain::ids::UserId;
use presence_domain::user::PersonName;
use presence_store::{MailChange, UserChange};
use presence_tests::{TestStack, plain_http};
use tokio::sync::Notify;

/// Holds back the first transaction after it was shut. Clones share one state.
#[derive(Clone)]
pub(crate) struct PauseConnector {
    inner: SharedHttpClient,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    shut: AtomicBool,
    reached: Notify,
    opened: Notify,
}

impl PauseConnector {
    /// Open.
    pub(crate) fn new() -> Self {
        Self { inner: plain_http(), state: Arc::default() }
    }

    /// Holds back the next transaction.
    pub(crate) fn shut(&self) {
        self.state.shut.store(true, Ordering::SeqCst);
    }

    /// Holds back no further one.
    pub(crate) fn leave_open(&self) {
        self.state.shut.store(false, Ordering::SeqCst);
    }

    /// Waits until a transaction stands before it.
    pub(crate) async fn reached(&self) {
        self.state.reached.notified().await;
    }

    /// Lets it through.
    pub(crate) fn open(&self) {
        self.state.opened.notify_one();
    }

    /// Changes the user before each transaction of the functions, past the API: its last name is this one and a number.
    pub(crate) async fn rename_before_each_change(&self, stack: &TestStack, id: &str, name: &str) {
        let id = UserId::parse(id).expect("an id");
        for round in 0_u64.. {
            self.reached().await;
            let record = stack.stores().users.get_record(Scope::for_operator(), id).await.expect("the store answers");
            let record = record.expect("nobody else wins");
            let mut after = record.user.clone();
            after.last_name = PersonName::parse(&format!("{name} {round}")).expect("a name");
            let now = presence_runtime::clock::Clock::now(stack.clock.as_ref());
            let mail = MailChange::Keep;
            let change = UserChange { before: Some(&record), after: Some(&after), mail, keep_an_admin: false, now };
            stack.stores().users.write(change).await.expect("the gate is shut for all others");
            // The next one is to be held back as well.
            self.shut();
            self.open();
        }
    }
}

impl fmt::Debug for PauseConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PauseConnector").finish_non_exhaustive()
    }
}

impl HttpClient for PauseConnector {
    fn http_connector(&self, settings: &HttpConnectorSettings, components: &RuntimeComponents) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, state: Arc::clone(&self.state) })
    }
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    state: Arc<State>,
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("State")
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let writes =
            request.headers().get("x-amz-target").is_some_and(|target| target.ends_with(".TransactWriteItems"));
        let (inner, state) = (self.inner.clone(), Arc::clone(&self.state));
        HttpConnectorFuture::new(async move {
            if writes && state.shut.swap(false, Ordering::SeqCst) {
                state.reached.notify_one();
                state.opened.notified().await;
            }
            inner.call(request).await
        })
    }
}
