//! The truth of a run: every change that a transaction wrote to a log, and the positions at which searches answered.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::people::Histories;
use super::world::{ItemKey, StoredItem};
use crate::businesses::ReviewLocation;
use crate::client::read::Item;
use crate::client::tables::{Change, ItemWrite};
use crate::keys::{LOG_PK_PREFIX, LogItemKey};
use crate::reviews::body_item::review_from_item;
use crate::reviews::log::items::changes_of;
use crate::schema::AUDIT;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;
use presence_ledger::{
    Directory, LANES, LogChange, LogEntry, LogPosition, Place, ReviewNumber, ReviewSet, TreeKey, read_entries,
};

/// Positions of logs, by organisation.
pub(super) type Positions = BTreeMap<OrgId, LogPosition>;

/// Change in a log: organisation, lane, sequence number.
type ChangeName = (OrgId, usize, u64);

/// The truth of a run.
#[derive(Debug, Default)]
pub(super) struct Oracle {
    pub(super) logs: BTreeMap<OrgId, BTreeMap<(usize, u64), LogChange>>,
    /// Organisation, version and place of each review, after all transactions.
    current: BTreeMap<ReviewNumber, (OrgId, u64, Place)>,
    /// Changes that each process wrote.
    written: BTreeMap<u64, Vec<ChangeName>>,
    pub(super) acknowledged: Positions,
    readings: BTreeMap<(u64, OrgId), Vec<Item>>,
    /// Positions of the logs that each process read, by process and organisation.
    cuts: BTreeMap<(u64, OrgId), Vec<LogPosition>>,
    /// Everything that was written when a process read a log.
    instants: BTreeMap<u64, Vec<Positions>>,
    /// Changes that one transaction wrote to the logs of two organisations.
    crossings: Vec<Vec<ChangeName>>,
    /// Number of changes that the last Query of each log found.
    pub(super) left_in_log: BTreeMap<OrgId, usize>,
    pub(super) changes: u64,
    pub(super) histories: Histories,
    /// First thing that went wrong.
    pub(super) violation: Option<String>,
}

impl Oracle {
    fn violated(&mut self, what: impl Into<String>) {
        self.violation.get_or_insert_with(|| what.into());
    }

    fn expect(&mut self, is_right: bool, what: impl FnOnce() -> String) {
        if !is_right {
            self.violated(what());
        }
    }

    /// Notes the changes of a transaction, and compares them with the bodies that it writes.
    pub(super) fn note_transaction(&mut self, process: u64, writes: &[ItemWrite]) {
        let (mut bodies, mut changes) = (BTreeMap::new(), Vec::new());
        for write in writes {
            let text = |name: &str| write.item.get(name).and_then(|value| value.as_s().ok()).map_or("", String::as_str);
            if let Some(org_id) = org_of_log(text("pk")) {
                let Some(LogItemKey::Lane(lane) | LogItemKey::Chunk { lane, .. }) = LogItemKey::parse(text("sk"))
                else {
                    continue;
                };
                let set = match &write.change {
                    Change::Update { set, .. } => set.iter().cloned().collect(),
                    Change::Put | Change::Delete => write.item.clone(),
                };
                changes.extend(entries_of(lane, &set).into_iter().map(|entry| (org_id, entry)));
            } else if text("pk").starts_with("R#") {
                let review = review_from_item(&write.item).expect("a review");
                bodies.insert(ReviewNumber::of(&review.id), review);
            }
        }
        let (mut new, mut names) = (Vec::new(), Vec::new());
        for (org_id, entry) in changes {
            let (lane, sequence) = (entry.lane(), entry.sequence);
            if self.note_change(org_id, &entry) {
                names.push((org_id, lane, sequence));
                new.push((org_id, entry.change));
            }
        }
        self.written.entry(process).or_default().extend(&names);
        self.apply(&new, &bodies);
        let records = writes.iter().filter(|write| write.table.name == AUDIT.name).count();
        for body in bodies.values() {
            self.note_review(process, body, records);
        }
        if names.iter().any(|(org_id, ..)| *org_id != names[0].0) {
            self.crossings.push(names);
        }
    }

    /// Notes a write of a review, alone or in a transaction.
    pub(super) fn note_review(&mut self, process: u64, review: &Review, records: usize) {
        self.histories.note(process, review, records).unwrap_or_else(|what| self.violated(what));
    }

    /// Notes a change. False if it was there already: sealed changes are written twice.
    fn note_change(&mut self, org_id: OrgId, LogEntry { sequence, change }: &LogEntry) -> bool {
        let lane = change.id.lane();
        let log = self.logs.entry(org_id).or_default();
        if let Some(known) = log.get(&(lane, *sequence)) {
            let is_same = known == change;
            self.expect(is_same, || format!("change {sequence} of lane {lane} is written with two contents"));
            return false;
        }
        let has_gap = *sequence > 1 && !log.contains_key(&(lane, sequence - 1));
        log.insert((lane, *sequence), change.clone());
        self.changes += 1;
        self.expect(!has_gap, || format!("lane {lane} has a gap before {sequence}"));
        true
    }

    /// Compares new changes with what they replace, and with the bodies.
    fn apply(&mut self, new: &[(OrgId, LogChange)], bodies: &BTreeMap<ReviewNumber, Review>) {
        for (org_id, change) in new {
            let known = self.current.get(&change.id);
            let old = known.filter(|(known_org, ..)| known_org == org_id).map(|(_, _, place)| place);
            let is_right =
                change.old.as_ref() == old && change.old_version == known.map_or(0, |(_, version, _)| *version);
            self.expect(is_right, || format!("a change does not tell the state before it: {change:?}"));
        }
        for (org_id, change) in new {
            let Some(body) = bodies.get(&change.id) else {
                self.violated("a change is written without the body of its review");
                continue;
            };
            let place = (body.org_id == *org_id).then(|| Place::of(body));
            let is_right = body.version == change.version && change.new == place;
            self.expect(is_right, || format!("a change differs from the body of its review: {change:?}"));
            if let Some(place) = place {
                self.current.insert(change.id, (*org_id, change.version, place));
            }
        }
        let is_logged = |id: &ReviewNumber| new.iter().any(|(_, change)| change.id == *id);
        self.expect(bodies.keys().all(is_logged), || "a body is written without a change".to_owned());
    }

    /// Notes a page of a Query. If it ends the Query of a log, the process knows the log up to there.
    pub(super) fn note_page(&mut self, process: u64, pk: &str, is_first: bool, items: &[Item], is_last: bool) {
        let Some(org_id) = org_of_log(pk) else { return };
        let reading = self.readings.entry((process, org_id)).or_default();
        if is_first {
            reading.clear();
        }
        reading.extend(items.iter().cloned());
        if is_last {
            let items = self.readings.remove(&(process, org_id)).unwrap_or_default();
            let (cut, changes) = cut_of(&items);
            self.left_in_log.insert(org_id, changes);
            if let Some(cut) = cut {
                self.note_cut(process, org_id, cut);
            }
        }
    }

    /// Notes the logs that were read at one instant: a lane names its last change.
    pub(super) fn note_joint_read(&mut self, process: u64, keys: &[ItemKey], found: &[StoredItem]) {
        let mut cuts = Positions::new();
        for ((_, pk, sk), item) in keys.iter().zip(found) {
            let (Some(org_id), Some(LogItemKey::Lane(lane))) = (org_of_log(pk), LogItemKey::parse(sk)) else {
                continue;
            };
            cuts.entry(org_id).or_default().0[lane] = item.as_ref().map_or(0, |item| last_of(item));
        }
        for (org_id, cut) in cuts {
            self.note_cut(process, org_id, cut);
        }
    }

    fn note_cut(&mut self, process: u64, org_id: OrgId, cut: LogPosition) {
        self.cuts.entry((process, org_id)).or_default().push(cut);
        let everything = self.everything();
        self.instants.entry(process).or_default().push(everything);
    }

    /// Returns the positions at which a process read a log, the last ones first.
    pub(super) fn cuts_of(&self, process: u64, org_id: OrgId) -> Vec<LogPosition> {
        self.cuts.get(&(process, org_id)).into_iter().flatten().rev().copied().collect()
    }

    /// Returns everything that was written at the instants at which a process read a log.
    pub(super) fn instants_of(&self, process: u64) -> &[Positions] {
        self.instants.get(&process).map_or(&[], Vec::as_slice)
    }

    /// True if positions of several logs are the state of one instant, as far as transactions on two of them tell: each is in both
    /// positions, or in none.
    pub(super) fn are_joint(&self, cuts: &Positions) -> bool {
        self.crossings.iter().all(|names| {
            let included =
                |(org_id, lane, sequence): &ChangeName| cuts.get(org_id).map(|cut| cut.includes(*lane, *sequence));
            let mut included = names.iter().filter_map(included);
            let first = included.next();
            included.all(|other| Some(other) == first)
        })
    }

    /// Returns positions in which the unread logs also have each transaction that a position of another log includes. A log is read item
    /// by item, so that its position may be that of no instant.
    pub(super) fn with_crossings(&self, cuts: &Positions, unread: &[OrgId]) -> Positions {
        let mut positions = cuts.clone();
        for names in &self.crossings {
            let is_included = names.iter().any(|(org_id, lane, sequence)| {
                !unread.contains(org_id) && cuts.get(org_id).is_some_and(|cut| cut.includes(*lane, *sequence))
            });
            for (org_id, lane, sequence) in names.iter().filter(|(org_id, ..)| is_included && unread.contains(org_id)) {
                if let Some(position) = positions.get_mut(org_id) {
                    position.0[*lane] = position.0[*lane].max(*sequence);
                }
            }
        }
        positions
    }

    /// Returns the positions that include every change.
    pub(super) fn everything(&self) -> Positions {
        let mut positions = Positions::new();
        for (org_id, log) in &self.logs {
            let position = positions.entry(*org_id).or_default();
            for (lane, sequence) in log.keys() {
                position.0[*lane] = position.0[*lane].max(*sequence);
            }
        }
        positions
    }

    /// Notes that a process was told that its writes are done.
    pub(super) fn acknowledge(&mut self, process: u64) {
        for (org_id, lane, sequence) in self.written.remove(&process).unwrap_or_default() {
            let last = &mut self.acknowledged.entry(org_id).or_default().0[lane];
            *last = sequence.max(*last);
        }
    }

    /// Forgets what a process read.
    pub(super) fn forget(&mut self, process: u64) {
        self.cuts.retain(|(other, _), _| *other != process);
        self.instants.remove(&process);
    }

    /// True if a transaction wrote the review like this.
    pub(super) fn was_written(&self, review: &Review) -> bool {
        let (id, place) = (ReviewNumber::of(&review.id), Some(Place::of(review)));
        let log = self.logs.get(&review.org_id);
        log.is_some_and(|log| {
            log.values().any(|change| change.id == id && change.version == review.version && change.new == place)
        })
    }

    /// Returns the state of the reviews of an organisation at a position: place and version of each.
    pub(super) fn state_at(&self, org_id: OrgId, cut: &LogPosition) -> HashMap<ReviewNumber, (Arc<Place>, u64)> {
        let mut state = HashMap::new();
        for ((lane, sequence), change) in self.logs.get(&org_id).into_iter().flatten() {
            if !cut.includes(*lane, *sequence) {
                continue;
            }
            match &change.new {
                Some(place) => drop(state.insert(change.id, (Arc::new(place.clone()), change.version))),
                None => drop(state.remove(&change.id)),
            }
        }
        state
    }

    /// True if a review is in the set.
    pub(super) fn has_reviews(&self, set: &ReviewSet) -> bool {
        let tree = TreeKey { set: set.clone(), facet_key: None };
        self.current.values().any(|(org_id, _, place)| *org_id == set.org_id() && place.is_in(*org_id, &tree))
    }

    /// Checks that no business moves any more, and that each review is in the place of its business.
    pub(super) fn judge_places(&mut self, places: &HashMap<BusinessId, ReviewLocation>) {
        if let Some((business_id, place)) = places.iter().find(|(_, place)| !place.leaving.is_empty()) {
            self.violated(format!("all moves are finished, and {business_id:?} is leaving: {place:?}"));
        }
        let is_placed = |(org_id, _, place): &(OrgId, u64, Place)| {
            let at = places.get(&place.business_id).map(|at| &at.location);
            at.is_some_and(|at| (at.org_id, &at.city_key) == (*org_id, &place.city_key))
        };
        let misplaced = self.current.iter().find(|(_, state)| !is_placed(state)).map(|found| format!("{found:?}"));
        if let Some(found) = misplaced {
            self.violated(format!("a review is not in the place of its business: {found}"));
        }
    }
}

/// Returns the position up to which the items of a log are complete, and the number of changes that they hold. No position if a lane has
/// a gap before the last change that it names: a transaction has appeared in part.
fn cut_of(items: &[Item]) -> (Option<LogPosition>, usize) {
    let (mut known, mut cut, mut lasts) = (BTreeSet::new(), LogPosition::default(), [0; LANES]);
    for item in items {
        let sort_key = item.get("sk").and_then(|sk| sk.as_s().ok()).map_or("", String::as_str);
        match LogItemKey::parse(sort_key).expect("a key of a log") {
            LogItemKey::Directory => {
                let bytes = item["v"].as_b().expect("bytes");
                cut = Directory::decode(bytes.as_ref()).expect("a directory").trimmed_to;
            }
            LogItemKey::Lane(lane) | LogItemKey::Chunk { lane, .. } => {
                known.extend(entries_of(lane, item).iter().map(|entry| (lane, entry.sequence)));
                lasts[lane] = lasts[lane].max(last_of(item));
            }
        }
    }
    for lane in 0..LANES {
        while known.contains(&(lane, cut.0[lane] + 1)) {
            cut.0[lane] += 1;
        }
    }
    let is_complete = lasts.iter().zip(&cut.0).all(|(last, end)| last <= end);
    (is_complete.then_some(cut), known.len())
}

/// Returns the last change that a lane item names.
fn last_of(item: &Item) -> u64 {
    item.get("last").and_then(|last| last.as_n().ok()?.parse().ok()).unwrap_or_default()
}

fn entries_of(lane: usize, attributes: &Item) -> Vec<LogEntry> {
    let entries = |(first, bytes): (u64, Vec<u8>)| read_entries(lane, first, &bytes).expect("changes");
    changes_of(attributes).into_iter().flat_map(entries).collect()
}

fn org_of_log(pk: &str) -> Option<OrgId> {
    OrgId::new(pk.strip_prefix(LOG_PK_PREFIX)?.parse().ok()?)
}
