//! What the benchmarks of reviews are made of, for the benchmarks and for tests.

pub mod distribution;
pub mod synthetic_dynamodb;
