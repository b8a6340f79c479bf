//! Local stack: all functions behind a gateway, on an embedded `DynamoDB`, in one process.
//!
//! `cargo run` and the tests start the same stack with [`Stack::start`].

mod api_functions;
pub mod aws_limits;
mod changes;
pub mod connectors;
mod deliveries;
mod docs;
pub mod embedded;
mod events;
pub mod first_key;
pub mod gateway;
mod guide;
pub mod history;
mod home;
pub mod host;
pub mod inbox;
mod listen;
mod local_only;
mod mail;
mod options;
mod other_dynamodb;
mod page;
pub mod replay;
mod replies;
mod response;
mod review_pages;
mod sample;
mod stack;
mod streams;
pub mod terminal_log;

pub use api_functions::start as start_functions;
pub use aws_limits::{AwsLimits, LimitCounts, LimitsProxy};
pub use events::{BusMode, EventLog, LocalBus};
pub use home::{SAMPLE_CALLS, SampleCall};
pub use local_only::local_hosts_only;
pub use mail::{Mailbox, SentMail, SesMode};
pub use options::{DynamoDb, Options};
pub use replies::ReplyQueue;
pub use sample::DemoKeys;
pub use stack::{Stack, sdk_config};
pub use streams::TableStream;
