//! The way of every request: route, read, authenticate, act, answer, log.

use std::future::{Future, ready};
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{Either, OptionFuture};
use lambda_http::Request;
use lambda_http::http::Response;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::error_answer::{RequestError, error_answer};
use super::fields::Fields;
use super::invocation::Invocation;
use super::route::{self, PathParameters, RouteMatch};
use super::{Answer, Body, Route, body, credential, query};
use crate::auth::{Authenticated, Authenticator, authenticate, digest};
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyHash;
use presence_domain::error::Error;
use presence_store::meter::beside as metered;

/// How long the note of a key's use may keep an answer waiting. It is only a note.
const NOTE_TIME: Duration = Duration::from_millis(500);

/// What a request says, its key aside.
#[derive(Debug)]
pub struct Input {
    parameters: PathParameters,
    query: Vec<(String, String)>,
    body: Vec<(String, Value)>,
}

impl Input {
    /// A path parameter, decoded; empty when the route has none of that name.
    #[must_use]
    pub fn path(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", String::as_str)
    }

    /// The parameters of the query string.
    #[must_use]
    pub fn query(&self) -> Fields<'_> {
        Fields::of_query(&self.query)
    }

    /// The fields of the body, of an operation without query parameters.
    #[must_use]
    pub fn body(&self) -> Fields<'_> {
        Fields::of_body(&self.query, &self.body)
    }
}

/// An authenticated request.
#[derive(Debug)]
pub struct AuthenticatedRequest {
    /// Who calls.
    pub principal: Principal,
    input: Arc<Input>,
}

impl Deref for AuthenticatedRequest {
    type Target = Input;

    fn deref(&self) -> &Input {
        &self.input
    }
}

/// A request that was read, before its key is looked at.
struct Read<Operation> {
    operation: Operation,
    /// Whether the operation changes nothing, so that it may be begun before it is known to be allowed.
    is_safe: bool,
    key: Option<SecretString>,
    input: Arc<Input>,
}

/// Serves one request of a function: never fails, and is never later than the runtime's deadline. `act` does
/// the operation once the caller is known.
///
/// An operation that changes nothing is begun beside the look at the key, for whom that key belonged to last: one wave less.
/// If it belongs to somebody else by now, or to nobody, what was found is dropped, and what is answered was asked for by the
/// one whom the key belongs to.
pub async fn serve<Operation, Act, Acting>(
    authenticator: &Authenticator,
    routes: &'static [Route<Operation>],
    request: Request,
    act: Act,
) -> Response<lambda_http::Body>
where
    Operation: Copy,
    Act: Fn(Operation, AuthenticatedRequest) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    respond(routes, &request, |read| perform(authenticator, read, act)).await
}

/// As [`serve`], for operations that change nothing and are the same for every caller: they always run beside the look at
/// the key. What they find is dropped when the key gives no access.
pub async fn serve_anyone<Operation, Act, Acting>(
    authenticator: &Authenticator,
    routes: &'static [Route<Operation>],
    request: Request,
    act: Act,
) -> Response<lambda_http::Body>
where
    Operation: Copy,
    Act: FnOnce(Operation, Arc<Input>) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    respond(routes, &request, |read| perform_for_anyone(authenticator, read, act)).await
}

async fn respond<Operation, Performing>(
    routes: &'static [Route<Operation>],
    request: &Request,
    perform: impl FnOnce(Read<Operation>) -> Performing,
) -> Response<lambda_http::Body>
where
    Operation: Copy,
    Performing: Future<Output = Result<Answer, Error>>,
{
    let invocation = Invocation::start(request);
    let mut name = "none";
    let outcome = match read(routes, request, &mut name) {
        Ok(read) => {
            let outcome = invocation.run(Box::pin(perform(read))).await;
            outcome.and_then(|answer| answer.check_size(invocation.request_id())).map_err(RequestError::from)
        }
        Err(failure) => Err(failure),
    };
    if let Err(RequestError::Domain(error)) = &outcome {
        invocation.log_error(name, error);
    }
    let answer = outcome.unwrap_or_else(|error| error_answer(&error));
    invocation.log_request(name, answer.status);
    answer.into_response(invocation.request_id())
}

fn read<Operation: Copy>(
    routes: &'static [Route<Operation>],
    request: &Request,
    name: &mut &'static str,
) -> Result<Read<Operation>, RequestError> {
    let (route, parameters) = match route::find(routes, request) {
        RouteMatch::Found(route, parameters) => (route, parameters),
        RouteMatch::MethodNotAllowed(allowed) => return Err(RequestError::MethodNotAllowed(allowed)),
        RouteMatch::NotFound => return Err(Error::NotFound.into()),
    };
    *name = route.name;
    body::check_size(request)?;
    let mut body = match route.body {
        Body::Json => body::parse(request)?,
        Body::Ignored => Vec::new(),
    };
    let mut query = query::parse(request.uri().query().unwrap_or_default())?;
    let key = credential::take(request, &mut query, &mut body)?;
    let input = Arc::new(Input { parameters, query, body });
    Ok(Read { operation: route.operation, is_safe: route.method == "GET", key, input })
}

async fn perform<Operation, Act, Acting>(
    authenticator: &Authenticator,
    read: Read<Operation>,
    act: Act,
) -> Result<Answer, Error>
where
    Operation: Copy,
    Act: Fn(Operation, AuthenticatedRequest) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    let Read { operation, is_safe, key, input } = read;
    let key = digest(key.as_ref().map(ExposeSecret::expose_secret))?;
    // On the heap: the SDK's futures are large, and every hand that they go through would hold a copy.
    let begin = |principal| Box::pin(act(operation, AuthenticatedRequest { principal, input: Arc::clone(&input) }));
    let guess = if is_safe { authenticator.callers.guess(&key) } else { None };
    let (caller, early) = admit(authenticator, &key, OptionFuture::from(guess.map(begin))).await?;
    let acting = match early {
        Some(outcome) if guess == Some(caller.principal) => Either::Left(ready(outcome)),
        _ => Either::Right(begin(caller.principal)),
    };
    let (outcome, ()) = futures::join!(metered(acting), metered(Box::pin(note_use(authenticator, &caller))));
    outcome
}

async fn perform_for_anyone<Operation, Act, Acting>(
    authenticator: &Authenticator,
    read: Read<Operation>,
    act: Act,
) -> Result<Answer, Error>
where
    Act: FnOnce(Operation, Arc<Input>) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    let key = digest(read.key.as_ref().map(ExposeSecret::expose_secret))?;
    let acting = Box::pin(act(read.operation, read.input));
    let (caller, outcome) = admit(authenticator, &key, acting).await?;
    note_use(authenticator, &caller).await;
    outcome
}

/// Finds the caller, while something else runs beside; it is dropped when there is none.
async fn admit<F: Future>(
    authenticator: &Authenticator,
    key: &ApiKeyHash,
    beside: F,
) -> Result<(Authenticated, F::Output), Error> {
    let authenticating = metered(Box::pin(authenticate(&authenticator.api_keys, key, authenticator.clock.now())));
    let admitted = futures::try_join!(authenticating, metered(beside.map(Ok)));
    match &admitted {
        Ok((caller, _)) => authenticator.callers.remember(*key, caller.principal),
        Err(_) => authenticator.callers.forget(key),
    }
    admitted
}

/// Notes that the key was used, at most once an hour, beside the operation's own calls.
async fn note_use(authenticator: &Authenticator, caller: &Authenticated) {
    let Some(used_at) = caller.record_use_at else { return };
    let noting = tokio::time::timeout(NOTE_TIME, authenticator.api_keys.record_use(&caller.key, used_at));
    if !matches!(noting.await, Ok(Ok(()))) {
        tracing::debug!("the use of a key was not noted");
    }
}
