//! The way of every request: route, read, authenticate, act, answer, log.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use lambda_http::Request;
use lambda_http::http::Response;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::failure::{Failure, Rejection, answer};
use super::fields::Fields;
use super::invocation::Invocation;
use super::route::{PathParameters, Routed, route};
use super::{Answer, Body, Route, body, credential, query};
use crate::access::Principal;
use crate::app::App;
use crate::auth::{Authenticated, authenticate};
use crate::error::Error;
use crate::store::meter::beside as metered;

/// How long the note of a key's use may keep an answer waiting. It is only a note.
const NOTE_TIME: Duration = Duration::from_millis(500);

/// An authenticated request.
#[derive(Debug)]
pub struct Call {
    /// Who calls.
    pub principal: Principal,
    parameters: PathParameters,
    query: Vec<(String, String)>,
    body: Vec<(String, Value)>,
}

impl Call {
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

/// A request that was read, before its key is looked at.
struct Read<Operation> {
    operation: Operation,
    key: Option<SecretString>,
    parameters: PathParameters,
    query: Vec<(String, String)>,
    body: Vec<(String, Value)>,
}

/// Serves one request of a function: never fails, and is never later than the runtime's deadline. `act` does
/// the operation once the caller is known.
pub fn serve<Operation, Act, Acting>(
    app: Arc<App>,
    routes: &'static [Route<Operation>],
    request: Request,
    act: Act,
) -> impl Future<Output = Response<lambda_http::Body>>
where
    Operation: Copy,
    Act: FnOnce(Arc<App>, Operation, Call) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    serve_beside(app, routes, request, std::future::ready(()), |app, operation, call, ()| act(app, operation, call))
}

/// As [`serve`], with a read that every operation needs and that depends on nothing in the request: it runs beside that
/// of the key, in the same wave. What it found is dropped when the key gives no access, and it is not begun for a key
/// that is malformed.
pub async fn serve_beside<Operation, Found, Act, Acting>(
    app: Arc<App>,
    routes: &'static [Route<Operation>],
    request: Request,
    beside: impl Future<Output = Found>,
    act: Act,
) -> Response<lambda_http::Body>
where
    Operation: Copy,
    Act: FnOnce(Arc<App>, Operation, Call, Found) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    let invocation = Invocation::of(&request);
    let mut name = "none";
    let outcome = match read(routes, &request, &mut name) {
        Ok(read) => invocation.run(Box::pin(perform(app, read, beside, act))).await.map_err(Failure::from),
        Err(failure) => Err(failure),
    };
    if let Err(Failure::Refused(error)) = &outcome {
        invocation.log_error(name, error);
    }
    let answer = outcome.unwrap_or_else(|failure| answer(&failure));
    invocation.log_request(name, answer.status);
    answer.into_response(invocation.request_id())
}

fn read<Operation: Copy>(
    routes: &'static [Route<Operation>],
    request: &Request,
    name: &mut &'static str,
) -> Result<Read<Operation>, Failure> {
    let (route, parameters) = match route(routes, request) {
        Routed::To(route, parameters) => (route, parameters),
        Routed::MethodNotAllowed(allowed) => return Err(Rejection::MethodNotAllowed(allowed).into()),
        Routed::NotFound => return Err(Error::NotFound.into()),
    };
    *name = route.name;
    body::check_size(request)?;
    let mut body = match route.body {
        Body::Json => body::parse(request)?,
        Body::Ignored => Vec::new(),
    };
    let mut query = query::parse(request.uri().query().unwrap_or_default())?;
    let key = credential::take(request, &mut query, &mut body)?;
    Ok(Read { operation: route.operation, key, parameters, query, body })
}

async fn perform<Operation, Found, Act, Acting>(
    app: Arc<App>,
    read: Read<Operation>,
    beside: impl Future<Output = Found>,
    act: Act,
) -> Result<Answer, Error>
where
    Act: FnOnce(Arc<App>, Operation, Call, Found) -> Acting,
    Acting: Future<Output = Result<Answer, Error>>,
{
    let Read { operation, key, parameters, query, body } = read;
    let key = key.as_ref().map(ExposeSecret::expose_secret);
    // The key is polled first: refused without a read, it is all that happens.
    // On the heap: the SDK's futures are large, and every hand that they go through would hold a copy.
    let authenticating = metered(Box::pin(authenticate(&app.store, key, app.clock.now())));
    let beside = metered(Box::pin(async { Ok(beside.await) }));
    let (caller, found) = futures::try_join!(authenticating, beside)?;
    let call = Call { principal: caller.principal, parameters, query, body };
    let acting = act(Arc::clone(&app), operation, call, found);
    let (outcome, ()) = futures::join!(metered(Box::pin(acting)), metered(Box::pin(note_use(&app, &caller))));
    outcome
}

/// Notes that the key was used, at most once an hour, beside the operation's own calls.
async fn note_use(app: &App, caller: &Authenticated) {
    let Some(used_at) = caller.record_use_at else { return };
    let noting = tokio::time::timeout(NOTE_TIME, app.store.touch_api_key(&caller.key, used_at));
    if !matches!(noting.await, Ok(Ok(()))) {
        tracing::debug!("the use of a key was not noted");
    }
}
