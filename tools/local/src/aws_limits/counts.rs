//! Counts of the effects of the limits. Tests use them to show that the limits were reached.

/// Number of times that each limit had an effect since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitCounts {
    /// Data plane calls.
    pub calls: u64,
    /// Throttled calls, transactions included.
    pub throttled: u64,
    /// Keys and items that a batch returned as unprocessed.
    pub unprocessed: u64,
    /// Calls that were refused or cancelled because of another transaction.
    pub conflicted: u64,
    /// Cancelled transactions with different reasons at different items.
    pub mixed_cancellations: u64,
    /// Pages that ended before their limit, empty ones included.
    pub truncated_pages: u64,
    /// Empty pages that were followed by more items.
    pub empty_pages: u64,
    /// Pages of an index that did not show its current items.
    pub stale_pages: u64,
    /// Index reads without lag, because it is not modelled for them: scans, filters and nested projections.
    pub unlagged_reads: u64,
    /// Calls that were refused because of their size.
    pub too_large: u64,
}
