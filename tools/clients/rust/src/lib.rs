#![doc = include_str!("../README.md")]

mod client;
mod error;
mod events;
mod layer;
mod options;
mod pages;
mod pull;
mod retry;
mod verify;

/// Functions and types generated from the description of the API.
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    missing_docs,
    rustdoc::all,
    unreachable_pub,
    unused_imports,
    mismatched_lifetime_syntaxes
)]
#[rustfmt::skip]
pub mod generated; // `tools/clients/generate rust` writes it.

pub use client::PresenceClient;
pub use error::{ApiError, Error, FieldError, Kind};
pub use events::{EventBatch, EventOptions};
pub use generated::{builder, types};
pub use options::{CallOptions, IdempotencyKey, Options, OptionsError};
pub use pages::{Page, PageInfo};
pub use pull::{Batch, PullOptions};
pub use retry::Retry;
pub use verify::{WebhookVerificationError, verify_webhook};
