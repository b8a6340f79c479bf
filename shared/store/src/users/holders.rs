//! Businesses that users may write, from the side of the business.

use std::collections::HashMap;

use jiff::Timestamp;

use super::item::BusinessIdsItem;
use crate::client::read::{Partition, pk_sk, text};
use crate::keys::{USER_SK, org_key, user_pk};
use crate::{UserStore, schema};
use presence_domain::audit::Actor;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};

/// Users in one page of the index. They fill about the 1 MB that DynamoDB returns at a time.
const PAGE: i32 = 4_000;
/// Largest number of pages: a million users, even if each page is a quarter full.
const MAX_PAGES: usize = 1_000;

impl UserStore {
    /// Returns the users of an organisation by each business in their lists. The members come from `status-index`, which lags; their
    /// lists are read strongly.
    pub async fn list_business_holders(&self, org_id: OrgId) -> Result<HashMap<BusinessId, Vec<UserId>>, Error> {
        let partition = Partition {
            table: &schema::USERS,
            index: Some(&schema::STATUS_INDEX),
            value: text(org_key(Some(org_id))),
            between: None,
            page: PAGE,
            max_pages: MAX_PAGES,
        };
        let mut holders: HashMap<BusinessId, Vec<UserId>> = HashMap::new();
        let mut start = None;
        for _ in 0..MAX_PAGES {
            let (page, next) = self.db.query_page(&partition, start).await?;
            let ids = page.iter().filter_map(|item| item.get("id")?.as_s().ok().and_then(|id| UserId::parse(id)));
            let keys = ids.map(|id| pk_sk(user_pk(id), USER_SK)).collect();
            for item in self.db.get_batch(&schema::USERS, keys, BusinessIdsItem::ATTRIBUTES).await? {
                let (user, businesses) = super::item::business_ids(item)?;
                for business in businesses.iter().filter_map(|id| BusinessId::parse(id)) {
                    holders.entry(business).or_default().push(user);
                }
            }
            start = next;
            if start.is_none() {
                return Ok(holders);
            }
        }
        Err(Error::internal("an organisation has more users than the bound on its pages"))
    }

    /// Removes a business from the list of a user who is still in this organisation. Returns true if it was in the list. Keeps
    /// concurrent changes of the user.
    pub async fn remove_business(
        &self,
        user: UserId,
        business: &BusinessId,
        org_id: OrgId,
        by: &Actor,
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut retries = self.db.retries();
        loop {
            let Some(record) = self.get_unscoped(user).await? else { return Ok(false) };
            let Some(change) = record.user.remove_business(business, org_id, by, now) else { return Ok(false) };
            if self.write_if_current(&record, &change).await? {
                return Ok(true);
            }
            // An import waits longer for a user that others change than a request does: see `Retries`.
            if !retries.pause().await {
                return Err(Error::Conflict);
            }
        }
    }
}
