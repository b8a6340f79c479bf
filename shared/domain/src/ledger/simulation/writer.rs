//! Writers of reviews: bodies and the changes of the log in one transaction.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::fault::PlantedFault;
use super::items::{
    Body, FACETS, Item, Key, Lane, ORGS, SECONDS, USED_LANES, business_id, city_key, facet_key, review_number, second,
};
use super::transaction::{Group, commit};
use super::world::World;
use crate::ledger::{LogChange, Place};

/// Knowledge of a lane in a process.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownLane {
    pub last: u64,
    /// Unsealed changes as of `last`; `None` if the process does not know them.
    pub unsealed: Option<BTreeMap<u64, Vec<LogChange>>>,
}

/// Knowledge of a process: lanes by organisation and lane, and organisations that may be written to.
#[derive(Debug, Default)]
pub(super) struct Knowledge {
    lanes: BTreeMap<(u8, usize), KnownLane>,
    begun: [bool; ORGS as usize + 1],
}

/// Review as it is to be written; without a place it is deleted.
#[derive(Clone, Debug)]
struct Intent {
    review: u64,
    target: Option<(u8, Place)>,
}

/// Writes one review, or several of one lane, until it succeeds or is refused.
pub(super) async fn write(world: Rc<World>, knowledge: Rc<RefCell<Knowledge>>) {
    let intents = random_intents(&world);
    for attempt in 0..10 {
        let mut olds = Vec::new();
        for intent in &intents {
            world.maybe_pause().await;
            olds.push(world.body(intent.review));
        }
        if !begin_orgs(&world, &knowledge, &intents, &olds).await {
            world.counts.borrow_mut().refused_writes += 1;
            return;
        }
        if attempt == 0 && world.has(PlantedFault::MoveInTwoTransactions) {
            return write_in_two(&world, &knowledge, &intents, &olds).await;
        }
        let groups = group(&world, &intents, &olds);
        if groups.is_empty() {
            return;
        }
        world.pause().await;
        let mut known = known_lanes(&knowledge, &groups);
        let written = commit(&world, &groups, &mut known);
        let is_reply_lost = world.chance(8);
        let Some(number) = written else {
            // Somebody else was first: learn the lane anew, or only its last sequence.
            refresh(&world, &knowledge, &groups).await;
            continue;
        };
        while world.is_open(number) {
            world.pause().await;
        }
        if !is_reply_lost {
            knowledge.borrow_mut().lanes.extend(known);
            acknowledge(&world, number);
            list_late(&world, &groups).await;
            return;
        }
        world.pause().await;
        // The reply is lost. The body tells.
        let first = &intents[0];
        if world.body(first.review).is_some_and(|body| body.written == number) {
            acknowledge(&world, number);
            return;
        }
        refresh(&world, &knowledge, &groups).await;
        if first.target.is_none() {
            return;
        }
    }
    world.counts.borrow_mut().given_up += 1;
}

/// Chooses what is written.
fn random_intents(world: &World) -> Vec<Intent> {
    let lane = world.below(USED_LANES as u64);
    let batch = if world.chance(30) { 1 + world.below(4) } else { 1 };
    let mut intents: Vec<Intent> = Vec::new();
    for _ in 0..batch {
        let review = world.below(world.reviews / USED_LANES as u64) * USED_LANES as u64 + lane;
        if intents.iter().all(|intent| intent.review != review) {
            let target = (!world.chance(8)).then(|| random_place(world));
            intents.push(Intent { review, target });
        }
    }
    intents
}

/// Returns a random organisation and place. Most reviews are of the first organisation.
pub(super) fn random_place(world: &World) -> (u8, Place) {
    let org = if world.chance(75) { 1 } else { 2 };
    let number = |limit: u8| u8::try_from(world.below(u64::from(limit))).expect("a small number");
    let place = Place {
        effective_at: second(world.below(SECONDS)),
        facet_key: facet_key(number(FACETS)),
        city_key: city_key(1 + number(2)),
        business_id: business_id(3 + number(3)),
    };
    (org, place)
}

/// Makes sure that each organisation has a directory and is listed. False if one is not migrated.
async fn begin_orgs(
    world: &World,
    knowledge: &Rc<RefCell<Knowledge>>,
    intents: &[Intent],
    olds: &[Option<Body>],
) -> bool {
    let new_orgs = intents.iter().filter_map(|intent| intent.target.as_ref()).map(|(org, _)| *org);
    let old_orgs = olds.iter().flatten().map(|body| body.org);
    for org in new_orgs.chain(old_orgs) {
        if !knowledge.borrow().begun[usize::from(org)] && !begin_org(world, org).await {
            return false;
        }
        knowledge.borrow_mut().begun[usize::from(org)] = true;
    }
    true
}

/// Makes sure that an organisation has a directory and is listed. False if it is not migrated.
async fn begin_org(world: &World, org: u8) -> bool {
    world.pause().await;
    let is_listed = world.strong(Key::Listed(org)).is_some();
    world.pause().await;
    // The directory is read behind the list: another writer may have begun the organisation between the two.
    let has_directory = world.strong(Key::directory(org)).is_some();
    if is_listed {
        if !has_directory && world.has(PlantedFault::WriterBeginsUnbuilt) {
            world.put(Key::directory(org), Item::Directory(super::fold::first_directory()));
            return true;
        }
        return has_directory;
    }
    if world.has(PlantedFault::DirectoryAfterListing) {
        world.put(Key::Listed(org), Item::Listed);
        world.pause().await;
        world.pause().await;
    }
    if world.strong(Key::directory(org)).is_none() {
        world.put(Key::directory(org), Item::Directory(super::fold::first_directory()));
    }
    world.pause().await;
    if !world.has(PlantedFault::ListedLate) {
        world.put(Key::Listed(org), Item::Listed);
    }
    true
}

/// Planted fault: lists organisations behind their first write.
async fn list_late(world: &World, groups: &[Group]) {
    if world.has(PlantedFault::ListedLate) {
        world.pause().await;
        for group in groups {
            world.put(Key::Listed(group.org), Item::Listed);
        }
    }
}

/// Groups the changes by organisation. All are of one lane. A review that moves is in two groups.
fn group(world: &World, intents: &[Intent], olds: &[Option<Body>]) -> Vec<Group> {
    let mut groups: BTreeMap<u8, Group> = BTreeMap::new();
    for (intent, body) in intents.iter().zip(olds) {
        if intent.target.is_none() && body.is_none() {
            continue;
        }
        let logged =
            if world.has(PlantedFault::UnguardedPlace) { world.eventual_body(intent.review) } else { body.clone() };
        let old_org = logged.as_ref().map(|body| body.org);
        let new_org = intent.target.as_ref().map(|(org, _)| *org);
        let version = next_version(world, intent.review, body.as_ref());
        let lane = review_number(intent.review).lane();
        for org in old_org.into_iter().chain(new_org.filter(|org| Some(*org) != old_org)) {
            if world.has(PlantedFault::MoveLoggedOnce) && Some(org) != new_org && new_org.is_some() {
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

/// Returns the version of the next body. A deleted review goes on with its versions when it comes back.
fn next_version(world: &World, review: u64, body: Option<&Body>) -> u64 {
    let earlier =
        world.commits.borrow().iter().rev().find(|commit| commit.review == review).map(|commit| commit.version);
    match body {
        Some(body) => body.version + 1,
        None if world.has(PlantedFault::VersionRestarts) => 1,
        None => earlier.unwrap_or(0) + 1,
    }
}

/// Planted fault: writes each organisation's part of a move in a transaction of its own.
async fn write_in_two(world: &World, knowledge: &Rc<RefCell<Knowledge>>, intents: &[Intent], olds: &[Option<Body>]) {
    let mut groups = group(world, intents, olds);
    groups.sort_by_key(|group| group.bodies.is_empty());
    for group in groups {
        world.pause().await;
        let mut known = known_lanes(knowledge, std::slice::from_ref(&group));
        match commit(world, std::slice::from_ref(&group), &mut known) {
            Some(number) => {
                while world.is_open(number) {
                    world.pause().await;
                }
                acknowledge(world, number);
            }
            None => return refresh(world, knowledge, &[group]).await,
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
async fn refresh(world: &World, knowledge: &Rc<RefCell<Knowledge>>, groups: &[Group]) {
    for group in groups {
        world.maybe_pause().await;
        let Some(Item::Lane(Lane { last, unsealed })) =
            world.strong(Key::lane(group.org, group.lane)).as_deref().cloned()
        else {
            continue;
        };
        let mut knowledge = knowledge.borrow_mut();
        let known = knowledge.lanes.entry((group.org, group.lane)).or_default();
        match &mut known.unsealed {
            Some(stale) if world.has(PlantedFault::SealFromStaleState) => {
                stale.insert(known.last + 1, group.changes.clone());
            }
            content => *content = world.chance(80).then_some(unsealed),
        }
        known.last = last;
    }
}

/// Notes that a transaction is acknowledged.
fn acknowledge(world: &World, number: usize) {
    let mut acknowledged = world.acknowledged.borrow_mut();
    for commit in world.commits.borrow().iter().filter(|commit| commit.written == number) {
        let position = acknowledged.entry(commit.org).or_default();
        let last = &mut position.0[commit.lane];
        *last = commit.sequence.max(*last);
    }
}
