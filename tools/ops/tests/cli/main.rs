//! The real `ops` binary against an embedded database: what operators and their scripts meet.

mod aws;
mod categories;
mod credentials;
mod imports;
mod keys;
mod reviews;
mod stage;
mod tables;
mod users;
