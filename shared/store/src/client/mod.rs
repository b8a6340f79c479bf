//! Calls of DynamoDB: reads, transactions, retries and the meaning of failures.

pub(crate) mod attributes;
pub(crate) mod database;
mod dynamo_db;
pub(crate) mod errors;
pub(crate) mod list_position;
pub mod meter;
pub(crate) mod parallel;
mod partition_pace;
pub(crate) mod read;
mod rendering;
pub(crate) mod retry;
pub(crate) mod tables;
pub(crate) mod transaction;
#[cfg(test)]
mod unretried_calls;
pub(crate) mod write;
pub(crate) mod write_rate;
