//! Tests of the `ops` binary against an embedded database: output, exit codes and stored items.

mod audit;
mod categories;
mod cli_env;
mod connection;
mod credentials;
mod doctor;
mod errors;
mod export;
mod fake_aws;
mod fake_bucket;
mod imports;
mod keys;
mod lists;
mod offline;
mod outbox;
mod proxy;
mod remote;
mod restore;
mod reviews;
mod rows;
mod runbooks;
mod status;
mod tables;
mod user_changes;
mod users;
mod whois;
