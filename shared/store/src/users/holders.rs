//! Businesses that users may write, from the side of the business.

use std::collections::HashMap;

use jiff::Timestamp;

use super::item::BusinessIdsItem;
use crate::client::read::pk_sk;
use crate::keys::{USER_SK, user_pk};
use crate::{UserStore, schema};
use presence_domain::audit::Actor;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::user_directory::UserFilter;

/// Users whose lists are read at a time: some megabytes, if each lists hundreds of businesses.
const USERS_AT_A_TIME: usize = 1_000;

impl UserStore {
    /// Returns the users of an organisation by each business in their lists. The members come from the directory, which its head proves
    /// complete; their lists are read strongly.
    pub async fn list_business_holders(&self, org_id: OrgId) -> Result<HashMap<BusinessId, Vec<UserId>>, Error> {
        let members = self.list_members(Some(org_id), &UserFilter::default()).await?;
        let mut holders: HashMap<BusinessId, Vec<UserId>> = HashMap::new();
        for members in members.chunks(USERS_AT_A_TIME) {
            let keys = members.iter().map(|member| pk_sk(user_pk(member.id), USER_SK)).collect();
            for item in self.db.get_batch(&schema::USERS, keys, BusinessIdsItem::ATTRIBUTES).await? {
                let (user, (_, businesses)) = super::item::business_ids(item)?;
                for business in businesses.iter().filter_map(|id| BusinessId::parse(id)) {
                    holders.entry(business).or_default().push(user);
                }
            }
        }
        Ok(holders)
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
