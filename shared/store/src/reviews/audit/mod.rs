//! Audit of the ledger: its trees, compared with the reviews that they count.
//!
//! The reviews themselves are the truth. An audit takes an organisation's reviews from `listing-index` in slices of the order of
//! time ([`listing`]), reads every tree of the organisation in the same range ([`view`], [`tree_scan`]), and compares
//! ([`differences`]). The index lags and reviews are written meanwhile, so a difference counts only after a second look at
//! reviews that did not change around it ([`confirm`]).

mod confirm;
mod differences;
mod listing;
mod mend;
mod org_state;
mod position;
mod rebuild;
mod rebuild_plan;
mod report;
mod scheduled;
mod tree_scan;
mod view;

use std::time::Duration;

pub(crate) use listing::{listed_key, next_key, partition as listing_partition};
pub use position::AuditProgress;
pub use rebuild::RebuildReport;
pub use rebuild_plan::RebuildPlan;
pub use report::ReviewsAudit;
pub use scheduled::{AuditRun, AuditSettings};

/// Pause after which the items of a transaction have appeared, which takes some milliseconds.
const TRANSACTION_TIME: Duration = Duration::from_millis(200);
