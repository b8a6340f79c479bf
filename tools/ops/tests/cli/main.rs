//! Tests of the `ops` binary against an embedded database: output, exit codes and stored items.

mod audit;
mod cli_env;
mod connection;
mod credentials;
mod doctor;
mod errors;
mod events;
mod export;
mod fake_aws;
mod fake_bucket;
mod fake_http;
mod first_key;
mod imports;
mod keys;
mod local;
mod offline;
mod proxy;
mod remote;
mod restore;
mod reviews;
mod rows;
mod runbooks;
mod transcripts;
mod user_changes;
