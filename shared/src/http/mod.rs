//! HTTP: reading requests, answering them, and the one mapping from errors to answers.

pub mod answer;
mod body;
mod credential;
mod failure;
mod fields;
mod query;
pub mod read;
mod route;
mod serve;

pub use answer::Answer;
pub use fields::{Fields, Given};
pub use route::{Body, Route};
pub use serve::{Call, serve, serve_beside};
