//! Entries of `business-index`.

use serde::Deserialize;

use super::item::Posting;
use crate::client::read::{Item, Partition, text};
use crate::format::parse;
use crate::keys::parse_effective_listing;
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::BusinessId;
use presence_domain::ledger::FacetKey;

/// Entries in one page of a Query. They are small, and DynamoDB ends a page at 1 MB anyway.
const PAGE: i32 = 2_000;
/// Maximum number of pages of one business: 200,000 reviews.
const MAX_PAGES: usize = 100;

/// The attributes of an index entry that a search needs.
#[derive(Deserialize)]
struct IndexEntry {
    effective_listing: String,
    cell: u8,
}

impl ReviewStore {
    /// Returns the postings of a business from `business-index`, in a range of its sort keys.
    pub(super) async fn query_business_postings(
        &self,
        id: &BusinessId,
        between: Option<(String, String)>,
    ) -> Result<Vec<Posting>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: Some(&schema::BUSINESS_INDEX),
            value: text(id.as_str()),
            between,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        self.db.query(partition).await?.into_iter().map(read_entry).collect()
    }
}

fn read_entry(item: Item) -> Result<Posting, Error> {
    let entry: IndexEntry = parse(item)?;
    let listing = parse_effective_listing(&entry.effective_listing).zip(FacetKey::from_number(entry.cell));
    let posting = listing.map(|((effective_at, id), facet_key)| Posting { effective_at, id, facet_key });
    posting.ok_or_else(|| Error::internal("an entry of the business index breaks the rules of its fields"))
}
