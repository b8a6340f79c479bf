//! Limits of AWS in front of a `DynamoDB` that has none.
//!
//! A [`LimitsProxy`] is a `DynamoDB` endpoint that forwards calls to another one. It throttles partitions, tables and indexes,
//! cancels conflicting transactions, truncates pages, lets indexes lag, refuses what is too large, and adds latency. Its
//! random decisions depend on a seed and the number of the call.
//!
//! The rules are pure and take the time as an argument: `token_buckets`, `conflicts`, `pages`, `lag`, `latency`.
//! `layer` applies them to a call: `item_calls` to items, batches and transactions, `reads` and `lagged_pages` to pages. The
//! embedded `DynamoDB` judges conditions, sizes and the order of keys. `proxy` is the HTTP server.
//! `shared/docs/aws-limits.md` lists the rules of AWS with their sources.

mod actions;
mod batches;
mod conflicts;
mod costs;
mod item;
mod item_calls;
mod lag;
mod lagged_pages;
mod latency;
mod layer;
mod pages;
mod proxy;
mod query;
mod reads;
mod response;
mod settings;
mod state;
mod tables;
mod token_buckets;
mod transactions;
mod upstream;

#[cfg(test)]
mod layer_tests;

pub use proxy::LimitsProxy;
pub use settings::{AwsLimits, PageTruncation, Throttling};
pub use state::LimitCounts;
pub use token_buckets::{CapacityKind, CapacityScope};
