//! Items of the first edition of the ledger: facet counts and postings.
//!
//! - A **counts item** holds the facet counts of one review set in one month or one day, an attribute for each facet key.
//! - A **postings item** holds postings of one review set, day, facet key and shard, an attribute for each review.

use crate::client::read::{Item, pk_sk};
use crate::keys::COUNTS_PK_PREFIX;
use presence_domain::ledger::{FacetCounts, FacetKey};
use presence_domain::review::{Review, ReviewId};

/// Prefix of the attributes of a counts item. The number of the facet key follows.
const COUNT_PREFIX: char = 'c';

/// The ledger's entry for one review: enough to filter and to order it without reading the review.
///
/// The order of the fields is the order of search results: by effective second, then by id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    /// Effective second since 1970.
    pub(super) effective_at: i64,
    pub(super) id: ReviewId,
    pub(super) facet_key: FacetKey,
}

impl Posting {
    /// Returns the posting that a review should have.
    pub(super) fn of(review: &Review) -> Self {
        Self { effective_at: review.effective_at(), id: review.id.clone(), facet_key: FacetKey::of(review) }
    }
}

/// Primary key of a counts item or a postings item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LedgerKey {
    pub(super) pk: String,
    pub(super) sk: String,
}

impl LedgerKey {
    /// True for a counts item, false for a postings item.
    pub(super) fn is_counts(&self) -> bool {
        self.pk.starts_with(COUNTS_PK_PREFIX)
    }

    /// Returns the key as attributes.
    pub(super) fn to_item(&self) -> Item {
        pk_sk(&self.pk, &self.sk)
    }
}

/// Returns the update expression that sets and removes attributes. At least one of the lists must not be empty.
pub(super) fn update_expression(sets: &[String], removes: &[String]) -> String {
    let clauses = [("SET", sets), ("REMOVE", removes)];
    let clauses = clauses.iter().filter(|(_, parts)| !parts.is_empty());
    clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect::<Vec<_>>().join(" ")
}

/// Returns the name of the attribute that counts a facet key.
pub(super) fn count_attribute(facet_key: FacetKey) -> String {
    format!("{COUNT_PREFIX}{}", facet_key.number())
}

/// Reads a counts item. Attributes that count no facet key are skipped.
pub(super) fn read_counts(item: &Item) -> FacetCounts {
    let mut counts = FacetCounts::default();
    for (name, value) in item {
        let number = name.strip_prefix(COUNT_PREFIX).and_then(|number| number.parse().ok());
        let facet_key = number.and_then(FacetKey::from_number);
        let count = value.as_n().ok().and_then(|digits| digits.parse().ok());
        if let (Some(facet_key), Some(count)) = (facet_key, count) {
            counts.add(facet_key, count);
        }
    }
    counts
}
