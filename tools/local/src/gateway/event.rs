//! Lambda events built from HTTP requests, in payload format 2.0.
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

use super::{ACCOUNT_ID, API_ID, RouteMatch};
use crate::host::ApiHost;

/// Bytes of a query that are percent-encoded, as AWS does. `lambda_http` panics on most of them.
const QUERY_ENCODE_SET: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>');

/// Headers that are not forwarded. They concern one connection, except `cookie`, which has its own field in the event.
const REMOVED_HEADERS: [HeaderName; 8] = [
    header::CONNECTION,
    header::COOKIE,
    header::EXPECT,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Fields of the event type that belong to other kinds of events. AWS does not send them for a route.
const REMOVED_FIELDS: [&str; 6] =
    ["type", "methodArn", "httpMethod", "identitySource", "authorizationToken", "resource"];

/// HTTP request as the gateway received it.
#[derive(Clone, Copy, Debug)]
pub struct IncomingRequest<'a> {
    /// Method: any token, also one that HTTP does not define.
    pub method: &'a Method,
    /// Path and query as the client sent them.
    pub target: &'a [u8],
    /// HTTP version.
    pub version: Version,
    /// Headers as the client sent them.
    pub headers: &'a HeaderMap,
    /// Whole body.
    pub body: &'a [u8],
    /// Host: the result of [`ApiHost::from_headers`].
    pub host: &'a ApiHost,
    /// IP address of the client.
    pub source_ip: IpAddr,
    /// Request id of the gateway.
    pub request_id: &'a str,
    /// Trace id in the format of the header `x-amzn-trace-id`.
    pub trace_id: &'a str,
    /// Time at which the gateway received the request.
    pub received_at: Timestamp,
}

impl<'a> IncomingRequest<'a> {
    /// Returns the path as the client sent it, without the query.
    pub fn path(&self) -> &'a [u8] {
        self.target.split(|byte| *byte == b'?').next().unwrap_or_default()
    }

    fn query(&self) -> &'a [u8] {
        self.target.get(self.path().len() + 1..).unwrap_or_default()
    }
}

/// Builds the event of a request for its route.
pub fn build<Function>(request: &IncomingRequest<'_>, route: &RouteMatch<'_, Function>) -> ApiGatewayV2httpRequest {
    let path = cut_at_question_mark(&percent_decoded(request.path()));
    let path = if path.starts_with('/') { path } else { format!("/{path}") };
    let query = percent_encode(request.query(), QUERY_ENCODE_SET).to_string();
    let (body, is_base64_encoded) = encode_body(request);
    let mut event = ApiGatewayV2httpRequest::default();
    event.version = Some("2.0".to_owned());
    event.route_key = Some(route.key.to_owned());
    event.raw_path = Some(path.clone());
    event.query_string_parameters = query.parse().unwrap_or_default();
    event.raw_query_string = Some(query);
    event.cookies = split_cookies(request.headers);
    event.headers = forwarded_headers(request);
    event.path_parameters =
        route.path_parameters.iter().map(|(name, value)| (name.clone(), cut_at_question_mark(value))).collect();
    event.request_context = request_context(request, route.key, path);
    event.body = body;
    event.is_base64_encoded = is_base64_encoded;
    event
}

/// Serializes the event to the JSON that Lambda passes to a function.
///
/// # Errors
/// Returns an error only if serde cannot serialize the event. No request causes one.
pub fn to_json(event: &ApiGatewayV2httpRequest) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_value(event)?;
    if let Some(fields) = json.as_object_mut() {
        fields.retain(|name, _| !REMOVED_FIELDS.contains(&name.as_str()));
        if event.stage_variables.is_empty() {
            fields.remove("stageVariables");
        }
    }
    serde_json::to_vec(&json)
}

/// Percent-decodes text. Invalid UTF-8 becomes U+FFFD, and an invalid escape stays as it is.
pub(super) fn percent_decoded(encoded: &[u8]) -> String {
    percent_decode(encoded).decode_utf8_lossy().into_owned()
}

/// Returns the text before the first `?`: AWS decodes a path, then splits off the query once more.
fn cut_at_question_mark(decoded: &str) -> String {
    decoded.split('?').next().unwrap_or_default().to_owned()
}

fn request_context(request: &IncomingRequest<'_>, route_key: &str, path: String) -> ApiGatewayV2httpRequestContext {
    let mut http = ApiGatewayV2httpRequestContextHttpDescription::default();
    http.method = request.method.clone();
    http.path = Some(path);
    http.protocol = Some(format!("{:?}", request.version));
    http.source_ip = Some(request.source_ip.to_string());
    http.user_agent = Some(joined_values(request.headers, &header::USER_AGENT));
    let mut context = ApiGatewayV2httpRequestContext::default();
    context.account_id = Some(ACCOUNT_ID.to_owned());
    context.apiid = Some(API_ID.to_owned());
    context.domain_name = Some(request.host.name().to_owned());
    context.domain_prefix = Some(request.host.prefix().to_owned());
    context.http = http;
    context.request_id = Some(request.request_id.to_owned());
    context.route_key = Some(route_key.to_owned());
    context.stage = Some("$default".to_owned());
    context.time = Some(request.received_at.strftime("%d/%b/%Y:%H:%M:%S +0000").to_string());
    context.time_epoch = request.received_at.as_millisecond();
    context
}

/// Returns the headers of the event: repeated ones joined with commas, and those that a gateway adds or overrides.
fn forwarded_headers(request: &IncomingRequest<'_>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for name in request.headers.keys().filter(|name| !REMOVED_HEADERS.contains(name)) {
        set_header(&mut headers, name.clone(), &joined_values(request.headers, name));
    }
    let forwarded = HeaderName::from_static("x-forwarded-for");
    let client_value = joined_values(request.headers, &forwarded);
    let separator = if client_value.is_empty() { "" } else { ", " };
    set_header(&mut headers, forwarded, &format!("{client_value}{separator}{}", request.source_ip));
    set_header(&mut headers, HeaderName::from_static("x-forwarded-port"), &request.host.port().to_string());
    set_header(&mut headers, HeaderName::from_static("x-forwarded-proto"), "http");
    set_header(&mut headers, HeaderName::from_static("x-amzn-trace-id"), request.trace_id);
    set_header(&mut headers, header::HOST, request.host.authority());
    set_header(&mut headers, header::CONTENT_LENGTH, &request.body.len().to_string());
    headers
}

/// Sets a header. A value that is not valid is left out; text from valid headers always is.
fn set_header(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        headers.insert(name, value);
    }
}

/// Joins the values of a header with commas. Bytes that are not UTF-8 become U+FFFD, because JSON is UTF-8.
fn joined_values(headers: &HeaderMap, name: &HeaderName) -> String {
    let values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.collect::<Vec<_>>().join(",")
}

fn split_cookies(headers: &HeaderMap) -> Option<Vec<String>> {
    let values = headers.get_all(header::COOKIE).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let cookies: Vec<String> = values
        .flat_map(|value| value.split(';').map(|cookie| cookie.trim().to_owned()).collect::<Vec<_>>())
        .filter(|cookie| !cookie.is_empty())
        .collect();
    (!cookies.is_empty()).then_some(cookies)
}

fn encode_body(request: &IncomingRequest<'_>) -> (Option<String>, bool) {
    if request.body.is_empty() {
        return (None, false);
    }
    match std::str::from_utf8(request.body) {
        Ok(text) if is_textual(request.headers) => (Some(text.to_owned()), false),
        _ => (Some(BASE64_STANDARD.encode(request.body)), true),
    }
}

/// True if an HTTP API forwards the body as text; all others are base64, also forms and bodies without a type.
///
/// AWS does not document the list. Measured against AWS: <https://github.com/ministackorg/ministack/pull/766>.
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
