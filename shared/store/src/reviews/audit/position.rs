//! Position of the scheduled audit: one item of the reviews table.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, pk_sk};
use crate::format::{item, parse};
use crate::keys::{AUDIT_PK, AUDIT_SK};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_ledger::{PostingKey, ReviewNumber};

/// Seconds between the starts of two rounds: a day, less ten minutes for a run that starts late. Without them, rounds would
/// start later each day.
const ROUND_SECONDS: i64 = 86_400 - 600;
/// Maximum number of slices that are remembered as wrong. The next round finds others again.
const MAX_OPEN: usize = 20;

/// Position of the scheduled audit. The names of the fields are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Position {
    /// Start of the round, in seconds since 1970.
    pub(super) began_at: i64,
    /// True once every organisation was looked at in this round.
    pub(super) is_done: bool,
    /// Organisation to continue with; if it does not exist any more, the next one.
    pub(super) org: u64,
    /// First key of that organisation to continue with; empty for its first review.
    pub(super) from: String,
    /// Number of times that the step at this position was started.
    pub(super) attempts: u32,
    /// Units that the steps of earlier runs spent beyond their limit.
    pub(super) debt: f64,
    /// Units that the last look at an open slice spent, without those of the runs since.
    pub(super) recheck_debt: f64,
    /// Slices that are known to be wrong. New ones come last, and so does the one that was looked at again.
    pub(super) open: Vec<OpenSlice>,
}

/// Slice that is known to be wrong. The names of the fields are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpenSlice {
    org: u64,
    from: String,
    to: String,
}

impl OpenSlice {
    /// Returns the organisation and the keys; `None` if they cannot be read.
    pub(super) fn read(&self) -> Option<(OrgId, Range<PostingKey>)> {
        let from = parse_key(&self.from).unwrap_or(PostingKey::FIRST);
        let to = parse_key(&self.to).unwrap_or(PostingKey::END);
        Some((OrgId::new(self.org)?, from..to))
    }
}

impl Position {
    /// Returns the position of a run that starts now: the stored one, or the start of a new round.
    pub(super) fn of_run(stored: Option<Self>, now: i64) -> Self {
        match stored {
            Some(position) if !position.is_done || now - position.began_at < ROUND_SECONDS => position,
            ended => {
                let Self { debt, recheck_debt, open, .. } = ended.unwrap_or_default();
                Self { began_at: now, debt, recheck_debt, open, ..Self::default() }
            }
        }
    }

    /// Returns the key of this organisation to continue with.
    pub(super) fn key_of(&self, org_id: OrgId) -> PostingKey {
        let key = parse_key(&self.from).filter(|_| self.org == org_id.get());
        key.unwrap_or(PostingKey::FIRST)
    }

    /// Moves to the end of a step. The end of all keys moves behind the organisation.
    pub(super) fn pass(&mut self, org_id: OrgId, end: PostingKey) {
        self.attempts = 0;
        (self.org, self.from) = match end {
            PostingKey::END => (org_id.get() + 1, String::new()),
            end => (org_id.get(), key_text(end)),
        };
    }

    /// Takes the units of a run from those that the last look at an open slice spent. If nothing is left of these, makes the slice that
    /// was looked at longest ago the last one, to be looked at. False if this run looks at none: `open` is their number at its start.
    pub(super) fn next_recheck(&mut self, open: usize, units: f64) -> bool {
        self.recheck_debt = (self.recheck_debt - units).max(0.0);
        let is_due = open > 0 && self.recheck_debt <= 0.0;
        self.open.rotate_left(usize::from(is_due));
        is_due
    }

    /// Remembers a slice that is wrong.
    pub(super) fn add_open(&mut self, org_id: OrgId, keys: &Range<PostingKey>) {
        let slice = OpenSlice { org: org_id.get(), from: key_text(keys.start), to: key_text(keys.end) };
        if self.open.len() < MAX_OPEN && !self.open.contains(&slice) {
            self.open.push(slice);
        }
    }
}

/// Progress of the scheduled audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditProgress {
    /// Start of the round.
    pub began_at: Timestamp,
    /// True once every organisation was looked at in this round.
    pub is_done: bool,
    /// Number of slices that are known to be wrong, by organisation.
    pub wrong_slices: BTreeMap<OrgId, usize>,
}

impl ReviewStore {
    /// Returns the progress of the scheduled audit; `None` before its first run.
    pub async fn get_audit_progress(&self) -> Result<Option<AuditProgress>, Error> {
        let position = self.load_position().await?;
        let progress = position.map(|Position { began_at, is_done, open, .. }| {
            let began_at = Timestamp::from_second(began_at).map_err(Error::internal)?;
            let mut wrong_slices = BTreeMap::new();
            open.iter().filter_map(OpenSlice::read).for_each(|(org, _)| *wrong_slices.entry(org).or_default() += 1);
            Ok(AuditProgress { began_at, is_done, wrong_slices })
        });
        progress.transpose()
    }

    /// Forgets the wrong slices of an organisation whose trees are right now. One that the audit adds meanwhile may be forgotten too: the
    /// next round finds it again.
    pub(super) async fn forget_wrong_slices(&self, org_id: OrgId) -> Result<(), Error> {
        let Some(mut position) = self.load_position().await? else { return Ok(()) };
        let slices = position.open.len();
        position.open.retain(|slice| slice.org != org_id.get());
        if position.open.len() == slices {
            return Ok(());
        }
        // Only this attribute: a run of the audit may move on meanwhile.
        let open = item(&position)?.remove_entry("open");
        self.db.set_attributes(&schema::REVIEWS, pk_sk(AUDIT_PK, AUDIT_SK), open).await
    }

    /// Returns the position of the scheduled audit; `None` before the first run, or if the item cannot be read. The audit
    /// starts from the beginning then.
    pub(super) async fn load_position(&self) -> Result<Option<Position>, Error> {
        let item = self.db.get(&schema::REVIEWS, pk_sk(AUDIT_PK, AUDIT_SK)).await?;
        Ok(item.and_then(|item| parse(item).ok()))
    }

    /// Stores the position of the scheduled audit.
    pub(super) async fn save_position(&self, position: &Position) -> Result<(), Error> {
        let fields: Item = item(position)?;
        self.db.set_attributes(&schema::REVIEWS, pk_sk(AUDIT_PK, AUDIT_SK), fields).await
    }
}

/// Returns a key as text: second and number of the review. The first and the last key of all are empty.
fn key_text(key: PostingKey) -> String {
    match key {
        PostingKey::FIRST | PostingKey::END => String::new(),
        PostingKey { effective_at, id } => format!("{effective_at}#{}", id.get()),
    }
}

/// Reads [`key_text`]; `None` if the text has another form, or is empty.
fn parse_key(text: &str) -> Option<PostingKey> {
    let (effective_at, id) = text.split_once('#')?;
    Some(PostingKey { effective_at: effective_at.parse().ok()?, id: ReviewNumber::new(id.parse().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_moves_behind_slices_and_then_behind_the_organisation() {
        let org = |number| OrgId::new(number).expect("an id");
        let key = PostingKey { effective_at: -5, id: ReviewNumber::new(77) };
        let mut position = Position { attempts: 2, ..Position::default() };
        assert_eq!(position.key_of(org(7)), PostingKey::FIRST);
        position.pass(org(7), key);
        assert_eq!((position.attempts, position.key_of(org(7))), (0, key));
        assert_eq!(position.key_of(org(8)), PostingKey::FIRST, "another organisation starts with its first review");
        position.pass(org(7), PostingKey::END);
        assert_eq!((position.org, position.from.as_str()), (8, ""));
    }

    #[test]
    fn open_slices_are_looked_at_in_turn_and_a_look_is_paid_for_before_the_next() {
        let mut position = Position::default();
        assert!(!position.next_recheck(0, 10.0));
        for number in 1..=3 {
            position.add_open(OrgId::new(number).expect("an id"), &(PostingKey::FIRST..PostingKey::END));
        }
        let mut looked_at = Vec::new();
        for run in 1..=8 {
            if position.next_recheck(3, 10.0) {
                looked_at.push((run, position.open[2].org));
                position.recheck_debt = 25.0;
            }
        }
        assert_eq!(looked_at, [(1, 1), (4, 2), (7, 3)]);
    }

    #[test]
    fn a_bounded_number_of_slices_is_remembered_each_once() {
        let org = |number| OrgId::new(number).expect("an id");
        let mut position = Position::default();
        let key = PostingKey { effective_at: 1_700_000_000, id: ReviewNumber::new(9) };
        for number in 1..=100 {
            position.add_open(org(number % 50 + 1), &(key..PostingKey::END));
        }
        assert_eq!(position.open.len(), MAX_OPEN);
        assert_eq!(position.open[0].read(), Some((org(2), key..PostingKey::END)));
        let mut position = Position::default();
        position.add_open(org(1), &(PostingKey::FIRST..key));
        position.add_open(org(1), &(PostingKey::FIRST..key));
        assert_eq!(position.open.len(), 1);
        assert_eq!(position.open[0].read(), Some((org(1), PostingKey::FIRST..key)));
    }
}
