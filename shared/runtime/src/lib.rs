//! Parts that every Lambda function needs: settings, clock, logs and AWS clients.

pub mod aws;
pub mod batch_response;
pub mod clock;
pub mod config;
pub mod invocations;
pub mod lines;
pub mod local_stack;
pub mod sign_in_url;
pub mod telemetry;
