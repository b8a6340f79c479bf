//! Operations: the steps from an authenticated request to its answer, and their place in a table of routes.

use std::future::Future;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;

use super::route::{Body, Route};
use super::{Answer, Fields, Input, kept_answers};
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyId;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::idempotency::{IdempotentRequest, KeptAnswer};
use presence_domain::key_rights::KeyRights;

/// Operation of a function. Its steps run in the order of the trait, so that a client sees 404 and 403 before 400.
pub trait Operation: Sized + Send + 'static {
    /// Parts of the function.
    type App: Send + Sync + 'static;
    /// [`Answer`] of an operation that only reads, [`ChangeAnswer`] of one that changes something.
    type Outcome: Into<Answer>;

    /// Reads the parameters of the query string, or the fields of the body. Mistakes stay in `fields`.
    fn read(fields: &mut Fields<'_>) -> Self;

    /// Checks the rights that follow from the request alone. Rights on stored data are checked by `run`, which reads the data.
    fn authorize(&self, _caller: &Principal) -> Result<(), Error> {
        Ok(())
    }

    /// Runs the operation. It returns the mistakes of the fields as an error once nothing else can be wrong.
    fn run(
        self,
        app: &Self::App,
        request: &AuthenticatedRequest,
        errors: FieldErrors,
    ) -> impl Future<Output = Result<Self::Outcome, Error>> + Send;
}

/// Request whose key was verified. While an operation runs speculatively, the principal is the cached one.
#[derive(Debug)]
pub struct AuthenticatedRequest {
    /// Caller.
    pub principal: Principal,
    /// Id of the caller's key.
    pub key_id: ApiKeyId,
    /// Rights that the key has beyond those of its owner; `None` while an operation runs speculatively.
    pub(super) rights: Option<Arc<KeyRights>>,
    /// Request under whose idempotency key the answer is kept.
    pub(super) keyed: Option<IdempotentRequest>,
    pub(super) input: Arc<Input>,
}

impl AuthenticatedRequest {
    /// Returns the answer of a change, for the transaction of the change and for the client.
    pub fn answer(&self, answer: Answer, at: Timestamp) -> ChangeAnswer {
        let kept = self.keyed.map(|request| kept_answers::kept(request, &answer, at));
        ChangeAnswer { answer, kept }
    }

    /// Returns the answer of a change that has a secret, which nothing may keep. A repeated request gets the other answer, without it.
    pub fn answer_once(&self, answer: Answer, repeated: &Answer, at: Timestamp) -> ChangeAnswer {
        let kept = self.keyed.map(|request| kept_answers::kept(request, repeated, at));
        ChangeAnswer { answer, kept }
    }

    /// Returns the rights that the caller's key has beyond those of its owner. They are there for every change.
    pub fn key_rights(&self) -> Result<&KeyRights, Error> {
        self.rights.as_deref().ok_or_else(|| Error::internal("the key of a speculative operation is not verified yet"))
    }
}

impl Deref for AuthenticatedRequest {
    type Target = Input;

    fn deref(&self) -> &Input {
        &self.input
    }
}

/// Answer of a change. An operation that changes something returns no other, so that it has the form that the store must keep.
#[derive(Debug)]
pub struct ChangeAnswer {
    answer: Answer,
    kept: Option<KeptAnswer>,
}

impl ChangeAnswer {
    /// Returns the answer as it is kept with the change; `None` if the request has no idempotency key.
    pub fn kept(&self) -> Option<&KeptAnswer> {
        self.kept.as_ref()
    }
}

impl From<ChangeAnswer> for Answer {
    fn from(change: ChangeAnswer) -> Self {
        change.answer
    }
}

/// Operation that runs. It is on the heap: the SDK's futures are large, and moving them costs nothing there.
pub type Running = Pin<Box<dyn Future<Output = Result<Answer, Error>> + Send>>;

/// Function that starts an operation for a caller.
pub(super) type Start<App> = fn(Arc<App>, AuthenticatedRequest) -> Running;

/// Operation in a table of routes. It says when the operation may start.
#[derive(Debug)]
pub struct Handler<App>(pub(super) Starting<App>);

/// Time at which an operation starts.
#[derive(Debug)]
pub(super) enum Starting<App> {
    /// While the key is verified, with the cached principal.
    Speculatively(Start<App>),
    /// Once the key is verified.
    WhenVerified(Start<App>),
    /// While the key is verified, for any principal.
    ForAnyPrincipal(fn(Arc<App>, Arc<Input>) -> Running),
}

impl<App> Route<Handler<App>> {
    /// Returns the row of an operation that only reads. It may start before the key is verified: see the module `speculation`.
    pub const fn read<O>(path: &'static str, name: &'static str) -> Self
    where
        O: Operation<App = App, Outcome = Answer>,
    {
        Self::new("GET", path, name, Starting::Speculatively(start::<O>), Body::Ignored)
    }

    /// Returns the row of an operation that changes something.
    pub const fn change<O>(method: &'static str, path: &'static str, name: &'static str, body: Body) -> Self
    where
        O: Operation<App = App, Outcome = ChangeAnswer>,
    {
        Self::new(method, path, name, Starting::WhenVerified(start::<O>), body)
    }

    /// Returns the row of an operation that only reads, and answers every principal alike. It always runs while the key is verified.
    /// If the key gives no access, its result is discarded.
    pub const fn for_any_principal(
        path: &'static str,
        name: &'static str,
        start: fn(Arc<App>, Arc<Input>) -> Running,
    ) -> Self {
        Self::new("GET", path, name, Starting::ForAnyPrincipal(start), Body::Ignored)
    }

    const fn new(
        method: &'static str,
        path: &'static str,
        name: &'static str,
        starting: Starting<App>,
        body: Body,
    ) -> Self {
        Self { method, path, name, operation: Handler(starting), body, deprecations: &[] }
    }
}

impl<App> Clone for Handler<App> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<App> Copy for Handler<App> {}

impl<App> Clone for Starting<App> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<App> Copy for Starting<App> {}

/// Runs the steps of an operation.
fn start<O: Operation>(app: Arc<O::App>, request: AuthenticatedRequest) -> Running {
    Box::pin(async move {
        let mut fields = request.fields();
        let operation = O::read(&mut fields);
        operation.authorize(&request.principal)?;
        let errors = fields.into_errors();
        operation.run(&app, &request, errors).await.map(Into::into)
    })
}
