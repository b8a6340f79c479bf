//! Backends of the comparison and their answers.

use std::time::Duration;

use anyhow::ensure;
use presence_bench::cost::Cost;
use presence_domain::page::Page;

use super::search::Search;

/// Backend that answers searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Backend {
    /// Ledger, with an empty cache and open connections.
    ColdLedger,
    /// Ledger, with the cache of all searches so far.
    WarmLedger,
    ThinIndex,
    Postgres,
    /// `PostgreSQL`, for page 1 without the count.
    PostgresPageOnly,
    /// `PostgreSQL`, for the last page, read from the other end of the index.
    PostgresReversed,
}

/// Answer of a backend.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// Number of matching reviews. Absent if the backend does not count.
    pub(super) count: Option<u64>,
    /// Ids of the reviews on the page, in order.
    pub(super) ids: Vec<String>,
    /// Cost in `DynamoDB`. Zero for `PostgreSQL`.
    pub(super) cost: Cost,
    pub(super) elapsed: Duration,
    /// Processor time of the searching thread. Zero if it is not measured.
    pub(super) cpu: Duration,
}

impl Backend {
    /// Returns the name in the report.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::ColdLedger => "ledger, cold",
            Self::WarmLedger => "ledger, warm",
            Self::ThinIndex => "thin index",
            Self::Postgres => "PostgreSQL",
            Self::PostgresPageOnly => "PostgreSQL, page alone, without count",
            Self::PostgresReversed => "PostgreSQL, read from the other end",
        }
    }
}

impl Answer {
    /// Returns the number of the last page, as the API answers it.
    fn max_page(&self, search: &Search) -> Option<u64> {
        let page = |count| Page { request: search.page, count, items: Vec::<()>::new() };
        self.count.map(|count| page(count).max_page())
    }

    /// Fails if another backend answers differently, or if the count is not that of the generator.
    pub(super) fn ensure_agrees(&self, other: &Self, search: &Search, backend: Backend) -> anyhow::Result<()> {
        let (name, expected) = (search.name(), search.match_count);
        ensure!(self.count == Some(expected), "{name}: {expected} match, the ledger counts {:?}", self.count);
        if other.count.is_some() {
            let same_count = self.count == other.count && self.max_page(search) == other.max_page(search);
            ensure!(same_count, "{name}: {backend:?} counts {:?}, not {:?}", other.count, self.count);
        }
        ensure!(self.ids == other.ids, "{name}: {backend:?} has other reviews on the page, or in another order");
        let expected = search.page.range(expected).count();
        ensure!(self.ids.len() == expected, "{name}: {} reviews on a page of {expected}", self.ids.len());
        Ok(())
    }
}
