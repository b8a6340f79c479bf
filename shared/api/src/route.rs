//! Routes: from an event to the operation that it asks for.

use std::collections::HashMap;

use lambda_http::aws_lambda_events::query_map::QueryMap;
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt as _};

use super::deprecation::Deprecation;
use super::error_answer::RequestError;
use presence_domain::error::Error;

/// Use that an operation makes of the body of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// The operation ignores the body.
    Ignored,
    /// The operation reads one JSON object.
    Json,
}

/// Row of a function's table of routes.
#[derive(Clone, Copy, Debug)]
pub struct Route<Operation> {
    /// Method, in upper case.
    pub method: &'static str,
    /// Path. A parameter stands in braces and is never empty. A literal segment wins over a parameter.
    pub path: &'static str,
    /// Name of the route in logs.
    pub name: &'static str,
    /// Operation of the function.
    pub operation: Operation,
    /// Use of the body.
    pub body: Body,
    /// Marks of the parts that are to be removed; mostly none.
    pub deprecations: &'static [Deprecation],
}

impl<Operation: Copy> Route<Operation> {
    /// Returns the row with marks of the parts that are to be removed.
    #[must_use]
    pub const fn with_deprecations(self, deprecations: &'static [Deprecation]) -> Self {
        Self { deprecations, ..self }
    }
}

impl<Operation> Route<Operation> {
    /// Returns the path with its parameters filled in.
    pub(super) fn path_with(&self, parameters: &PathParameters) -> String {
        let fill_in =
            |segment| parameter_name(segment).and_then(|name| parameters.get(name)).map_or(segment, String::as_str);
        self.path.split('/').map(fill_in).collect::<Vec<_>>().join("/")
    }

    /// Returns the methods of the requests that the route takes. HEAD is a GET without the body of its answer.
    fn methods(&self) -> &[&'static str] {
        const GET: [&str; 2] = ["GET", "HEAD"];
        if self.method == GET[0] { &GET } else { std::slice::from_ref(&self.method) }
    }
}

/// Path parameters by name, decoded.
pub(super) type PathParameters = HashMap<&'static str, String>;

/// Route of a request, with its path parameters.
#[derive(Debug)]
pub(super) struct MatchedRoute<'a, Operation> {
    pub(super) route: &'a Route<Operation>,
    pub(super) parameters: PathParameters,
}

/// Finds the route of a request.
pub(super) fn find<'a, Operation>(
    routes: &'a [Route<Operation>],
    request: &Request,
) -> Result<MatchedRoute<'a, Operation>, RequestError> {
    let segments = path_segments(request);
    let mut matching: Vec<_> = routes.iter().filter_map(|route| MatchedRoute::new(route, &segments)).collect();
    // A literal path hides the routes with parameters: `/user/me` is never the user with the id `me`.
    if matching.iter().any(|matched| matched.parameters.is_empty()) {
        matching.retain(|matched| matched.parameters.is_empty());
    }
    if matching.is_empty() {
        return Err(Error::NotFound.into());
    }
    let allowed: Vec<_> = matching.iter().flat_map(|matched| matched.route.methods()).copied().collect();
    let method = request.method().as_str();
    let found = matching.into_iter().find(|matched| matched.route.methods().contains(&method));
    found.ok_or_else(|| RequestError::MethodNotAllowed(allowed.join(", ")))
}

impl<'a, Operation> MatchedRoute<'a, Operation> {
    /// Returns the route with the parameters of a path; `None` if the path does not match it.
    fn new(route: &'a Route<Operation>, segments: &[String]) -> Option<Self> {
        let pattern: Vec<_> = route.path.split('/').skip(1).collect();
        if pattern.len() != segments.len() {
            return None;
        }
        let mut parameters = PathParameters::new();
        for (expected, segment) in pattern.into_iter().zip(segments) {
            match parameter_name(expected) {
                // The gateway does not match an empty parameter either.
                Some(name) if !segment.is_empty() => {
                    parameters.insert(name, segment.clone());
                }
                None if expected == segment => {}
                _ => return None,
            }
        }
        Some(Self { route, parameters })
    }
}

/// True if the request is for this path, which has no parameters.
pub fn is_for(path: &str, request: &Request) -> bool {
    path_segments(request) == split(path)
}

/// Returns the decoded segments of the request's path.
///
/// They are put together from the route key and the path parameters. The path of the event itself arrives decoded, and ends at an
/// encoded `?`. A local invocation has no route key, so that its path is used as it is.
fn path_segments(request: &Request) -> Vec<String> {
    let key = match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => context.route_key.as_deref(),
        _ => None,
    };
    let Some((_, pattern)) = key.and_then(|key| key.split_once(' ')) else {
        return split(request.raw_http_path());
    };
    let parameters = request.path_parameters_ref();
    pattern.split('/').skip(1).flat_map(|segment| fill_in(segment, parameters)).collect()
}

/// Returns a segment of a route key with its parameter filled in. A greedy parameter, such as `{proxy+}`, holds several segments.
fn fill_in(segment: &str, parameters: Option<&QueryMap>) -> Vec<String> {
    let Some(name) = parameter_name(segment) else { return vec![segment.to_owned()] };
    let greedy = name.strip_suffix('+');
    let value = parameters.and_then(|map| map.first(greedy.unwrap_or(name))).unwrap_or_default();
    if greedy.is_some() { value.split('/').map(str::to_owned).collect() } else { vec![value.to_owned()] }
}

fn split(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(str::to_owned).collect()
}

/// Returns the name inside the braces of a parameter; `None` for a literal segment.
fn parameter_name(segment: &str) -> Option<&str> {
    segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'))
}
