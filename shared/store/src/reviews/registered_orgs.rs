//! List of the organisations that have, or ever had, reviews.
//!
//! A search over all organisations looks at those in the list. The entry of an organisation also tells if its reviews may be in
//! the first edition of the ledger only: then it has no mark.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::{Consistency, Item, Order, Partition, number, pk_sk, text};
use crate::client::write::Condition;
use crate::keys::{ORGS_WITH_REVIEWS_PK, org_key, parse_org_key};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_runtime::aws::ATTEMPT_TIMEOUT;

/// Attribute with the edition of the ledger that has the reviews of an organisation. Without it, that is the first one, unless
/// the organisation has a directory.
const LEDGER: &str = "ledger";
/// Present edition of the ledger.
const LEDGER_EDITION: u64 = 2;
/// Organisations in one page of the Query. They are small.
const PAGE: i32 = 2_000;
/// Maximum number of pages: 200,000 organisations.
const MAX_PAGES: usize = 100;

/// Edition of the ledger that has the reviews of an organisation, by its entry in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registration {
    /// The organisation has no reviews.
    None,
    /// The first edition, unless the organisation has a directory.
    FirstEdition,
    /// The present edition.
    SecondEdition,
}

/// Returns the entry of an organisation in the list.
pub(crate) fn registration_item(org_id: OrgId) -> Item {
    let mut item = pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)));
    item.insert(LEDGER.to_owned(), number(LEDGER_EDITION));
    item
}

impl ReviewStore {
    /// Returns the organisations that have, or ever had, a review.
    pub async fn orgs_with_reviews(&self) -> Result<Vec<OrgId>, Error> {
        Ok(orgs_of(&self.db.query(org_list()).await?))
    }

    /// Opens the connection to DynamoDB by a read of the organisations with reviews, for half a unit for each 60 of them. So the first
    /// search of all organisations starts with a list, which it proves. A failure is logged and ignored: the first request meets it
    /// again.
    ///
    /// A function calls this while it starts, in the place of [`Database::connect`](crate::Database::connect).
    pub async fn connect(&self) {
        let list = org_list();
        let page = self.db.query_page_with(&list, None, Consistency::Eventual, Order::Ascending);
        if let Ok(Ok((items, _))) = tokio::time::timeout(ATTEMPT_TIMEOUT, page).await {
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
        Ok(self.query_log(org_id).await?.unfolded())
    }

    /// Adds an organisation to those with reviews.
    ///
    /// Call it before the organisation's first review is written: a search over all organisations looks at no others.
    ///
    /// # Errors
    /// Occurs also when the reviews of the organisation wait to be migrated: nothing may be written until then.
    pub async fn register_org_with_reviews(&self, org_id: OrgId) -> Result<(), Error> {
        let is_new = self.db.put_if(&schema::REVIEWS, registration_item(org_id), Condition::NotThere).await?;
        if is_new { Ok(()) } else { self.check_migrated(org_id).await }
    }

    /// Checks that no reviews of the organisation wait to be migrated. Reads strongly.
    pub(crate) async fn check_migrated(&self, org_id: OrgId) -> Result<(), Error> {
        if self.registration(org_id).await? != Registration::FirstEdition {
            return Ok(());
        }
        // A migration ends with the mark. One that was interrupted there has stored the directory before.
        if self.query_log(org_id).await?.has_directory {
            return self.mark_migrated(org_id).await;
        }
        Err(not_migrated(org_id))
    }

    /// Marks an organisation as one whose reviews are in the present edition of the ledger.
    pub(crate) async fn mark_migrated(&self, org_id: OrgId) -> Result<(), Error> {
        let put = self.db.client.put_item().table_name(self.db.name(&schema::REVIEWS));
        let put = put.set_item(Some(registration_item(org_id)));
        self.db.retry_throttled(|| put.clone().send()).await.map(|_| ())
    }

    /// Returns the edition of the ledger that has the reviews of an organisation, by its entry in the list. Reads strongly.
    pub(crate) async fn registration(&self, org_id: OrgId) -> Result<Registration, Error> {
        let key = pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)));
        Ok(match self.db.get(&schema::REVIEWS, key).await? {
            None => Registration::None,
            Some(entry) if is_marked(&entry) => Registration::SecondEdition,
            Some(_) => Registration::FirstEdition,
        })
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

/// Returns the error of a read or write of reviews that wait to be migrated.
pub(crate) fn not_migrated(org_id: OrgId) -> Error {
    let text = format!("the reviews of organisation {org_id} are not in the ledger yet: run `ops migrate`");
    Error::Unavailable(text.into())
}

fn is_marked(entry: &HashMap<String, AttributeValue>) -> bool {
    entry.contains_key(LEDGER)
}
