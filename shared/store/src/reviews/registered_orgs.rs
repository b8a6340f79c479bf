//! List of the organisations that have, or ever had, reviews.
//!
//! A search over all organisations looks at those in the list. The entry of an organisation also tells if its reviews may be in
//! the first edition of the ledger only: then it has no mark.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::client::read::{Item, Partition, number, pk_sk, text};
use crate::client::write::Condition;
use crate::keys::{ORGS_WITH_REVIEWS_PK, org_key, parse_org_key};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Attribute with the edition of the ledger that has the reviews of an organisation. Without it, that is the first one, unless
/// the organisation has a directory.
const LEDGER: &str = "ledger";
/// Present edition of the ledger.
const LEDGER_EDITION: u64 = 2;
/// Organisations in one page of the Query. They are small.
const PAGE: i32 = 2_000;
/// Maximum number of pages: 200,000 organisations.
const MAX_PAGES: usize = 100;

/// Returns the entry of an organisation in the list.
pub(crate) fn registration_item(org_id: OrgId) -> Item {
    let mut item = pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)));
    item.insert(LEDGER.to_owned(), number(LEDGER_EDITION));
    item
}

impl ReviewStore {
    /// Returns the organisations that have, or ever had, a review.
    pub async fn orgs_with_reviews(&self) -> Result<Vec<OrgId>, Error> {
        let partition = Partition {
            table: &schema::REVIEWS,
            index: None,
            value: text(ORGS_WITH_REVIEWS_PK),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        let items = self.db.query(partition).await?;
        let org_of = |item: &Item| parse_org_key(item.get("sk")?.as_s().ok()?).flatten();
        Ok(items.iter().filter_map(org_of).collect())
    }

    /// Adds an organisation to those with reviews.
    ///
    /// Call it before the organisation's first review is written: a search over all organisations looks at no others. An entry
    /// that exists stays as it is: without a mark, the reviews of the organisation wait to be migrated.
    pub async fn register_org_with_reviews(&self, org_id: OrgId) -> Result<(), Error> {
        self.db.put_if(&schema::REVIEWS, registration_item(org_id), Condition::NotThere).await.map(drop)
    }

    /// Marks an organisation as one whose reviews are in the present edition of the ledger.
    pub(crate) async fn mark_migrated(&self, org_id: OrgId) -> Result<(), Error> {
        let put = self.db.client.put_item().table_name(self.db.name(&schema::REVIEWS));
        let put = put.set_item(Some(registration_item(org_id)));
        self.db.retry_throttled(|| put.clone().send()).await.map(|_| ())
    }

    /// True if the reviews of the organisation wait to be migrated, unless it has a directory. Reads strongly.
    pub(crate) async fn waits_for_migration(&self, org_id: OrgId) -> Result<bool, Error> {
        let key = pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)));
        Ok(self.db.get(&schema::REVIEWS, key).await?.is_some_and(|entry| !is_marked(&entry)))
    }
}

fn is_marked(entry: &HashMap<String, AttributeValue>) -> bool {
    entry.contains_key(LEDGER)
}
