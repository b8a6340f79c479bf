//! Reviews that the first edition of the ledger names.

use std::collections::BTreeSet;

use crate::ReviewStore;
use crate::client::read::{Item, Partition, text};
use crate::keys::{MONTH_SK_PREFIX, counts_pk, postings_pk};
use crate::schema;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{Month, ReviewNumber, ReviewSet};
use presence_domain::review::ReviewId;

/// Items in one page of a Query.
const PAGE: i32 = 2_000;
/// Maximum number of pages of a partition: 100 MB, some five million reviews in one month.
const MAX_PAGES: usize = 100;

impl ReviewStore {
    /// Returns the reviews that the first edition names as those of an organisation.
    pub(super) async fn list_first_edition(&self, org_id: OrgId) -> Result<BTreeSet<ReviewNumber>, Error> {
        let set = ReviewSet::Org(org_id);
        let counts = self.query_first_edition(counts_pk(&set)).await?;
        let months: BTreeSet<Month> = counts.iter().filter_map(month_of).collect();
        let mut ids = BTreeSet::new();
        for month in months {
            let postings = self.query_first_edition(postings_pk(&set, month)).await?;
            // Each attribute is a review, named by its id. Names that are no ids are the key of the item.
            let names = postings.iter().flat_map(|item| item.keys());
            ids.extend(names.filter_map(|name| ReviewId::parse(name)).map(|id| ReviewNumber::of(&id)));
        }
        Ok(ids)
    }

    async fn query_first_edition(&self, pk: String) -> Result<Vec<Item>, Error> {
        let table = &schema::REVIEWS;
        let partition =
            Partition { table, index: None, value: text(pk), between: None, page: PAGE, max_pages: MAX_PAGES };
        self.db.query(partition).await
    }
}

/// Returns the month of an item of facet counts; `None` if they are those of a day.
fn month_of(item: &Item) -> Option<Month> {
    Month::parse(item.get("sk")?.as_s().ok()?.strip_prefix(MONTH_SK_PREFIX)?)
}
