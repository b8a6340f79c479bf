//! Functions of the API, with events of the gateway such as those in `events/`.

use presence_local::gateway::InvokeError;
use presence_local::replay::answer;
use serde_json::Value;

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

/// Checks that no function panics, hangs or answers 500.
///
/// # Panics
/// Panics if one does.
pub fn gateway(bytes: &[u8]) {
    let Ok(event) = serde_json::from_slice::<Value>(bytes) else { return };
    // The gateway passes these; `lambda_http` refuses an event without them.
    let http = &event["requestContext"]["http"];
    let (Some(path), Some(_)) = (http["path"].as_str(), http["method"].as_str()) else { return };
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
