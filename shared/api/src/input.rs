//! Input of a request: its parameters, body and key, read before the key is verified.

use std::sync::Arc;

use lambda_http::Request;
use secrecy::SecretString;
use serde_json::Value;

use super::deprecation::{self, DeprecationNotice};
use super::error_answer::RequestError;
use super::fields::Fields;
use super::idempotency::KeyedChange;
use super::route::{Body, MatchedRoute, PathParameters};
use super::{body, credential, query};

/// Parameters and body of a request, without its key.
#[derive(Debug)]
pub struct Input {
    parameters: PathParameters,
    query: Vec<(String, String)>,
    body: Vec<(String, Value)>,
}

impl Input {
    /// Returns a path parameter, decoded. It is empty if the route has none of that name.
    #[must_use]
    pub fn path(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", String::as_str)
    }

    /// Returns the parameters of the query string.
    #[must_use]
    pub fn query(&self) -> Fields<'_> {
        Fields::of_query(&self.query)
    }

    /// True if the query string or the body has this name.
    fn has(&self, name: &str) -> bool {
        self.query.iter().any(|(other, _)| other == name) || self.body.iter().any(|(other, _)| other == name)
    }

    /// Returns the fields of the body as they were sent, without the key.
    pub(super) fn body_fields(&self) -> &[(String, Value)] {
        &self.body
    }

    /// Returns the fields of the body, for an operation without query parameters.
    #[must_use]
    pub fn body(&self) -> Fields<'_> {
        Fields::of_body(&self.query, &self.body)
    }
}

/// Request for an operation, before its key is verified.
pub(super) struct UnverifiedRequest<Operation> {
    pub(super) operation: Operation,
    /// True if the operation changes nothing. Only such an operation may start before the key is verified.
    pub(super) is_read_only: bool,
    pub(super) key: Option<SecretString>,
    /// Notice about the deprecated parts that the request uses; `None` if it uses none.
    pub(super) deprecation: Option<DeprecationNotice>,
    /// Idempotency key of an operation that changes something, with what it is for.
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
        let input = Input { parameters, query, body };
        let deprecation = deprecation::notice(route.deprecations, |name| input.has(name));
        let (operation, is_read_only, input) = (route.operation, route.method == "GET", Arc::new(input));
        let change = if is_read_only { None } else { KeyedChange::read(request, route.method, path, &input)? };
        Ok(Self { operation, is_read_only, key, deprecation, change, input })
    }
}
