//! Path of a request: route, input, authentication, answer, and the mapping of errors to answers.

mod accept_encoding;
pub mod answer;
mod auth;
mod body;
mod content;
mod credential;
mod deprecation;
mod document;
mod edge;
mod entity_tag;
mod error_answer;
mod fields;
pub mod form;
mod gzip;
mod html_page;
mod idempotency;
mod input;
mod invocation;
#[cfg(feature = "openapi")]
pub mod openapi;
mod page_links;
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
pub use document::Document;
pub use edge::{EDGE_HOST_HEADER, EDGE_SECRET_HEADER, EdgeGate};
pub use entity_tag::EntityTag;
pub use fields::{Fields, MAX_ITEMS};
pub use html_page::{HtmlPage, serve_page};
pub use input::Input;
pub use raw_value::RawValue;
pub use route::{Body, Route, is_for};
pub use serve::{AuthenticatedRequest, serve, serve_for_any_principal};
