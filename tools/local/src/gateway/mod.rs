//! Local gateway: a small model of an API Gateway HTTP API with Lambda functions behind it.
//!
//! It converts an HTTP request to an event of payload format 2.0, invokes a function as Lambda does, and converts the result
//! to an HTTP response. Route selection, event shape, path decoding, limits and the gateway's own errors follow AWS.
//! Authorizers, CORS, throttling, stages, custom domains and streaming are not modelled.

pub mod event;
mod function;
mod response;
mod routes;
mod server;

pub use function::{InvokeError, LocalFunction, MEMORY_MB, WAVES_HEADER};
pub use routes::{RouteMatch, RouteTable};
pub use server::{Gateway, MAX_HEAD_BYTES};

/// Returns the answer to a request that no route takes.
pub(crate) fn not_found() -> axum::response::Response {
    response::GatewayError::NotFound.into_response()
}

/// Account id in events and ARNs. No real account has it.
const ACCOUNT_ID: &str = "000000000000";

/// Id of the API in events.
const API_ID: &str = "local";
