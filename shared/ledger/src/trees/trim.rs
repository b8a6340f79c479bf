//! Trim of a log: deletes the changes that are in all trees.
//!
//! The directory must name the position first. A reader that misses a change in the log then finds a directory that says that the
//! trees have it.

use crate::parallel::parallel;
use crate::{LogPosition, OrgLog, Trees};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Number of items that are trimmed at a time.
const TRIMS_IN_FLIGHT: u16 = 16;

impl Trees {
    /// Deletes those of the chunks and of the unsealed changes that the position includes. Lane items stay: a writer with old
    /// knowledge fails on their last sequence number.
    pub(super) async fn trim_log(&self, org_id: OrgId, log: &OrgLog, trimmed_to: &LogPosition) -> Result<(), Error> {
        let chunks = log.chunks.iter().filter(|chunk| chunk.is_trimmed(trimmed_to));
        let deletes = chunks.map(|chunk| self.table.delete_chunk(org_id, chunk.lane, chunk.first));
        parallel(TRIMS_IN_FLIGHT, deletes).await?;
        let lanes = log.lanes.iter().zip(trimmed_to.0).enumerate();
        let removes =
            lanes.map(|(lane, (state, trimmed_to))| self.trim_lane(org_id, lane, state.trimmed_firsts(trimmed_to)));
        parallel(TRIMS_IN_FLIGHT, removes).await?;
        Ok(())
    }

    /// Removes unsealed changes from a lane item. A writer may have sealed them meanwhile, so that they are not there any more.
    async fn trim_lane(&self, org_id: OrgId, lane: usize, firsts: Vec<u64>) -> Result<(), Error> {
        if firsts.is_empty() {
            return Ok(());
        }
        self.table.remove_unsealed(org_id, lane, firsts).await
    }
}
