//! Counts of the effects of the limits, so that a test can show that they had some.

/// The number of times that each limit had an effect since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitCounts {
    /// Calls of the data plane.
    pub calls: u64,
    /// Calls that were throttled as a whole, transactions included.
    pub throttled: u64,
    /// Keys and items of batches that were left unprocessed.
    pub unprocessed: u64,
    /// Calls refused or cancelled because of another transaction.
    pub conflicted: u64,
    /// Cancellations with different reasons at different items.
    pub mixed_cancellations: u64,
    /// PageTruncation that ended sooner than they had to, the empty ones included.
    pub truncated_pages: u64,
    /// Empty pages with more behind them.
    pub empty_pages: u64,
    /// Answers of an index that differ from what the index holds by now.
    pub stale_pages: u64,
    /// Index reads whose lag is not modelled: Scans, filters and nested projections. They are answered as the index is.
    pub unlagged_reads: u64,
    /// Calls refused for their size.
    pub too_large: u64,
}
