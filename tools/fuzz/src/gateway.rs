//! Functions of the API, with events of the gateway such as those in `events/`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use presence_local::gateway::{InvokeError, MAX_HEAD_BYTES};
use presence_local::replay::answer;
use serde_json::{Value, json};

use crate::stack::with_stack;

/// Returns the function that has the path, as in the template.
fn function_of(path: &str) -> &'static str {
    let is_below = |prefixes: &[&str]| prefixes.iter().any(|prefix| path.starts_with(prefix));
    match path {
        _ if is_below(&["/api/v2/user", "/invitation"]) => "users",
        _ if is_below(&["/api/v2/reviews", "/api/v2/business"]) => "reviews",
        _ if is_below(&["/api/v2/events", "/api/v2/webhooks"]) => "feed",
        _ => "categories",
    }
}

/// True if the gateway can pass such an event. `lambda_http` refuses others, or panics at them.
fn is_from_gateway(event: &Value) -> bool {
    let http = &event["requestContext"]["http"];
    if !http["path"].is_string() || !http["method"].is_string() {
        return false;
    }
    let text = |name: &str| event[name].as_str().unwrap_or_default();
    let is_encoded = |byte: u8| byte.is_ascii_graphic() && !b"\"<>".contains(&byte);
    let (path, query, body) = (text("rawPath"), text("rawQueryString"), text("body"));
    if !path.starts_with('/') || query.len() > MAX_HEAD_BYTES || !query.bytes().all(is_encoded) {
        return false;
    }
    event["isBase64Encoded"] != true || BASE64_STANDARD.decode(body).is_ok()
}

/// Gives an event the host of a gateway, which checks it. `lambda_http` panics at a host or scheme that makes no URL.
fn set_host(event: &mut Value) {
    event["requestContext"]["domainName"] = json!("a1b2c3d4e5.execute-api.eu-west-1.amazonaws.com");
    if let Some(headers) = event["headers"].as_object_mut() {
        headers.retain(|name, _| !["host", "x-forwarded-proto"].contains(&&*name.to_ascii_lowercase()));
    }
}

/// Checks that no function panics, hangs or answers 500.
///
/// # Panics
/// Panics if one does.
pub fn gateway(bytes: &[u8]) {
    let Ok(mut event) = serde_json::from_slice::<Value>(bytes) else { return };
    if !is_from_gateway(&event) {
        return;
    }
    set_host(&mut event);
    let path = event["requestContext"]["http"]["path"].as_str().unwrap_or_default();
    // It would send a request to any address.
    if path.ends_with("/test") {
        return;
    }
    match with_stack(async |stack| answer(stack.function(function_of(path)).expect("a function"), &event).await) {
        Ok(answer) => assert_ne!(answer["status"], 500, "{answer}"),
        // The panic of a function ends the fuzzer by itself. What is left are events that the gateway never sends.
        Err(InvokeError::Failed | InvokeError::EventTooLarge) => {}
        Err(InvokeError::TimedOut) => panic!("no answer in time"),
    }
}
