//! What a contender answers, and what that took.

use std::time::Duration;

use anyhow::ensure;
use presence::store::meter::Cost;

use super::search::Search;

/// Who is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Contender {
    Ledger,
    Thin,
    Postgres,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) count: u64,
    pub(super) max_page: u64,
    /// The reviews on the page, in order.
    pub(super) ids: Vec<String>,
    /// Nothing where there is no `DynamoDB`.
    pub(super) cost: Cost,
    pub(super) elapsed: Duration,
}

impl Contender {
    /// In words.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ledger => "ledger",
            Self::Thin => "thin index",
            Self::Postgres => "PostgreSQL",
        }
    }
}

impl Answer {
    /// Fails where the other does not say the same, or where this is not what was counted when the reviews were made.
    pub(super) fn agrees(&self, other: &Self, search: &Search, who: Contender) -> anyhow::Result<()> {
        let said = |answer: &Self| (answer.count, answer.max_page);
        let name = search.name();
        ensure!(self.count == search.matching, "{name}: {} match, the ledger counts {}", search.matching, self.count);
        ensure!(said(self) == said(other), "{name}: count and last page differ: {who:?} has {:?}", said(other));
        ensure!(self.ids == other.ids, "{name}: {who:?} has other reviews on the page, or in another order");
        let expected = search.page.range(self.count).count();
        ensure!(self.ids.len() == expected, "{name}: {} reviews on a page of {expected}", self.ids.len());
        Ok(())
    }
}
