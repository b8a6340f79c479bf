//! Faults that the simulation must find.

use jiff::{SignedDuration, Timestamp};

use crate::rate_limit::TatChange;

crate::listed_enum! {
    /// Fault that is planted in a run.
    pub(super) enum PlantedFault {
        /// The clocks of the functions jump within a minute.
        WrongClocks,
        /// A lease lives on for a minute.
        LongLeases,
        /// A write adds to the arrival time although the bucket has been full for any time.
        UnlimitedDrift,
        /// A write adds to the arrival time although the bucket is empty.
        MissingCapacity,
        /// A write restarts a bucket that is not full.
        UnconditionalRestart,
        /// A write takes one token, whatever the lease holds.
        CheapLeases,
        /// A refusal does not count as one: the request passes.
        IgnoredRefusals,
        /// A lease always holds all tokens that one may hold.
        LargeLeases,
        /// A write that is declined counts as a refusal.
        NoSecondWrite,
    }
}

impl PlantedFault {
    /// True if the fault lets too few requests pass, not too many.
    pub(super) fn harms_callers(self) -> bool {
        matches!(self, Self::LargeLeases | Self::NoSecondWrite)
    }

    /// Applies a write to the arrival time, as the faulty database does.
    pub(super) fn apply(self, change: TatChange, tokens: u32, tat: Option<Timestamp>) -> Result<Timestamp, Timestamp> {
        match (self, change) {
            (Self::UnlimitedDrift, TatChange::Advance { by, start, to, .. }) => {
                TatChange::Advance { by, start, from: Timestamp::MIN, to }.apply(tat)
            }
            (Self::MissingCapacity, TatChange::Advance { by, start, from, .. }) => {
                TatChange::Advance { by, start, from, to: Timestamp::MAX }.apply(tat)
            }
            (Self::UnconditionalRestart, TatChange::Restart { tat, .. }) => Ok(tat),
            (Self::CheapLeases, TatChange::Advance { by, start, from, to }) => {
                let by =
                    SignedDuration::from_micros(i64::try_from(by.as_micros()).unwrap_or(i64::MAX) / i64::from(tokens));
                TatChange::Advance { by, start, from, to }.apply(tat)
            }
            _ => change.apply(tat),
        }
    }
}
