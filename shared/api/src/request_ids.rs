//! Ids of a request, from its event.

use lambda_http::aws_lambda_events::apigw::ApiGatewayV2httpRequestContext;
use lambda_http::http::{HeaderMap, HeaderName, HeaderValue};
use lambda_http::request::RequestContext;
use lambda_http::{Context, Request, RequestExt as _};
use presence_domain::invitation::ActivationToken;
use presence_runtime::telemetry::RequestIds;

/// Header with the id of the request, which the log has too.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Header with the id that a client gives to its request. The answer repeats a valid one.
pub(crate) const CLIENT_REQUEST_ID: HeaderName = HeaderName::from_static("x-client-request-id");

/// Maximum number of bytes of a client's id.
const MAX_CLIENT_ID_BYTES: usize = 128;
/// Start of every API key.
const KEY_START: &str = "pk_";
/// Name of the root in the header of a trace.
const TRACE_ROOT: &str = "Root=";

/// Reads the ids of a request.
pub(crate) fn of(request: &Request) -> RequestIds {
    let context = request.lambda_context_ref();
    RequestIds {
        request_id: context.map_or("local", |context| &context.request_id).to_owned(),
        gateway_request_id: gateway_context(request).and_then(|context| context.request_id.clone()),
        client_request_id: client_id(request.headers()).map(str::to_owned),
        trace_id: context.and_then(trace_id).map(str::to_owned),
    }
}

/// Adds the ids that every answer has.
pub(crate) fn add_headers(ids: &RequestIds, headers: &mut HeaderMap) {
    let values = [(REQUEST_ID, Some(&ids.request_id)), (CLIENT_REQUEST_ID, ids.client_request_id.as_ref())];
    let values = values.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(value?).ok()?)));
    headers.extend(values);
}

/// Returns the key of the gateway's route, such as `GET /api/v2/user/{user_id}`.
pub(crate) fn route(request: &Request) -> Option<&str> {
    gateway_context(request).and_then(|context| context.route_key.as_deref())
}

/// Returns the context that the gateway gave to the request.
pub(crate) fn gateway_context(request: &Request) -> Option<&ApiGatewayV2httpRequestContext> {
    match request.request_context_ref() {
        Some(RequestContext::ApiGatewayV2(context)) => Some(context),
        _ => None,
    }
}

/// Returns the client's id if it is valid. An invalid one is ignored, so that a client with ids of another form is served too.
fn client_id(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(CLIENT_REQUEST_ID)?.to_str().ok()?;
    let is_valid = (1..=MAX_CLIENT_ID_BYTES).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        // No log may have an API key, or a token of the form that links have.
        && !text.to_ascii_lowercase().contains(KEY_START)
        && ActivationToken::parse(text).is_none();
    is_valid.then_some(text)
}

/// Returns the id of the trace. A client may send the header of a trace, so only an id of the form of X-Ray counts.
fn trace_id(context: &Context) -> Option<&str> {
    let header = context.xray_trace_id.as_deref()?;
    let root = header.split(';').find_map(|part| part.trim().strip_prefix(TRACE_ROOT))?;
    let parts: Vec<_> = root.split('-').collect();
    let is_hex = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_valid = matches!(parts[..], ["1", time, random] if is_hex(time, 8) && is_hex(random, 24));
    is_valid.then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_client_id_of_the_documented_form_counts() {
        let read = |text: &str| {
            let headers = HeaderMap::from_iter([(CLIENT_REQUEST_ID, HeaderValue::from_str(text).expect("a value"))]);
            client_id(&headers).map(str::to_owned)
        };
        for valid in ["a", "job-7:step_2.retry", &"x".repeat(128)] {
            assert_eq!(read(valid).as_deref(), Some(valid));
        }
        let token = ActivationToken::generate();
        for invalid in ["", "a b", "a/b", "a@b.example", "é", "{}", "x-PK_0", &"x".repeat(129), token.expose()] {
            assert_eq!(read(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn only_a_trace_id_of_the_form_of_x_ray_counts() {
        let read = |header: Option<&str>| {
            let mut context = Context::default();
            context.xray_trace_id = header.map(str::to_owned);
            trace_id(&context).map(str::to_owned)
        };
        let id = "1-6b019b48-0123456789abcdef01234567";
        assert_eq!(read(Some(&format!("Root={id};Parent=53995c3f42cd8ad8;Sampled=1"))).as_deref(), Some(id));
        assert_eq!(read(Some(&format!("Self=1-2-3;Root={id}"))).as_deref(), Some(id));
        for invalid in
            [None, Some(""), Some(id), Some("Root=a-secret"), Some("Root=1-6b019b48-x123456789abcdef01234567")]
        {
            assert_eq!(read(invalid), None, "{invalid:?}");
        }
    }
}
