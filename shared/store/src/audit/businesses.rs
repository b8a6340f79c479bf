//! Audit of the organisations and businesses of users.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Finding, subject};
use crate::client::parallel::parallel;
use crate::{BusinessStore, UserStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::user::User;
use presence_domain::user_directory::DirectoryHead;

/// Number of organisations that are read at a time.
const ORGS_IN_FLIGHT: u16 = 16;

impl UserStore {
    /// Finds organisations that have users and do not exist. Reads one unit for each organisation.
    pub async fn audit_orgs(&self) -> Result<Vec<Finding>, Error> {
        let (heads, businesses) = (self.list_heads().await?, BusinessStore::new(&self.db));
        let with_users = heads.into_iter().filter(|(_, head)| head.count() > 0);
        let find = |(org_id, head): (OrgId, DirectoryHead)| {
            let businesses = &businesses;
            async move {
                let problem = format!("has {} users, and does not exist", head.count());
                let finding = Finding { subject: format!("organisation {org_id}"), problem };
                Ok::<_, Error>((!businesses.has_org(org_id).await?).then_some(finding))
            }
        };
        let of_orgs = with_users.filter_map(|(org_id, head)| Some((org_id?, head)));
        Ok(parallel(ORGS_IN_FLIGHT, of_orgs.map(find)).await?.into_iter().flatten().collect())
    }

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
