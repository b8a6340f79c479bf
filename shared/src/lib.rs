//! The domain crate of presence: what its Lambda functions share.
//!
//! Arrows point one way: `http`, `store` and `telemetry` know [`domain`]; `domain` knows none of them.

pub mod access;
pub mod app;
pub mod auth;
pub mod aws;
pub mod clock;
pub mod config;
pub mod domain;
pub mod error;
pub mod http;
#[cfg(feature = "openapi")]
pub mod openapi;
pub mod store;
pub mod telemetry;
pub mod texts;
