//! Support of the acceptance tests.
//!
//! A [`TestStack`] is a whole local stack with a client that speaks HTTP to it, and [`Fixtures`] are users of every role. The
//! embedded database is kinder than AWS: it never throttles, never conflicts, and its indexes never lag. The
//! [`connectors`] put that back where the code under test cannot see it: in the HTTP client of its SDK client.

pub mod connectors;
pub mod fixtures;
pub mod invitations;
pub mod logs;
pub mod ops;
mod options;
mod reply;
pub mod reviews;
mod rng;
mod routes;
pub mod test_stack;
mod wire;

pub use connectors::{
    Attempt, AttemptOutcome, ConnectorLayer, CrashConnector, CrashPoint, FaultConnector, FaultKind,
    InterleavingConnector, LagConnector, NetworkConnector, PauseConnector, Plan, PointInTimeConnector,
};
pub use fixtures::{Fixtures, SavedFixtures, SavedTables, TestUser, address, test_user};
pub use ops::OpsOutput;
pub use options::{
    RETRY_TIME_OF_ENDLESS_FAULTS, calls_apart, counting_waves, long_timeouts, no_read_wait, operator, operator_scope,
    rounds, setting, short_retries, short_timeouts,
};
pub use presence_local::embedded::in_process_client;
pub use reply::{Cost, Reply, send};
pub use reviews::ReviewModel;
pub use rng::rng;
pub use routes::{AnyRoute, SEEDED_REVIEW, SEEDED_WEBHOOK, no_key_of, path_of, route, routes};
pub use test_stack::{StoredUser, TestStack};
pub use wire::{Item, operation_of, put_all, sdk_config};
