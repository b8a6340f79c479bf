//! The transaction that writes bodies and their changes in the log.

use std::collections::BTreeMap;

use super::fault::PlantedFault;
use super::items::{Body, Item, Key, Lane, LogKey, review_of};
use super::table::{Commit, SimulatedTable, Write};
use super::writer::KnownLane;
use crate::ledger::{LogChange, Place};

/// Number of unsealed changes from which a writer seals them.
const UNSEALED_MAX: usize = 3;

/// Review, its body as it was read, and its new organisation and place.
pub(super) type BodyWrite = (u64, Option<Body>, Option<(u8, Place)>);

/// Changes of one organisation in a transaction, all of one lane.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub org: u8,
    pub lane: usize,
    pub changes: Vec<LogChange>,
    /// Bodies that this group writes.
    pub bodies: Vec<BodyWrite>,
}

/// Makes the transaction. Returns its number, or `None` if a condition does not hold. Then nothing was written.
pub(super) fn commit(
    table: &SimulatedTable,
    groups: &[Group],
    known: &mut BTreeMap<(u8, usize), KnownLane>,
) -> Option<usize> {
    if groups.is_empty() || !groups.iter().all(|group| holds(table, group, &known[&(group.org, group.lane)])) {
        return None;
    }
    let number = table.transactions.get() + 1;
    table.transactions.set(number);
    let mut writes = Vec::new();
    for group in groups {
        let known = known.get_mut(&(group.org, group.lane)).expect("every group's lane");
        write_log(table, group, known, number, &mut writes);
        writes
            .extend(group.bodies.iter().map(|(review, _, target)| body_write(*review, target.as_ref(), group, number)));
    }
    table.begin_transaction(number, writes);
    table.counts.borrow_mut().writes += groups.iter().map(|group| group.bodies.len() as u64).sum::<u64>();
    Some(number)
}

/// True if the conditions of a group hold.
fn holds(table: &SimulatedTable, group: &Group, known: &KnownLane) -> bool {
    let last = match table.strong(Key::lane(group.org, group.lane)).as_deref() {
        Some(Item::Lane(lane)) => lane.last,
        _ => 0,
    };
    // A transaction refuses items that another one holds.
    let is_held = table.is_held(Key::lane(group.org, group.lane))
        || group.bodies.iter().any(|(review, ..)| table.is_held(Key::Body(*review)));
    let is_lane_known = last == known.last || table.has(PlantedFault::LaneWithoutCondition);
    let are_bodies_known = group.bodies.iter().all(|(review, read, _)| {
        let version = table.body(*review).map(|body| body.version);
        version == read.as_ref().map(|body| body.version) || table.has(PlantedFault::BodyWithoutCondition)
    });
    !is_held && is_lane_known && are_bodies_known
}

/// Writes the changes of a group: beside the last sequence of the lane, or as a sealed chunk.
fn write_log(table: &SimulatedTable, group: &Group, known: &mut KnownLane, number: usize, writes: &mut Vec<Write>) {
    let key = Key::lane(group.org, group.lane);
    let mut lane = match table.strong(key).as_deref() {
        Some(Item::Lane(lane)) => lane.clone(),
        _ => Lane::default(),
    };
    let first = known.last + 1;
    lane.last = known.last + group.changes.len() as u64;
    note_commits(table, group, first, number);
    // A lane that was never written has nothing to seal.
    let content = if known.last == 0 { Some(BTreeMap::new()) } else { known.unsealed.clone() };
    let unsealed: usize = content.iter().flatten().map(|(_, changes)| changes.len()).sum();
    let seals = unsealed + group.changes.len() > UNSEALED_MAX;
    if !seals && content.is_some() {
        lane.unsealed.insert(first, group.changes.clone());
        known.unsealed = content.map(|mut content| {
            content.insert(first, group.changes.clone());
            content
        });
    } else {
        writes.push(seal(table, group, first, content, &mut lane));
        known.unsealed = Some(lane.unsealed.clone()).filter(|_| seals && known.unsealed.is_some());
    }
    known.last = lane.last;
    writes.push((key, Some(Item::Lane(lane))));
}

/// Returns the put of a chunk, with the unsealed changes of the lane where they are known.
fn seal(
    table: &SimulatedTable,
    group: &Group,
    first: u64,
    content: Option<BTreeMap<u64, Vec<LogChange>>>,
    lane: &mut Lane,
) -> Write {
    if content.is_none() && table.has(PlantedFault::SealUnknownState) {
        lane.unsealed.clear();
    }
    let content = content.unwrap_or_default();
    lane.unsealed.retain(|first, _| !content.contains_key(first));
    // Only a run without a gap can be one chunk: what is before a gap is already trimmed or sealed.
    let mut chunk = group.changes.clone();
    let mut start = first;
    for (first, changes) in content.into_iter().rev() {
        if first + changes.len() as u64 == start {
            chunk.splice(0..0, changes);
            start = first;
        } else {
            lane.unsealed.insert(first, changes);
        }
    }
    (Key::Log(group.org, LogKey { lane: group.lane, first: start }), Some(Item::Chunk(chunk)))
}

/// Notes the changes for the judge.
fn note_commits(table: &SimulatedTable, group: &Group, first: u64, number: usize) {
    let mut commits = table.commits.borrow_mut();
    for (sequence, change) in (first..).zip(&group.changes) {
        let taken = commits.iter().any(|c| (c.org, c.lane, c.sequence) == (group.org, group.lane, sequence));
        if taken {
            table.violated(format!("sequence {sequence} of lane {} is written twice", group.lane));
        }
        commits.push(Commit {
            org: group.org,
            lane: group.lane,
            sequence,
            review: review_of(change.id),
            version: change.version,
            new: change.new.clone(),
            written: number,
        });
    }
}

/// Returns the put or the deletion of a body.
fn body_write(review: u64, target: Option<&(u8, Place)>, group: &Group, number: usize) -> Write {
    let key = Key::Body(review);
    let Some((org, place)) = target else { return (key, None) };
    let change = group.changes.iter().find(|change| review_of(change.id) == review).expect("a change of each body");
    (key, Some(Item::Body(Body { version: change.version, org: *org, place: place.clone(), written: number })))
}
