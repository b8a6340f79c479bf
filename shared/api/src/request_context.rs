//! Facts about the request in progress that authentication finds, for the line of the request in the log.
//!
//! They are known by task, so that no function of the path of a request passes them on.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyId;
use presence_domain::rate_limit::Quota;

tokio::task_local! {
    static CONTEXT: Arc<RequestContext>;
}

/// Key and caller of a request, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity {
    /// Id of the key, also if the key gives no access; `None` if no such key is stored.
    pub(crate) key_id: Option<ApiKeyId>,
    /// Caller; `None` if the key gives no access.
    pub(crate) caller: Option<Principal>,
    /// Remaining requests of the key; `None` if it has no limit.
    pub(crate) quota: Option<Quota>,
    /// True if the answer was given before, to a request with the same idempotency key.
    pub(crate) is_replay: bool,
    /// Number of parameters under names that other clients use for them.
    pub(crate) other_names: u8,
}

/// Facts about a request in progress.
#[derive(Debug, Default)]
pub(crate) struct RequestContext(Mutex<Identity>);

impl RequestContext {
    /// Runs a future as part of the request.
    pub(crate) async fn watch<F: Future>(self: Arc<Self>, future: F) -> F::Output {
        CONTEXT.scope(self, future).await
    }

    /// Returns the key and the caller, as far as they are known by now.
    pub(crate) fn identity(&self) -> Identity {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Identity> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records a fact about the request in progress.
pub(crate) fn record(change: impl FnOnce(&mut Identity)) {
    let _ = CONTEXT.try_with(|context| change(&mut context.lock()));
}
