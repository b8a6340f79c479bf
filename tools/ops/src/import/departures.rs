//! Businesses that move to another organisation, and the users of the old one that have them in their lists.
//!
//! The users are changed before their business, so that a run that is killed in between is taken up by the next one: the
//! business is still where it was. Who gets the business meanwhile is found by a second look when the import ends. Only an
//! update that had checked the business before it moved, and is written after that look, escapes: `ops users audit` finds it.
//!
//! Each look reads every user of the organisation once, by the index and then strongly: about 1.1 read units a user, 18 for
//! one with 2,000 businesses. The first one is kept for all businesses of the file.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_runtime::clock::Clock;
use presence_store::Store;
use tokio::sync::Mutex;

/// Users by the business in their lists.
type Holders = HashMap<BusinessId, Vec<UserId>>;

/// The businesses that leave their organisations.
pub(super) struct Departures {
    store: Store,
    clock: Arc<dyn Clock>,
    dry_run: bool,
    orgs: Mutex<HashMap<OrgId, Departed>>,
    /// Users whose lists were changed.
    users: std::sync::Mutex<HashSet<UserId>>,
}

/// The businesses that leave one organisation.
struct Departed {
    /// As they were when the first business left.
    holders: Arc<Holders>,
    businesses: HashSet<BusinessId>,
}

impl Departures {
    pub(super) fn new(store: Store, clock: Arc<dyn Clock>, dry_run: bool) -> Self {
        Self { store, clock, dry_run, orgs: Mutex::default(), users: std::sync::Mutex::default() }
    }

    /// Takes a business out of the lists of the users of the organisation that it is about to leave; in a dry run, only
    /// counts them.
    pub(super) async fn leave(&self, business: &BusinessId, org_id: OrgId) -> Result<(), Error> {
        let holders = {
            let mut orgs = self.orgs.lock().await;
            let departed = match orgs.entry(org_id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let holders = Arc::new(self.store.business_holders(org_id).await?);
                    new.insert(Departed { holders, businesses: HashSet::new() })
                }
            };
            departed.businesses.insert(business.clone());
            Arc::clone(&departed.holders)
        };
        self.take_from(holders.get(business).into_iter().flatten(), business, org_id).await
    }

    /// Looks for those who got one of the businesses meanwhile.
    pub(super) async fn finish(&self) -> Result<(), Error> {
        let orgs = std::mem::take(&mut *self.orgs.lock().await);
        if self.dry_run {
            return Ok(());
        }
        for (org_id, Departed { businesses, .. }) in orgs {
            let holders = self.store.business_holders(org_id).await?;
            for business in &businesses {
                self.take_from(holders.get(business).into_iter().flatten(), business, org_id).await?;
            }
        }
        Ok(())
    }

    /// Returns the number of users that were changed, or would be.
    pub(super) fn users(&self) -> u64 {
        self.users.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    async fn take_from(
        &self,
        users: impl Iterator<Item = &UserId>,
        business: &BusinessId,
        org_id: OrgId,
    ) -> Result<(), Error> {
        for user in users {
            let changed =
                self.dry_run || self.store.take_business_from(*user, business, org_id, self.clock.now()).await?;
            if changed {
                self.users.lock().unwrap_or_else(PoisonError::into_inner).insert(*user);
            }
        }
        Ok(())
    }
}
