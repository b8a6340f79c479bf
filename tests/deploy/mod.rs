//! The deployment: `template.yaml` against the code that it deploys, and `events/` against the handlers.

mod alarms;
mod calls;
mod events;
mod fixture;
mod guards;
mod memory;
mod metrics;
mod replay;
mod rights;
mod routes;
mod tables;
mod template;
