//! From an event to the operation that it asks for.

use std::collections::HashMap;

use lambda_http::aws_lambda_events::query_map::QueryMap;
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt as _};

/// What an operation does with the body of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Does not look at it.
    Ignored,
    /// Reads one JSON object.
    Json,
}

/// One row of a function's table of routes.
#[derive(Clone, Copy, Debug)]
pub struct Route<Operation> {
    /// Upper case.
    pub method: &'static str,
    /// Segments; a parameter stands in braces and is never empty. A literal segment wins over a parameter.
    pub path: &'static str,
    /// What it is called in logs.
    pub name: &'static str,
    /// What it does.
    pub operation: Operation,
    /// What it does with the body.
    pub body: Body,
}

/// Path parameters by name, decoded.
pub(super) type PathParameters = HashMap<&'static str, String>;

/// Where a request leads.
#[derive(Debug)]
pub(super) enum Routed<'a, Operation> {
    To(&'a Route<Operation>, PathParameters),
    /// The path exists, with these methods.
    MethodNotAllowed(String),
    NotFound,
}

/// Finds the route. The path is put together from the route key and the path parameters, because the path of
/// the event arrives decoded and cut at a `?`; without a route key (local invocation), the path is all there is.
pub(super) fn route<'a, Operation>(routes: &'a [Route<Operation>], request: &Request) -> Routed<'a, Operation> {
    let segments = segments(request);
    let matching: Vec<_> =
        routes.iter().filter_map(|route| Some((route, parameters(route.path, &segments)?))).collect();
    // A path that is spelled out hides the parameters of others: `/user/me` is no user.
    let literal = matching.iter().any(|(_, parameters)| parameters.is_empty());
    let mut allowed = Vec::new();
    for (route, parameters) in matching {
        if literal && !parameters.is_empty() {
            continue;
        }
        if request.method() == route.method {
            return Routed::To(route, parameters);
        }
        allowed.push(route.method);
    }
    if allowed.is_empty() { Routed::NotFound } else { Routed::MethodNotAllowed(allowed.join(", ")) }
}

/// Whether a request is for this path, which has no parameters.
#[must_use]
pub fn is_for(path: &str, request: &Request) -> bool {
    segments(request) == split(path)
}

fn segments(request: &Request) -> Vec<String> {
    let key = match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.route_key.as_deref(),
        _ => None,
    };
    let Some((_, pattern)) = key.and_then(|key| key.split_once(' ')) else {
        return split(request.raw_http_path());
    };
    let parameters = request.path_parameters_ref();
    pattern.split('/').skip(1).flat_map(|segment| substitute(segment, parameters)).collect()
}

fn substitute(segment: &str, parameters: Option<&QueryMap>) -> Vec<String> {
    let value = |name| parameters.and_then(|map| map.first(name)).unwrap_or_default();
    match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        None => vec![segment.to_owned()],
        Some(name) => match name.strip_suffix('+') {
            Some(greedy) => value(greedy).split('/').map(str::to_owned).collect(),
            None => vec![value(name).to_owned()],
        },
    }
}

fn split(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(str::to_owned).collect()
}

fn parameters(path: &'static str, segments: &[String]) -> Option<PathParameters> {
    let pattern: Vec<_> = path.split('/').skip(1).collect();
    if pattern.len() != segments.len() {
        return None;
    }
    let mut parameters = PathParameters::new();
    for (expected, segment) in pattern.into_iter().zip(segments) {
        match expected.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            // The gateway takes no empty parameter either: nothing is no id.
            Some(name) if !segment.is_empty() => {
                parameters.insert(name, segment.clone());
            }
            None if expected == segment => {}
            _ => return None,
        }
    }
    Some(parameters)
}
