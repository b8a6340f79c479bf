//! Organisations whose reviews are only in the first edition of the ledger.

use std::collections::HashSet;
use std::sync::Arc;

use super::target::OrgTarget;
use crate::ReviewStore;
use crate::client::parallel::parallel;
use crate::reviews::log::OrgLog;
use crate::reviews::registered_orgs::{Registration, not_migrated};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of organisations that are looked up at a time.
const READS_IN_FLIGHT: u16 = 64;

impl ReviewStore {
    /// Returns the logs of organisations, after a second look at those without anything in the second edition.
    ///
    /// Such an organisation has no reviews, or they wait to be migrated, or a migration or a first write ended between the Query
    /// of the log and the look at the list. Only organisations without reviews pay for the second look, and only once:
    /// `registered` are those that were known to have the second edition before their logs were read.
    pub(super) async fn confirm_blank_logs(
        &self,
        orgs: &[OrgTarget],
        logs: Vec<Arc<OrgLog>>,
        registered: &HashSet<OrgId>,
    ) -> Result<Vec<Arc<OrgLog>>, Error> {
        let confirmed = orgs.iter().zip(logs).map(async |(org, log)| {
            // A log that was blank after the registration was seen is blank because there are no reviews.
            if !log.is_blank() || registered.contains(&org.org_id) {
                return Ok(log);
            }
            self.confirm_blank_log(org.org_id, log).await
        });
        parallel(READS_IN_FLIGHT, confirmed).await
    }

    async fn confirm_blank_log(&self, org_id: OrgId, log: Arc<OrgLog>) -> Result<Arc<OrgLog>, Error> {
        match self.registration(org_id).await? {
            Registration::None => Ok(log),
            Registration::SecondEdition => {
                self.cache.note_second_edition(org_id);
                self.read_log_of(org_id).await
            }
            Registration::FirstEdition => {
                let again = self.read_log_of(org_id).await?;
                if again.is_blank() { Err(not_migrated(org_id)) } else { Ok(again) }
            }
        }
    }
}
