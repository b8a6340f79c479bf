//! Deployment: `template.yaml` and the stacks inside it compared with the code that it deploys, and `events/` with the handlers.

mod alarms;
mod crates;
mod edge;
mod event_streams;
mod events;
mod fixture;
mod global_tables;
mod ingest;
mod ingest_fixture;
mod loaded_reviews;
mod mail;
mod memory;
mod metrics;
mod modules;
mod nested;
mod parameters;
mod permissions;
mod policies;
mod queries;
mod replay;
mod restored_tables;
mod roles;
mod routes;
mod settings;
mod tables;
mod template;
