//! Audit of the businesses that users may write.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Finding, subject};
use crate::{BusinessStore, UserStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::user::User;

impl UserStore {
    /// Finds businesses in the lists of users that are unknown or belong to another organisation. They are left over when a user is
    /// written while a business moves. Reads each listed business once.
    pub(super) async fn audit_businesses(&self, users: &BTreeMap<UserId, User>) -> Result<Vec<Finding>, Error> {
        let listed: HashSet<&BusinessId> = users.values().flat_map(|user| &user.business_ids).collect();
        let listed: Vec<BusinessId> = listed.into_iter().cloned().collect();
        let owners = BusinessStore::new(&self.db).get_owners(&listed).await?;
        Ok(users.values().flat_map(|user| foreign_businesses(user, &owners)).collect())
    }
}

/// Returns the businesses in the list of a user that do not belong there.
fn foreign_businesses(user: &User, owners: &HashMap<BusinessId, OrgId>) -> impl Iterator<Item = Finding> {
    user.business_ids.iter().filter_map(|business| {
        let problem = match owners.get(business) {
            None => format!("lists the business {}, which is unknown", business.as_str()),
            Some(owner) if Some(*owner) == user.org_id => return None,
            Some(owner) => format!("lists the business {}, which is of organisation {owner}", business.as_str()),
        };
        Some(Finding { subject: subject(user.id), problem })
    })
}
