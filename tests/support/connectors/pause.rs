//! Connector that pauses one write, so that another request can come in between without a race.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use presence_domain::audit::AuditAction;
use presence_domain::ids::UserId;
use presence_domain::user::{PersonName, UserChange};
use tokio::sync::Notify;

use super::{Answer, ConnectorLayer, Next};
use crate::{TestStack, operation_of};

/// Connector that pauses the first write transaction after it was armed. Clones share one state.
#[derive(Clone, Default)]
pub struct PauseConnector {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    is_armed: AtomicBool,
    paused: Notify,
    resumed: Notify,
}

impl PauseConnector {
    /// Returns a connector that pauses nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Pauses the next transaction.
    pub fn arm(&self) {
        self.state.is_armed.store(true, Ordering::SeqCst);
    }

    /// Pauses no further transaction.
    pub fn disarm(&self) {
        self.state.is_armed.store(false, Ordering::SeqCst);
    }

    /// Waits until a transaction is paused.
    pub async fn paused(&self) {
        self.state.paused.notified().await;
    }

    /// Lets the paused transaction continue.
    pub fn resume(&self) {
        self.state.resumed.notify_one();
    }

    /// Changes the last name of the user before each transaction of the functions, past the API, without an end. The names
    /// are `name` and a number.
    ///
    /// # Panics
    /// Panics if the store does not answer, or the user is gone.
    pub async fn rename_before_each_change(&self, stack: &TestStack, id: &str, name: &str) {
        let id = UserId::parse(id).expect("an id");
        for round in 0_u64.. {
            self.paused().await;
            let record = stack.stores().users.get_record(crate::operator_scope(), id).await.expect("the store answers");
            let record = record.expect("nobody else deletes the user");
            let mut after = record.user.clone();
            after.last_name = PersonName::parse(&format!("{name} {round}")).expect("a name");
            let now = presence_runtime::clock::Clock::now(stack.clock.as_ref());
            let change = UserChange::by(&crate::operator(), AuditAction::Update, after, now);
            stack.stores().users.write(Some(&record), &change).await.expect("every other write is paused");
            // The next attempt is to be paused as well.
            self.arm();
            self.resume();
        }
    }
}

impl ConnectorLayer for PauseConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        if operation_of(&request) == "TransactWriteItems" && self.state.is_armed.swap(false, Ordering::SeqCst) {
            self.state.paused.notify_one();
            self.state.resumed.notified().await;
        }
        next.call(request).await
    }
}
