//! Moves of reviews between organisations while several of them are searched.
//!
//! Each organisation is answered at a position of its own log, and the logs are read one after the other. A review that moves meanwhile
//! could be in two of the positions, or in none. So the logs of organisations that moves connect are read at one instant. The register of
//! moves tells which these are. It is read before the logs, or known from an earlier search, and again after them. If other moves began
//! meanwhile, the search begins again, and reads the logs of these organisations together.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::moves::{MAX_CONNECTED_ORGS, MoveRegister};

use super::org_source::SourceError;
use crate::ReviewStore;
use crate::client::parallel::parallel;
use presence_ledger::search::{JointLogs, OrgTarget};

/// Maximum number of groups of logs that are read at a time.
const GROUPS_IN_FLIGHT: u16 = 8;

/// Cache of the register of moves, as it was read last. It may have changed since.
#[derive(Debug, Default)]
pub(crate) struct KnownMoves(Mutex<Option<Arc<MoveRegister>>>);

/// Moves that a search of several organisations knew before it read their logs.
#[derive(Clone, Debug)]
pub(super) struct MoveCut {
    register: Arc<MoveRegister>,
    searched: BTreeSet<OrgId>,
    /// True if the answer is proven only if no move begins or ends meanwhile.
    excludes_moves: bool,
    /// Searched organisations whose logs are read at one instant.
    groups: Vec<BTreeSet<OrgId>>,
}

impl KnownMoves {
    fn get(&self) -> Option<Arc<MoveRegister>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, register: &Arc<MoveRegister>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(register));
    }
}

impl MoveCut {
    /// Returns the register as it was known before the logs; `None` if moves may begin or end meanwhile.
    pub(super) fn all_moves(&self) -> Option<&Arc<MoveRegister>> {
        self.excludes_moves.then_some(&self.register)
    }

    /// True if a business leaves or enters one of the organisations.
    pub(super) fn has_moves(&self) -> bool {
        self.register.moves.values().any(|unfinished| !unfinished.orgs().is_disjoint(&self.searched))
    }
}

impl ReviewStore {
    /// Returns the register of moves as it was read last. Reads it if it is not known.
    pub(crate) async fn known_moves(&self) -> Result<Arc<MoveRegister>, Error> {
        match self.known_moves.get() {
            Some(register) => Ok(register),
            None => self.read_moves().await,
        }
    }

    pub(super) async fn read_moves(&self) -> Result<Arc<MoveRegister>, Error> {
        let register = Arc::new(self.businesses.get_move_register().await?);
        self.known_moves.set(&register);
        Ok(register)
    }

    /// Returns the moves to mind in a search; `None` if it has one organisation only, and does not exclude moves.
    /// `first_begun` is the number of moves that began before the first attempt of the search, which notes it there.
    pub(super) async fn plan_cut(
        &self,
        orgs: &[OrgTarget],
        excludes_moves: bool,
        first_begun: &mut Option<u64>,
    ) -> Result<Option<MoveCut>, Error> {
        if orgs.len() < 2 && !excludes_moves {
            return Ok(None);
        }
        let register = self.known_moves().await?;
        let since = *first_begun.get_or_insert(register.begun);
        let searched: BTreeSet<OrgId> = orgs.iter().map(|org| org.org_id).collect();
        let concerned = |since| -> Vec<BTreeSet<OrgId>> {
            let groups = register.groups(since).into_iter();
            groups.map(|group| group.intersection(&searched).copied().collect::<BTreeSet<_>>()).collect()
        };
        let mut groups = concerned(since);
        if groups.iter().any(|group| group.len() > MAX_CONNECTED_ORGS) {
            groups = concerned(register.begun);
        }
        groups.retain(|group| group.len() > 1);
        Ok(Some(MoveCut { register, searched, excludes_moves, groups }))
    }

    /// Reads the logs of organisations that moves connect.
    pub(super) async fn read_joint_logs(&self, cut: Option<&MoveCut>) -> Result<JointLogs, Error> {
        let groups = cut.map_or(&[][..], |cut| &cut.groups);
        let reads = groups.iter().map(async |group| {
            let orgs: Vec<OrgId> = group.iter().copied().collect();
            Ok(orgs.iter().copied().zip(self.logs.read_logs_together(&orgs).await?).collect::<Vec<_>>())
        });
        let read = parallel(GROUPS_IN_FLIGHT, reads).await?.into_iter().flatten();
        Ok(read.map(|(org_id, log)| (org_id, Arc::new(log))).collect())
    }

    /// Checks, after the logs were read, that they are the state of one instant.
    pub(super) async fn check_cut(&self, cut: Option<&MoveCut>) -> Result<(), SourceError> {
        let Some(MoveCut { register, searched, excludes_moves, groups }) = cut else { return Ok(()) };
        let now = self.read_moves().await?;
        let is_cut = if *excludes_moves {
            // A move that ended has taken the reviews along: its business is no group any more.
            now.begun == register.begun && now.moves == register.moves
        } else {
            now.begun == register.begun || now.proves_cut(register, groups, searched)
        };
        if is_cut { Ok(()) } else { Err(SourceError::Changed) }
    }
}
