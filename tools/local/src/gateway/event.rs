//! From an HTTP request to the event that AWS would send: payload format 2.0.
//!
//! Shape: <https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html>.

use std::net::IpAddr;

use aws_lambda_events::apigw::{
    ApiGatewayV2httpRequest, ApiGatewayV2httpRequestContext, ApiGatewayV2httpRequestContextHttpDescription,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, Version};
use jiff::Timestamp;
use percent_encoding::{AsciiSet, CONTROLS, percent_decode, percent_encode};

use super::{ACCOUNT_ID, API_ID, ApiHost, RouteMatch};

/// The bytes of a query that a function never sees raw: `lambda_http` panics on most of them, AWS encodes them.
const NEVER_RAW: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// Headers that concern one connection, not the request. `cookie` has a field of its own in the event.
const NOT_PASSED_ON: [HeaderName; 8] = [
    header::CONNECTION,
    header::COOKIE,
    header::EXPECT,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Fields that the event type has for other kinds of events. AWS does not send them to a route's function.
const FOREIGN_FIELDS: [&str; 6] =
    ["type", "methodArn", "httpMethod", "identitySource", "authorizationToken", "resource"];

/// One request, as it came in.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// Any method, also an invented one.
    pub method: &'a Method,
    /// Path and query as they were sent.
    pub target: &'a [u8],
    /// Of HTTP.
    pub version: Version,
    /// As they were sent.
    pub headers: &'a HeaderMap,
    /// The whole body.
    pub body: &'a [u8],
    /// From [`ApiHost::of`] the headers.
    pub host: &'a ApiHost,
    /// The client's address.
    pub source_ip: IpAddr,
    /// The gateway's identifier of this request.
    pub request_id: &'a str,
    /// In the form of the header `x-amzn-trace-id`.
    pub trace_id: &'a str,
    /// When the request came in.
    pub received_at: Timestamp,
}

impl<'a> Incoming<'a> {
    /// The path as it was sent, without the query.
    pub fn path(&self) -> &'a [u8] {
        self.target.split(|byte| *byte == b'?').next().unwrap_or_default()
    }

    fn query(&self) -> &'a [u8] {
        self.target.get(self.path().len() + 1..).unwrap_or_default()
    }
}

/// The event for a request on its route.
pub fn build(incoming: &Incoming<'_>, route: &RouteMatch<'_>) -> ApiGatewayV2httpRequest {
    let path = decoded_path(incoming.path());
    let query = percent_encode(incoming.query(), NEVER_RAW).to_string();
    let (body, is_base64_encoded) = body_of(incoming);
    let mut event = ApiGatewayV2httpRequest::default();
    event.version = Some("2.0".to_owned());
    event.route_key = Some(route.key.to_owned());
    event.raw_path = Some(path.clone());
    event.query_string_parameters = query.parse().unwrap_or_default();
    event.raw_query_string = Some(query);
    event.cookies = cookies_of(incoming.headers);
    event.headers = headers_of(incoming);
    event.path_parameters =
        route.path_parameters.iter().map(|(name, value)| (name.clone(), cut_at_question_mark(value))).collect();
    event.request_context = context_of(incoming, route, path);
    event.body = body;
    event.is_base64_encoded = is_base64_encoded;
    event
}

/// The event's JSON as Lambda hands it to a function.
///
/// # Errors
/// None that a request could cause; the types allow it.
pub fn to_json(event: &ApiGatewayV2httpRequest) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_value(event)?;
    if let Some(fields) = json.as_object_mut() {
        fields.retain(|name, _| !FOREIGN_FIELDS.contains(&name.as_str()));
        if event.stage_variables.is_empty() {
            fields.remove("stageVariables");
        }
    }
    serde_json::to_vec(&json)
}

/// Percent-decoded text; what is not UTF-8 becomes U+FFFD, what is no valid escape stays as it is.
pub(super) fn percent_decoded(encoded: &[u8]) -> String {
    percent_decode(encoded).decode_utf8_lossy().into_owned()
}

fn decoded_path(encoded: &[u8]) -> String {
    let path = cut_at_question_mark(&percent_decoded(encoded));
    if path.starts_with('/') { path } else { format!("/{path}") }
}

/// AWS decodes first and splits the query off again later, so a decoded `?` ends a path.
fn cut_at_question_mark(decoded: &str) -> String {
    decoded.split('?').next().unwrap_or_default().to_owned()
}

fn context_of(incoming: &Incoming<'_>, route: &RouteMatch<'_>, path: String) -> ApiGatewayV2httpRequestContext {
    let mut http = ApiGatewayV2httpRequestContextHttpDescription::default();
    http.method = incoming.method.clone();
    http.path = Some(path);
    http.protocol = Some(format!("{:?}", incoming.version));
    http.source_ip = Some(incoming.source_ip.to_string());
    http.user_agent = Some(joined(incoming.headers, &header::USER_AGENT));
    let mut context = ApiGatewayV2httpRequestContext::default();
    context.account_id = Some(ACCOUNT_ID.to_owned());
    context.apiid = Some(API_ID.to_owned());
    context.domain_name = Some(incoming.host.name().to_owned());
    context.domain_prefix = Some(incoming.host.prefix().to_owned());
    context.http = http;
    context.request_id = Some(incoming.request_id.to_owned());
    context.route_key = Some(route.key.to_owned());
    context.stage = Some("$default".to_owned());
    context.time = Some(incoming.received_at.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string());
    context.time_epoch = incoming.received_at.as_millisecond();
    context
}

/// Repeats joined with commas, and the headers that a gateway adds or overrides.
fn headers_of(incoming: &Incoming<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for name in incoming.headers.keys().filter(|name| !NOT_PASSED_ON.contains(name)) {
        set(&mut headers, name.clone(), &joined(incoming.headers, name));
    }
    let forwarded = HeaderName::from_static("x-forwarded-for");
    let earlier = joined(incoming.headers, &forwarded);
    let hops = [earlier.as_str(), &incoming.source_ip.to_string()].join(if earlier.is_empty() { "" } else { ", " });
    set(&mut headers, forwarded, &hops);
    set(&mut headers, HeaderName::from_static("x-forwarded-port"), &incoming.host.port().to_string());
    set(&mut headers, HeaderName::from_static("x-forwarded-proto"), "http");
    set(&mut headers, HeaderName::from_static("x-amzn-trace-id"), incoming.trace_id);
    set(&mut headers, header::HOST, incoming.host.authority());
    set(&mut headers, header::CONTENT_LENGTH, &incoming.body.len().to_string());
    headers
}

/// Text taken from valid header values is itself valid; anything else is left out.
fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        headers.insert(name, value);
    }
}

/// JSON holds no other text than UTF-8, so other bytes become U+FFFD.
fn joined(headers: &HeaderMap, name: &HeaderName) -> String {
    let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.collect::<Vec<_>>().join(",")
}

fn cookies_of(headers: &HeaderMap) -> Option<Vec<String>> {
    let values = headers.get_all(header::COOKIE).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let cookies: Vec<String> = values
        .flat_map(|value| value.split(';').map(|cookie| cookie.trim().to_owned()).collect::<Vec<_>>())
        .filter(|cookie| !cookie.is_empty())
        .collect();
    (!cookies.is_empty()).then_some(cookies)
}

fn body_of(incoming: &Incoming<'_>) -> (Option<String>, bool) {
    if incoming.body.is_empty() {
        return (None, false);
    }
    match std::str::from_utf8(incoming.body) {
        Ok(text) if is_textual(incoming.headers) => (Some(text.to_owned()), false),
        _ => (Some(BASE64_STANDARD.encode(incoming.body)), true),
    }
}

/// The media types that an HTTP API passes on as text. AWS lists them nowhere; measured by others against AWS, also
/// that a form and a body without a type are base64: <https://github.com/ministackorg/ministack/pull/766>.
fn is_textual(headers: &HeaderMap) -> bool {
    let Some(Ok(value)) = headers.get(header::CONTENT_TYPE).map(HeaderValue::to_str) else { return false };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_encoded = headers.contains_key(header::CONTENT_ENCODING);
    let is_text = essence.starts_with("text/")
        || ["application/json", "application/javascript", "application/xml"].contains(&essence.as_str());
    is_text && !is_encoded
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
