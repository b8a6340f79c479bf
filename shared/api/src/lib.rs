//! Path of a request: route, input, authentication, answer, and the mapping of errors to answers.

pub mod answer;
mod auth;
mod body;
mod credential;
mod deprecation;
mod document;
mod edge;
mod error_answer;
mod fields;
pub mod form;
mod html_page;
mod idempotency;
mod input;
mod invocation;
#[cfg(feature = "openapi")]
pub mod openapi;
mod principal_cache;
mod query;
mod rate_limiter;
mod raw_value;
pub mod read;
mod request_context;
mod request_ids;
mod route;
mod serve;
mod speculation;

pub use answer::Answer;
pub use auth::Authenticator;
pub use deprecation::{Deprecation, MIN_NOTICE_MONTHS};
pub use document::serve_document;
pub use edge::{EDGE_SECRET_HEADER, EdgeGate};
pub use fields::{Fields, MAX_ITEMS};
pub use html_page::{HtmlPage, serve_page};
pub use input::Input;
pub use raw_value::RawValue;
pub use route::{Body, Route, is_for};
pub use serve::{AuthenticatedRequest, serve, serve_for_any_principal};
