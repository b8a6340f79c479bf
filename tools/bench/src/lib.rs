//! Generated reviews and a synthetic `DynamoDB` over them. The benchmarks of reviews use both.

pub mod distribution;
pub mod synthetic_dynamodb;
