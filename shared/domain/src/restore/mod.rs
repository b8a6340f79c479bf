//! Restore of the tables to an earlier instant: the changes since that it must not undo.
//!
//! A restore brings back users that were deleted since, keys that were revoked, rights that were taken away, and passwords, links and
//! addresses that were replaced. The audit trail is not restored, so that it tells them all. Nobody may have more rights after a restore
//! than before it, or another way in. A user of whom this cannot be told has no way in.

mod again;
mod changes;
#[cfg(test)]
mod histories;

use jiff::SignedDuration;

pub use again::Restricted;
pub use changes::{ChangesSince, TableSets, TouchedUser};

/// Time before the instant of a restore from which changes are looked at. The trail has the instant at which a function decided on a
/// change, by its own clock. The tables have the instant at which it was written, up to a deadline and its retries later.
pub const MARGIN: SignedDuration = SignedDuration::from_mins(5);
