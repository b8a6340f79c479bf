//! Request whose key is not verified yet.

use std::net::IpAddr;
use std::sync::Arc;

use lambda_http::Request;
use secrecy::SecretString;

use super::deprecation::{self, DeprecationNotice};
use super::error_answer::RequestError;
use super::idempotency::KeyedChange;
use super::input::Input;
use super::route::{Body, MatchedRoute};
use super::source_address::source_address;
use super::{body, credential, query};

/// Request for an operation, before its key is verified.
pub(super) struct UnverifiedRequest<Operation> {
    pub(super) operation: Operation,
    pub(super) key: Option<SecretString>,
    /// Address that the request comes from; `None` if it is unknown.
    pub(super) source: Option<IpAddr>,
    /// Notice about the deprecated parts that the request uses; `None` if it uses none.
    pub(super) deprecation: Option<DeprecationNotice>,
    /// Idempotency key of a request that is no GET, with what it is for.
    pub(super) change: Option<KeyedChange>,
    pub(super) input: Arc<Input>,
}

impl<Operation: Copy> UnverifiedRequest<Operation> {
    /// Reads the body, the query string and the key of a request. The order decides which error a client sees first.
    pub(super) fn read(matched: MatchedRoute<'_, Operation>, request: &Request) -> Result<Self, RequestError> {
        let MatchedRoute { route, parameters } = matched;
        body::check_size(request)?;
        let mut body = match route.body {
            Body::Json => body::parse(request)?,
            Body::Ignored => Vec::new(),
        };
        let mut query = query::parse(request.uri().query().unwrap_or_default())?;
        let key = credential::take(request, &mut query, &mut body)?;
        let path = route.path_with(&parameters);
        let input = Input::new(request, parameters, query, body, route.body);
        let deprecation = deprecation::notice(route.deprecations, |name| input.has(name));
        let input = Arc::new(input);
        let change = if route.method == "GET" { None } else { KeyedChange::read(request, route.method, path, &input)? };
        Ok(Self { operation: route.operation, key, source: source_address(request), deprecation, change, input })
    }
}
