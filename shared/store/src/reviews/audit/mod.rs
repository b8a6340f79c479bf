//! Audits and rebuilds of the ledger: by the operator, and by a schedule.
//!
//! The [`Auditor`](presence_ledger::audit::Auditor) compares the trees of an organisation with its reviews, which [`listing`] reads, and
//! corrects them.

mod listing;
mod position;
mod rebuild;
mod rebuild_plan;
mod report;
mod scheduled;

pub(crate) use listing::{listed_key, next_key, partition as listing_partition};
pub use position::AuditProgress;
pub use rebuild::RebuildReport;
pub use rebuild_plan::RebuildPlan;
pub use report::ReviewsAudit;
pub use scheduled::{AuditRun, AuditSettings};
