//! `DynamoDB` with the limits of AWS, in front of one that has none.
//!
//! A [`LimitsProxy`] is an endpoint of its own. It passes calls on to `DynamoDB` and does to them what AWS would do: it throttles
//! partitions, tables and indexes, cancels transactions that meet, cuts pages, lets indexes lag, refuses what is too large,
//! and takes some milliseconds. Its random decisions follow from a seed and the number of the call.
//!
//! The rules are pure and take the time as an argument: `buckets`, `holds`, `pages`, `lag`, `sizes`, `latency`. `layer` puts
//! them together around a call, `proxy` is the HTTP around the layer. `shared/docs/aws-limits.md` names AWS's own rules.

mod conflicts;
mod counts;
mod item;
mod lag;
mod latency;
mod layer;
mod pages;
mod proxy;
mod query;
mod reads;
mod response;
mod settings;
mod sizes;
mod state;
mod tables;
mod token_buckets;
mod upstream;
mod writes;

#[cfg(test)]
mod layer_tests;

pub use conflicts::{CallKind, ConflictTracker};
pub use counts::LimitCounts;
pub use proxy::LimitsProxy;
pub use settings::{AwsLimits, PageTruncation, Throttling};
