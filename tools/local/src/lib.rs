//! The local stack: every function behind a gateway, on an embedded `DynamoDB`, in one process.

pub mod embedded;
pub mod gateway;
