//! HTTP: reading requests, answering them, and the one mapping from errors to answers.

pub mod answer;
pub mod app;
mod auth;
mod body;
mod credential;
mod document;
mod failure;
mod fields;
pub mod form;
mod invocation;
#[cfg(feature = "openapi")]
pub mod openapi;
mod page;
mod query;
pub mod read;
mod route;
mod serve;

pub use answer::Answer;
pub use document::serve_document;
pub use fields::{Fields, Given, MAX_ITEMS};
pub use page::{Page, serve_page};
pub use route::{Body, Route, is_for};
pub use serve::{Call, Input, serve, serve_anyone};
