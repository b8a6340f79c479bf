//! Connectors that put back what the embedded database lacks, between an SDK client and its HTTP client.
//!
//! Each of them is a [`ConnectorLayer`], so they compose, and the value stays the handle that steers the client:
//!
//! ```ignore
//! let (faults, lag) = (FaultConnector::new(), LagConnector::new(0));
//! let config = config.http_client(faults.over(lag.over(in_process_client())));
//! faults.restart(Plan::At { call: 3, kind: FaultKind::LoseReply, times: 1 });
//! ```

mod crash;
mod fault;
mod interleaving;
mod lag;
mod network;
mod pause;
mod point_in_time;
mod throughput;

pub use crash::{CrashConnector, CrashPoint};
pub use fault::{Attempt, AttemptOutcome, FaultConnector, FaultKind, Plan};
pub use interleaving::{Event, InterleavingConnector};
pub use lag::LagConnector;
pub use network::{AfterWrite, NetworkCall, NetworkConnector, NetworkFault, WrittenKey};
pub use pause::PauseConnector;
pub use point_in_time::PointInTimeConnector;
pub use presence_local::connectors::{Answer, ConnectorLayer, Next};
pub use throughput::ThroughputConnector;
