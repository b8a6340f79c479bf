//! Local stack: all functions behind a gateway, on an embedded `DynamoDB`, in one process.
//!
//! `cargo run` and the tests start the same stack with [`Stack::start`].

pub mod aws_limits;
pub mod connectors;
mod docs;
pub mod embedded;
mod events;
pub mod gateway;
pub mod inbox;
mod local_only;
mod mail;
mod options;
mod page;
mod sample;
mod stack;
mod stats_page;
mod streams;
pub mod terminal_log;

pub use aws_limits::{AwsLimits, LimitCounts, LimitsProxy};
pub use events::{BusMode, EventLog};
pub use local_only::local_hosts_only;
pub use mail::{Mailbox, SentMail, SesMode};
pub use options::{DynamoDb, Options};
pub use sample::DemoKeys;
pub use stack::{Stack, sdk_config};
pub use streams::TableStream;
