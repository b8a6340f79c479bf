//! The local stack: every function behind a gateway, on an embedded `DynamoDB`, in one process.
//!
//! The stack that developers start is the stack that the tests start: [`Stack::start`].

pub mod aws_limits;
mod docs;
pub mod embedded;
pub mod gateway;
mod local_only;
mod mail;
mod options;
mod sample;
mod stack;

pub use aws_limits::{AwsLimits, LimitCounts, Limits};
pub use local_only::local_hosts_only;
pub use mail::{Mailbox, SentMail, Weather};
pub use options::{DynamoDb, Options};
pub use sample::DemoKeys;
pub use stack::{Stack, sdk_config};
