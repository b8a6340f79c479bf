//! What a contender answers, and what that took.

use std::time::Duration;

use anyhow::ensure;
use presence_domain::page::Page;
use presence_store::meter::Cost;

use super::search::Search;

/// Who is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Backend {
    Ledger,
    ThinIndex,
    Postgres,
    /// `PostgreSQL`, page 1 without the count.
    PostgresPageOnly,
    /// `PostgreSQL`, the last page from the other end of the index.
    PostgresReversed,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// None where it was not asked for.
    pub(super) count: Option<u64>,
    /// The reviews on the page, in order.
    pub(super) ids: Vec<String>,
    /// Nothing where there is no `DynamoDB`.
    pub(super) cost: Cost,
    pub(super) elapsed: Duration,
}

impl Backend {
    /// In words.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ledger => "ledger",
            Self::ThinIndex => "thin index",
            Self::Postgres => "PostgreSQL",
            Self::PostgresPageOnly => "PostgreSQL, page alone, without count",
            Self::PostgresReversed => "PostgreSQL, read from the other end",
        }
    }
}

impl Answer {
    /// The number of the last page, as the interface has it.
    fn max_page(&self, search: &Search) -> Option<u64> {
        let page = |count| Page { request: search.page, count, items: Vec::<()>::new() };
        self.count.map(|count| page(count).max_page())
    }

    /// Fails where the other does not say the same, or where this is not what was counted when the reviews were made.
    pub(super) fn ensure_agrees(&self, other: &Self, search: &Search, who: Backend) -> anyhow::Result<()> {
        let (name, match_count) = (search.name(), search.match_count);
        ensure!(self.count == Some(match_count), "{name}: {match_count} match, the ledger counts {:?}", self.count);
        if other.count.is_some() {
            let said = |answer: &Self| (answer.count, answer.max_page(search));
            ensure!(said(self) == said(other), "{name}: count and last page differ: {who:?} has {:?}", said(other));
        }
        ensure!(self.ids == other.ids, "{name}: {who:?} has other reviews on the page, or in another order");
        let expected = search.page.range(match_count).count();
        ensure!(self.ids.len() == expected, "{name}: {} reviews on a page of {expected}", self.ids.len());
        Ok(())
    }
}
