//! The domain of presence: types, rules, state transitions and the policy table.
//!
//! Pure: this crate knows no AWS, HTTP, environment or clock. Functions that need the time take it as an argument.

pub mod access;
pub mod api_key;
pub mod audit;
mod authorship;
pub mod business_directory;
pub mod calendar;
pub mod category;
pub mod display;
pub mod email;
pub mod email_pattern;
pub mod error;
pub mod event;
pub mod feed;
pub mod fuzzy;
pub mod idempotency;
pub mod ids;
pub mod ingest;
pub mod instant;
pub mod invitation;
pub mod json_row;
pub mod key_rights;
mod listed_enum;
pub mod network;
pub mod page;
pub mod password;
pub mod patch;
pub mod random;
pub mod rate_limit;
pub mod restore;
pub mod review;
pub mod review_stats;
pub mod secret_hash;
pub mod suggestion;
pub mod text;
pub mod user;
pub mod user_directory;
pub mod webhook;
pub mod webhook_id;
pub mod work;
