//! Generated reviews, a synthetic `DynamoDB` over them, and the cost of an operation. The benchmarks use all of them.

pub mod cost;
pub mod distribution;
pub mod synthetic_dynamodb;
