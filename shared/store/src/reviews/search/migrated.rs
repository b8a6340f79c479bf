//! Organisations whose reviews are only in the first edition of the ledger.

use std::sync::Arc;

use super::target::OrgTarget;
use crate::ReviewStore;
use crate::client::parallel::parallel;
use crate::reviews::log::OrgLog;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of organisations that are looked up at a time.
const READS_IN_FLIGHT: u16 = 64;

impl ReviewStore {
    /// Checks that organisations without anything in the second edition have no reviews in the first one either.
    ///
    /// The check costs a read for an organisation without reviews only. Every other one has a lane in its log or a directory.
    pub(super) async fn check_migrated(&self, orgs: &[OrgTarget], logs: &[Arc<OrgLog>]) -> Result<(), Error> {
        let is_blank = |log: &OrgLog| !log.has_directory && log.lanes.iter().all(|lane| lane.last == 0);
        let blank = orgs.iter().zip(logs).filter(|(_, log)| is_blank(log));
        parallel(READS_IN_FLIGHT, blank.map(|(org, _)| self.check_registration(org.org_id))).await.map(drop)
    }

    /// Checks that an organisation is not registered, or was registered by a version that writes the second edition.
    async fn check_registration(&self, org_id: OrgId) -> Result<(), Error> {
        if !self.waits_for_migration(org_id).await? {
            return Ok(());
        }
        let text = format!("the reviews of organisation {org_id} are not in the ledger yet: run `ops migrate`");
        Err(Error::Unavailable(text.into()))
    }
}
