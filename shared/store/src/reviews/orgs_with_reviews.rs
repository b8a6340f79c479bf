//! List of the organisations that have, or ever had, reviews.
//!
//! A search over all organisations looks at those in the list.

use std::sync::PoisonError;

use crate::client::read::{Consistency, Item, Order, Partition, pk_sk, text};
use crate::client::tables::Condition;
use crate::keys::{ORGS_WITH_REVIEWS_PK, org_key, parse_org_key};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_runtime::aws::ATTEMPT_TIMEOUT;

/// Organisations in one page of the Query. They are small.
const PAGE: i32 = 2_000;
/// Maximum number of pages: 200,000 organisations.
const MAX_PAGES: usize = 100;

/// Returns the entry of an organisation in the list.
pub(crate) fn listed_org_item(org_id: OrgId) -> Item {
    pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)))
}

impl ReviewStore {
    /// Returns the organisations that have, or ever had, a review.
    pub async fn orgs_with_reviews(&self) -> Result<Vec<OrgId>, Error> {
        Ok(orgs_of(&self.db.query(org_list()).await?))
    }

    /// Opens the connection to DynamoDB by two reads: of the organisations with reviews, half a unit for each 60 of them, and of the moves
    /// of businesses, one unit. So the first search of all organisations starts with both, which it proves. A failure is logged and
    /// ignored: the first request meets it again.
    ///
    /// A function calls this while it starts, in the place of [`Database::connect`](crate::Database::connect).
    pub async fn connect(&self) {
        let list = org_list();
        let page = self.db.query_page_with(&list, None, Consistency::Eventual, Order::Ascending);
        let both = async { futures::try_join!(page, self.known_moves()) };
        if let Ok(Ok(((items, _), _))) = tokio::time::timeout(ATTEMPT_TIMEOUT, both).await {
            self.listed_orgs.set(&orgs_of(&items));
        } else {
            tracing::warn!("DynamoDB did not answer while the function started");
        }
    }

    /// Returns the number of changes in the log of an organisation that its trees lack. Costs a read unit for each 4 KB of the log.
    ///
    /// # Errors
    /// [`Error::Unavailable`] also if the log is too long to be read.
    pub async fn count_unfolded(&self, org_id: OrgId) -> Result<u64, Error> {
        Ok(self.logs.query_log(org_id).await?.unfolded())
    }

    /// Adds an organisation to those with reviews.
    ///
    /// Call it before the organisation's first review is written: a search over all organisations looks at no others. Costs a call the
    /// first time only.
    pub async fn register_org_with_reviews(&self, org_id: OrgId) -> Result<(), Error> {
        let registered = || self.registered_orgs.lock().unwrap_or_else(PoisonError::into_inner);
        if registered().contains(&org_id) {
            return Ok(());
        }
        self.db.put_if(&schema::REVIEWS, listed_org_item(org_id), Condition::NotThere).await?;
        registered().insert(org_id);
        Ok(())
    }
}

/// Returns the partition of the list.
fn org_list() -> Partition<'static> {
    Partition {
        table: &schema::REVIEWS,
        index: None,
        value: text(ORGS_WITH_REVIEWS_PK),
        between: None,
        page: PAGE,
        max_pages: MAX_PAGES,
    }
}

/// Returns the organisations of entries of the list.
fn orgs_of(entries: &[Item]) -> Vec<OrgId> {
    let org_of = |item: &Item| parse_org_key(item.get("sk")?.as_s().ok()?).flatten();
    entries.iter().filter_map(org_of).collect()
}
