//! The one driver of the acceptance tests: a single binary links once and starts once.

mod api;
mod audit_trail;
mod authorization;
mod canary;
mod concurrency;
mod deploy;
mod events;
mod faults;
mod faults_selftest;
mod feed;
mod imports;
mod ingest;
mod ledger;
mod limits;
mod mail;
mod properties;
mod rate_limits;
mod replies;
mod request_log;
mod restore;
mod robustness;
mod store;
mod system;
mod webhooks;
