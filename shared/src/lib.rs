//! The domain crate of the presence service: its types and rules, shared by the Lambda functions and the tools.

pub mod domain;
