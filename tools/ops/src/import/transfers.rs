//! Businesses that move to another organisation, and the users of the old organisation whose lists name them.
//!
//! The lists are changed before the business is written. If the import is killed in between, the business is still in the
//! old organisation, and the next run repeats the change. When the import ends, also by an error or Ctrl-C, a second read finds
//! users whose lists got the business meanwhile. Two cases remain, which `ops users audit` finds: an update that checked the business
//! before it moved, and is written after that second read; and an import that is killed, or cannot read any more, before it.
//!
//! Each read covers every user of the organisation once, by the directory of users, which is proven complete, and then strongly. It
//! costs about a read unit a user, and 18 for a user with 2,000 businesses. The first read serves all businesses of the file.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use presence_domain::audit::Actor;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_runtime::clock::Clock;
use presence_store::UserStore;
use tokio::sync::Mutex;

/// Users whose lists name a business, by business.
type Holders = HashMap<BusinessId, Vec<UserId>>;

/// Businesses of an import that move to another organisation.
pub(super) struct BusinessTransfers {
    users: UserStore,
    clock: Arc<dyn Clock>,
    /// Author of the changes.
    actor: Actor,
    dry_run: bool,
    /// Transfers by the organisation that the businesses leave.
    by_old_org: Mutex<HashMap<OrgId, OrgTransfers>>,
    /// Users whose lists were changed.
    changed_users: std::sync::Mutex<HashSet<UserId>>,
}

/// Businesses that leave one organisation.
struct OrgTransfers {
    /// Holders at the time when the first business left.
    holders: Arc<Holders>,
    businesses: HashSet<BusinessId>,
}

impl BusinessTransfers {
    pub(super) fn new(users: UserStore, clock: Arc<dyn Clock>, actor: Actor, dry_run: bool) -> Self {
        Self { users, clock, actor, dry_run, by_old_org: Mutex::default(), changed_users: std::sync::Mutex::default() }
    }

    /// Removes a business from the lists of the users of the organisation that it leaves. In a dry run, only counts them.
    pub(super) async fn remove_from_users(&self, business: &BusinessId, old_org: OrgId) -> Result<(), Error> {
        let holders = self.record(business, old_org).await?;
        self.remove_from_holders(&holders, business, old_org).await
    }

    /// Records the transfer. Returns the holders of the organisation's businesses, which it reads for the first transfer only.
    async fn record(&self, business: &BusinessId, old_org: OrgId) -> Result<Arc<Holders>, Error> {
        // The lock is held during the read, so that rows written at the same time do not read the users again.
        let mut by_old_org = self.by_old_org.lock().await;
        let transfers = match by_old_org.entry(old_org) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let holders = Arc::new(self.users.list_business_holders(old_org).await?);
                unknown.insert(OrgTransfers { holders, businesses: HashSet::new() })
            }
        };
        transfers.businesses.insert(business.clone());
        Ok(Arc::clone(&transfers.holders))
    }

    /// Removes the businesses from lists that got them since the first read.
    pub(super) async fn finish(&self) -> Result<(), Error> {
        if self.dry_run {
            return Ok(());
        }
        let by_old_org = self.by_old_org.lock().await;
        for (old_org, OrgTransfers { businesses, .. }) in &*by_old_org {
            let holders = self.users.list_business_holders(*old_org).await?;
            for business in businesses {
                self.remove_from_holders(&holders, business, *old_org).await?;
            }
        }
        Ok(())
    }

    /// Returns the number of users that were changed, or would be changed without the dry run.
    pub(super) fn count_changed_users(&self) -> u64 {
        self.changed_users.lock().unwrap_or_else(PoisonError::into_inner).len() as u64
    }

    async fn remove_from_holders(&self, holders: &Holders, business: &BusinessId, old_org: OrgId) -> Result<(), Error> {
        for user in holders.get(business).into_iter().flatten() {
            let is_changed = self.dry_run
                || self.users.remove_business(*user, business, old_org, &self.actor, self.clock.now()).await?;
            if is_changed {
                self.changed_users.lock().unwrap_or_else(PoisonError::into_inner).insert(*user);
            }
        }
        Ok(())
    }
}
