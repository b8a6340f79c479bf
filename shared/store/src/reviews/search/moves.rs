//! Moves of reviews between organisations while several of them are searched.
//!
//! Each organisation is answered at a position of its own log, and the logs are read one after the other. A review that moves
//! meanwhile could be in two of the positions, or in none. If any log has such moves, all logs are read once more. If that shows
//! no further move, the positions belong together: they are the state of one instant between the two reads.

use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::{LogEntry, LogPosition};

use super::ledger_read::LedgerReadError;
use crate::ReviewStore;
use crate::client::parallel::parallel;
use crate::reviews::log::OrgLog;

/// Maximum number of logs that are read at a time.
const READS_IN_FLIGHT: u16 = 64;

/// Positions at which organisations are answered.
#[derive(Debug, Default)]
pub(super) struct OrgCut {
    positions: Vec<(OrgId, LogPosition)>,
    has_moves: bool,
}

impl OrgCut {
    /// Adds an organisation with the log that was read.
    pub(super) fn add(&mut self, org_id: OrgId, log: &OrgLog) {
        self.positions.push((org_id, log.end));
        self.has_moves |= log.entries.iter().any(is_move);
    }
}

impl ReviewStore {
    /// Checks that no review moved between organisations while their logs were read.
    pub(super) async fn check_moves(&self, cut: &OrgCut) -> Result<(), LedgerReadError> {
        if !cut.has_moves {
            return Ok(());
        }
        let checks = cut.positions.iter().map(async |(org_id, end)| self.has_moves_behind(*org_id, end).await);
        let has_moved = parallel(READS_IN_FLIGHT, checks).await?.into_iter().any(|has_moved| has_moved);
        if has_moved { Err(LedgerReadError::Overtaken) } else { Ok(()) }
    }

    /// True if the log of an organisation has moves behind a position, or may have had some that were trimmed.
    async fn has_moves_behind(&self, org_id: OrgId, end: &LogPosition) -> Result<bool, Error> {
        let log = self.query_log(org_id).await?;
        let is_behind = |entry: &&LogEntry| !end.includes(entry.lane(), entry.sequence);
        Ok(!end.covers(&log.directory.trimmed_to) || log.entries.iter().filter(is_behind).any(is_move))
    }
}

/// True if the change takes a review out of the organisation, or brings one that another organisation had.
fn is_move(entry: &LogEntry) -> bool {
    let change = &entry.change;
    change.new.is_none() || (change.old.is_none() && change.old_version > 0)
}
