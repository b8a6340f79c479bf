//! The harness of the acceptance tests: a [`TestStack`] is a whole local stack with a client that speaks HTTP to it.
//!
//! The embedded database is kinder than AWS: it never throttles, never conflicts and its indexes never lag. [`Faults`] and
//! [`LaggingIndexes`] put that back, at the one place that the code under test cannot see: the HTTP connector of its SDK
//! client. They compose, since each of them is an `HttpClient` over another one.
//!
//! ```ignore
//! let lag = LaggingIndexes::over(plain_http(), 0);
//! let faults = Faults::over(lag.clone());
//! let config = aws_sdk_dynamodb::Config::builder().http_client(faults.clone())/* … */.build();
//! faults.restart(Plan::At { call: 3, kind: FaultKind::LoseReply, times: 1 });
//! ```

pub mod faults;
pub mod fixtures;
pub mod interleaving;
pub mod invitations;
pub mod lag;
pub mod logs;
mod reply;
mod rng;
mod routes;
pub mod test_stack;
mod wire;

pub use faults::{Attempt, Done, FaultKind, Faults, KeyNames, Plan, key_names};
pub use fixtures::{Fixtures, TestUser, address};
pub use lag::LaggingIndexes;
pub use reply::{Reply, send};
pub use rng::rng;
pub use routes::{AnyRoute, path_of, route, routes};
pub use test_stack::{Stored, TestStack, long_timeouts, no_read_wait, rounds, short_retries, short_timeouts};
pub use wire::{plain_http, sdk_config};
