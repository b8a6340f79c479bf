//! Writers of reviews: bodies and the changes of the log in one transaction.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::fault::PlantedFault;
use super::items::{
    Body, FACETS, Item, Key, Lane, ORGS, SECONDS, USED_LANES, business_id, city_key, facet_key, review_number, second,
};
use super::table::SimulatedTable;
use super::transaction::{Group, commit};
use crate::ledger::{LogChange, Place};

/// Knowledge of a lane in a process.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownLane {
    pub last: u64,
    /// Unsealed changes as of `last`; `None` if the process does not know them.
    pub unsealed: Option<BTreeMap<u64, Vec<LogChange>>>,
}

/// Knowledge of a process: lanes by organisation and lane, and organisations that are listed.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    lanes: BTreeMap<(u8, usize), KnownLane>,
    listed: [bool; ORGS as usize + 1],
}

/// Review as it is to be written; without a place it is deleted.
#[derive(Clone, Debug)]
struct Intent {
    review: u64,
    target: Option<(u8, Place)>,
}

/// Writes one review, or several of one lane, until it succeeds or is refused.
pub(super) async fn write(table: Rc<SimulatedTable>, knowledge: Rc<RefCell<Knowledge>>) {
    let intents = random_intents(&table);
    for attempt in 0..10 {
        let mut olds = Vec::new();
        for intent in &intents {
            table.maybe_pause().await;
            olds.push(table.body(intent.review));
        }
        list_orgs(&table, &knowledge, &intents, &olds).await;
        if attempt == 0 && table.has(PlantedFault::MoveInTwoTransactions) {
            return write_in_two(&table, &knowledge, &intents, &olds).await;
        }
        let groups = group(&table, &intents, &olds);
        if groups.is_empty() {
            return;
        }
        table.pause().await;
        let mut known = known_lanes(&knowledge, &groups);
        let written = commit(&table, &groups, &mut known);
        let is_reply_lost = table.chance(8);
        let Some(number) = written else {
            // Somebody else was first: learn the lane again, or only its last sequence.
            refresh(&table, &knowledge, &groups).await;
            continue;
        };
        while table.is_open(number) {
            table.pause().await;
        }
        if !is_reply_lost {
            knowledge.borrow_mut().lanes.extend(known);
            acknowledge(&table, number);
            list_late(&table, &groups).await;
            return;
        }
        table.pause().await;
        // The reply is lost. The body tells.
        let first = &intents[0];
        if table.body(first.review).is_some_and(|body| body.written == number) {
            acknowledge(&table, number);
            return;
        }
        refresh(&table, &knowledge, &groups).await;
        if first.target.is_none() {
            return;
        }
    }
    table.counts.borrow_mut().given_up += 1;
}

/// Chooses what is written.
fn random_intents(table: &SimulatedTable) -> Vec<Intent> {
    let lane = table.below(USED_LANES as u64);
    let batch = if table.chance(30) { 1 + table.below(4) } else { 1 };
    let mut intents: Vec<Intent> = Vec::new();
    for _ in 0..batch {
        let review = table.below(table.reviews / USED_LANES as u64) * USED_LANES as u64 + lane;
        if intents.iter().all(|intent| intent.review != review) {
            let target = (!table.chance(8)).then(|| random_place(table));
            intents.push(Intent { review, target });
        }
    }
    intents
}

/// Returns a random organisation and place. Most reviews are of the first organisation.
pub(super) fn random_place(table: &SimulatedTable) -> (u8, Place) {
    let org = if table.chance(75) { 1 } else { 2 };
    let number = |limit: u8| u8::try_from(table.below(u64::from(limit))).expect("a small number");
    let place = Place {
        effective_at: second(table.below(SECONDS)),
        facet_key: facet_key(number(FACETS)),
        city_key: city_key(1 + number(2)),
        business_id: business_id(3 + number(3)),
    };
    (org, place)
}

/// Makes sure that each organisation is listed.
async fn list_orgs(
    table: &SimulatedTable,
    knowledge: &Rc<RefCell<Knowledge>>,
    intents: &[Intent],
    olds: &[Option<Body>],
) {
    let new_orgs = intents.iter().filter_map(|intent| intent.target.as_ref()).map(|(org, _)| *org);
    let old_orgs = olds.iter().flatten().map(|body| body.org);
    for org in new_orgs.chain(old_orgs) {
        if !knowledge.borrow().listed[usize::from(org)] && !table.has(PlantedFault::ListedLate) {
            table.pause().await;
            table.put(Key::Listed(org), Item::Listed);
        }
        knowledge.borrow_mut().listed[usize::from(org)] = true;
    }
}

/// Planted fault: lists organisations behind their first write.
async fn list_late(table: &SimulatedTable, groups: &[Group]) {
    if table.has(PlantedFault::ListedLate) {
        table.pause().await;
        for group in groups {
            table.put(Key::Listed(group.org), Item::Listed);
        }
    }
}

/// Groups the changes by organisation. All are of one lane. A review that moves is in two groups.
fn group(table: &SimulatedTable, intents: &[Intent], olds: &[Option<Body>]) -> Vec<Group> {
    let mut groups: BTreeMap<u8, Group> = BTreeMap::new();
    for (intent, body) in intents.iter().zip(olds) {
        if intent.target.is_none() && body.is_none() {
            continue;
        }
        let logged =
            if table.has(PlantedFault::UnguardedPlace) { table.eventual_body(intent.review) } else { body.clone() };
        let old_org = logged.as_ref().map(|body| body.org);
        let new_org = intent.target.as_ref().map(|(org, _)| *org);
        let version = next_version(table, intent.review, body.as_ref());
        let lane = review_number(intent.review).lane();
        for org in old_org.into_iter().chain(new_org.filter(|org| Some(*org) != old_org)) {
            if table.has(PlantedFault::MoveLoggedOnce) && Some(org) != new_org && new_org.is_some() {
                continue;
            }
            let change = LogChange {
                id: review_number(intent.review),
                version,
                old_version: body.as_ref().map_or(0, |body| body.version),
                old: logged.as_ref().filter(|body| body.org == org).map(|body| body.place.clone()),
                new: intent.target.as_ref().filter(|(target, _)| *target == org).map(|(_, place)| place.clone()),
            };
            let group =
                groups.entry(org).or_insert_with(|| Group { org, lane, changes: Vec::new(), bodies: Vec::new() });
            group.changes.push(change);
            if Some(org) == new_org.or(old_org) {
                group.bodies.push((intent.review, body.clone(), intent.target.clone()));
            }
        }
    }
    groups.into_values().collect()
}

/// Returns the version of the next body. A deleted review continues its versions when it comes back.
fn next_version(table: &SimulatedTable, review: u64, body: Option<&Body>) -> u64 {
    let earlier =
        table.commits.borrow().iter().rev().find(|commit| commit.review == review).map(|commit| commit.version);
    match body {
        Some(body) => body.version + 1,
        None if table.has(PlantedFault::VersionRestarts) => 1,
        None => earlier.unwrap_or(0) + 1,
    }
}

/// Planted fault: writes each organisation's part of a move in a transaction of its own.
async fn write_in_two(
    table: &SimulatedTable,
    knowledge: &Rc<RefCell<Knowledge>>,
    intents: &[Intent],
    olds: &[Option<Body>],
) {
    let mut groups = group(table, intents, olds);
    groups.sort_by_key(|group| group.bodies.is_empty());
    for group in groups {
        table.pause().await;
        let mut known = known_lanes(knowledge, std::slice::from_ref(&group));
        match commit(table, std::slice::from_ref(&group), &mut known) {
            Some(number) => {
                while table.is_open(number) {
                    table.pause().await;
                }
                acknowledge(table, number);
            }
            None => return refresh(table, knowledge, &[group]).await,
        }
        knowledge.borrow_mut().lanes.extend(known);
    }
}

/// Returns what the process knows of the lanes of the groups.
fn known_lanes(knowledge: &Rc<RefCell<Knowledge>>, groups: &[Group]) -> BTreeMap<(u8, usize), KnownLane> {
    let knowledge = knowledge.borrow();
    let keys = groups.iter().map(|group| (group.org, group.lane));
    keys.map(|key| (key, knowledge.lanes.get(&key).cloned().unwrap_or_default())).collect()
}

/// Reads the lanes of the groups again.
async fn refresh(table: &SimulatedTable, knowledge: &Rc<RefCell<Knowledge>>, groups: &[Group]) {
    for group in groups {
        table.maybe_pause().await;
        let Some(Item::Lane(Lane { last, unsealed })) =
            table.strong(Key::lane(group.org, group.lane)).as_deref().cloned()
        else {
            continue;
        };
        let mut knowledge = knowledge.borrow_mut();
        let known = knowledge.lanes.entry((group.org, group.lane)).or_default();
        match &mut known.unsealed {
            Some(stale) if table.has(PlantedFault::SealFromStaleState) => {
                stale.insert(known.last + 1, group.changes.clone());
            }
            content => *content = table.chance(80).then_some(unsealed),
        }
        known.last = last;
    }
}

/// Notes that a transaction is acknowledged.
fn acknowledge(table: &SimulatedTable, number: usize) {
    let mut acknowledged = table.acknowledged.borrow_mut();
    for commit in table.commits.borrow().iter().filter(|commit| commit.written == number) {
        let position = acknowledged.entry(commit.org).or_default();
        let last = &mut position.0[commit.lane];
        *last = commit.sequence.max(*last);
    }
}
