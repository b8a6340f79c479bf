//! Bound of the work of one search in directories in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::Error;

/// Maximum work of a search, in units of some 2.5 ns: comparing two letters takes one. It is some 50 ms of CPU. Work that is estimated by
/// the length of a text may take ten times as long, which is still far below the time of a request.
pub(crate) const MAX_WORK: u64 = 20_000_000;

/// Work that a search has done so far. Clones share it: they are of one request, which may search several directories.
#[derive(Clone, Debug, Default)]
pub struct Work(Arc<AtomicU64>);

/// Occurs when a search would take too much CPU. It has the field whose words cause the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooCostlyError(&'static str);

impl Work {
    /// Counts units of work that are about to be done for a field of the search.
    pub(crate) fn add(&self, field: &'static str, units: usize) -> Result<(), TooCostlyError> {
        let before = self.0.fetch_add(units as u64, Ordering::Relaxed);
        if before > MAX_WORK { Err(TooCostlyError(field)) } else { Ok(()) }
    }

    /// Returns the units so far. It tells what a large directory costs from what a small one does.
    #[cfg(test)]
    pub(crate) fn units(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Does all the work that a search may do.
    #[cfg(test)]
    pub(crate) fn exhaust(&self) {
        self.0.fetch_add(MAX_WORK + 1, Ordering::Relaxed);
    }
}

impl From<TooCostlyError> for Error {
    fn from(TooCostlyError(field): TooCostlyError) -> Self {
        Self::invalid_field(field, "is compared with too many or too long words; search for fewer or shorter words")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_beyond_the_maximum_is_refused_also_if_a_clone_did_it() {
        let (work, most) = (Work::default(), usize::try_from(MAX_WORK).expect("it fits"));
        assert_eq!(work.add("query", most), Ok(()));
        assert_eq!(work.clone().add("query", 1), Ok(()), "the work before is the maximum");
        assert_eq!((work.add("query", 1), work.units()), (Err(TooCostlyError("query")), MAX_WORK + 2));
    }
}
