//! Businesses that users may write, from the side of the business.

use std::collections::HashMap;

use jiff::Timestamp;
use struct_field_names_as_array::FieldNamesAsArray as _;

use super::item::BusinessIdsItem;
use super::write::{MailChange, Refused, UserChange};
use crate::client::read::{Partition, pk_sk, text};
use crate::keys::{USER_SK, org_key, user_pk};
use crate::{UserStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::user::User;

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
            for item in self.db.get_batch(&schema::USERS, keys, &BusinessIdsItem::FIELD_NAMES_AS_ARRAY).await? {
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
        now: Timestamp,
    ) -> Result<bool, Error> {
        let mut retries = self.db.retries();
        loop {
            let Some(record) = self.get_record(Scope::for_operator(), user).await? else { return Ok(false) };
            let before = &record.user;
            if before.org_id != Some(org_id) || !before.business_ids.contains(business) {
                return Ok(false);
            }
            let business_ids = before.business_ids.iter().filter(|id| *id != business).cloned().collect();
            let after = User { business_ids, ..before.clone() };
            let change = UserChange {
                before: Some(&record),
                after: Some(&after),
                mail: MailChange::Keep,
                keep_an_admin: false,
                now,
            };
            match self.write(change).await {
                Ok(()) => return Ok(true),
                Err(Refused::Failed(error)) => return Err(error),
                Err(_) if retries.pause().await => {}
                Err(_) => return Err(Error::Conflict),
            }
        }
    }
}
