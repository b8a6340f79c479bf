//! An API Gateway HTTP API in miniature: plain HTTP becomes a genuine event of payload format 2.0, goes through a
//! function as a Lambda would see it, and the function's answer becomes HTTP again.
//!
//! What it keeps of AWS: the choice of routes, the shape of the event, the decoding of paths, the limits and the
//! gateway's own answers. What it leaves out: authorizers, CORS, throttling, stages, custom domains, streaming.

pub mod event;
mod function;
mod host;
mod reply;
mod routes;
mod server;

pub use function::{InvokeError, LocalFunction, MEMORY_MB};
pub use host::{ApiHost, InvalidHost};
pub use routes::{RouteMatch, RouteTable};
pub use server::Gateway;

/// The account that owns the local API: no real one has this number.
const ACCOUNT_ID: &str = "000000000000";

/// The identifier of the local API.
const API_ID: &str = "local";
