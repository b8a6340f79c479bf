//! Folds: bring the changes of a log into the trees.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::directory::{put_buckets, put_directory, trim};
use super::engine::{all_postings, build, delta, edit};
use super::fault::PlantedFault;
use super::items::{FACETS, TreeId, facet_key, sets_of};
use super::log_query::{Log, query_log};
use super::nodes::{put_root, strong_root, write_nodes};
use super::world::{LostError, World};
use crate::ledger::tree::{OldestPostings, TreeRoot};
use crate::ledger::{Directory, FACET_KEY_COUNT, LogPosition, Posting, TreeDelta};

/// Number of postings from which a set has facet trees.
const FACETS_FROM: i64 = 4;

/// Returns the directory of an organisation without reviews.
pub(super) fn first_directory() -> Directory {
    Directory { edition: 1, ..Directory::default() }
}

/// Folds a log, once. True if it came to its end.
pub(super) async fn fold(world: Rc<World>, org: u8) -> bool {
    let done = try_fold(&world, org).await.is_ok();
    let mut counts = world.counts.borrow_mut();
    counts.folds += u64::from(done);
    counts.lost_folds += u64::from(!done);
    done
}

/// Folds a log. Another process that is faster ends it.
async fn try_fold(world: &World, org: u8) -> Result<(), LostError> {
    let log = query_log(world, org).await;
    if log.directory.is_none() {
        return Ok(());
    }
    let touched = touched_sets(world, &log);
    if world.has(PlantedFault::DirectoryBeforeRoots) {
        let editions = touched.iter().map(|set| {
            let tree = TreeId::of_set(org, *set);
            (tree, strong_root(world, tree).map_or(1, |root| root.edition + 1))
        });
        put_all(world, org, &log, &editions.collect()).await;
    }
    let mut editions = BTreeMap::new();
    for set in shuffled(world, touched) {
        let tree = TreeId::of_set(org, set);
        editions.insert(tree, fold_set(world, tree, &log).await?);
    }
    if world.has(PlantedFault::TrimBeforeDirectory) {
        trim(world, org, &log, &log.end).await;
    }
    put_all(world, org, &log, &editions).await;
    Ok(())
}

/// Writes the buckets, then the directory, then trims the log: readers go from the directory to the buckets to the roots.
async fn put_all(world: &World, org: u8, log: &Log, editions: &BTreeMap<TreeId, u64>) {
    let is_buckets_last = world.has(PlantedFault::BucketsAfterDirectory);
    let mut buckets = BTreeMap::new();
    if !is_buckets_last {
        buckets = put_buckets(world, org, editions).await;
    }
    let trimmed_to = put_directory(world, org, log, editions, &buckets).await;
    if is_buckets_last {
        put_buckets(world, org, editions).await;
    }
    trim(world, org, log, &trimmed_to).await;
}

/// Returns the sets that the changes behind the directory touch.
fn touched_sets(world: &World, log: &Log) -> BTreeSet<u8> {
    let directory = log.directory();
    let mut sets = BTreeSet::new();
    for entry in log.behind(&directory.trimmed_to) {
        let old = entry.change.old.as_ref().filter(|_| !world.has(PlantedFault::OldPlaceNotFolded));
        for place in old.into_iter().chain(&entry.change.new) {
            sets.extend(sets_of(place));
        }
    }
    sets
}

/// Returns the sets in a random order: a fold brings them up to date at the same time.
fn shuffled(world: &World, sets: BTreeSet<u8>) -> Vec<u8> {
    let mut sets: Vec<u8> = sets.into_iter().collect();
    for last in (1..sets.len()).rev() {
        sets.swap(last, usize::try_from(world.below(last as u64 + 1)).expect("a small number"));
    }
    sets
}

/// Brings the trees of a set up to the end of a log. Returns the edition of its root.
async fn fold_set(world: &World, tree: TreeId, log: &Log) -> Result<u64, LostError> {
    world.pause().await;
    let old = strong_root(world, tree).unwrap_or_else(TreeRoot::empty);
    if old.position.covers(&log.end) {
        return Ok(old.edition);
    }
    let delta = delta_for_fold(world, tree, log, &old);
    if delta.is_empty() && world.has(PlantedFault::EmptyChangeNotWritten) {
        return Ok(old.edition);
    }
    let edited = edit(world, tree, old.clone(), &delta, new_position(world, &old, log)).await?;
    let mut root = write_nodes(world, tree, old.edition + 1, old.free.clone(), edited).await;
    if world.has(PlantedFault::FacetsAfterRoot) && root.facet_editions.is_some() {
        let named = fold_facets(world, tree, log, &old, &delta).await;
        world.pause().await;
        put_root(world, tree, old.edition, TreeRoot { facet_editions: root.facet_editions.clone(), ..root.clone() })?;
        return named.map(|_| root.edition);
    }
    if root.facet_editions.is_some() {
        let named = fold_facets(world, tree, log, &old, &delta).await?;
        if !world.has(PlantedFault::FacetNotNamed) {
            root.facet_editions = Some(named);
        }
    } else if tree.set < 3 && root.counts().total() >= FACETS_FROM {
        root.facet_editions = Some(create_facets(world, tree, &old, &root).await?);
    }
    world.pause().await;
    put_root(world, tree, old.edition, by_any_version(world, &old, root))
}

/// Returns the root that a fold of this version puts, or of an earlier one, which knows no copies of oldest postings.
fn by_any_version(world: &World, old: &TreeRoot, root: TreeRoot) -> TreeRoot {
    if !world.chance(15) {
        return root;
    }
    let is_left = world.has(PlantedFault::CopiesOfEarlierEdition);
    TreeRoot { oldest: if is_left { old.oldest.clone() } else { OldestPostings::NONE }, ..root }
}

/// Returns the difference between a root and the end of a log.
fn delta_for_fold(world: &World, tree: TreeId, log: &Log, old: &TreeRoot) -> TreeDelta {
    let directory = log.directory();
    let from = if world.has(PlantedFault::DeltaFromDirectory) { &directory.trimmed_to } else { &old.position };
    delta(world, tree, &log.entries, from, &log.end)
}

/// Returns the position of a folded root: what it contained, and the log.
fn new_position(world: &World, old: &TreeRoot, log: &Log) -> LogPosition {
    if world.has(PlantedFault::PositionNotMerged) { log.end } else { old.position.max(&log.end) }
}

/// Brings the facet trees that changes behind a root touch up to the end of a log. Returns the editions of all.
async fn fold_facets(
    world: &World,
    tree: TreeId,
    log: &Log,
    old: &TreeRoot,
    delta: &TreeDelta,
) -> Result<Vec<u64>, LostError> {
    let mut editions = old.facet_editions.clone().unwrap_or_default();
    for facet in 0..FACETS {
        let is_of_net = |posting: &Posting| posting.facet_key == facet_key(facet);
        let is_touched = if world.has(PlantedFault::FacetsOfNetChange) {
            delta.removed.values().any(is_of_net) || delta.added.iter().any(is_of_net)
        } else {
            is_touched(log, old, tree.with_facet(facet))
        };
        if is_touched {
            let edition = fold_facet(world, tree.with_facet(facet), log).await?;
            let named = &mut editions[usize::from(facet)];
            *named = edition.max(*named);
        }
    }
    Ok(editions)
}

/// True if a change behind a root's position touches a tree. A facet tree may be newer than the root and hold a review that
/// only passed through it: the difference between first and last place does not tell.
fn is_touched(log: &Log, root: &TreeRoot, tree: TreeId) -> bool {
    let key = tree.key();
    log.behind(&root.position).any(|entry| {
        let mut places = entry.change.old.iter().chain(&entry.change.new);
        places.any(|place| place.is_in(key.set.org_id(), &key))
    })
}

/// Brings a facet tree up to the end of a log. Returns the edition of its root.
async fn fold_facet(world: &World, tree: TreeId, log: &Log) -> Result<u64, LostError> {
    world.pause().await;
    let old = strong_root(world, tree).unwrap_or_else(TreeRoot::empty);
    if old.position.covers(&log.end) {
        return Ok(old.edition);
    }
    let delta = delta_for_fold(world, tree, log, &old);
    if delta.is_empty() && world.has(PlantedFault::EmptyChangeNotWritten) {
        return Ok(old.edition);
    }
    let edited = edit(world, tree, old.clone(), &delta, new_position(world, &old, log)).await?;
    let root = write_nodes(world, tree, old.edition + 1, old.free, edited).await;
    world.pause().await;
    put_root(world, tree, old.edition, root)
}

/// Creates the facet trees of a set from the postings of its new root. Returns their editions.
async fn create_facets(world: &World, tree: TreeId, old: &TreeRoot, root: &TreeRoot) -> Result<Vec<u64>, LostError> {
    let all = all_postings(world, tree, root).await?;
    let position = if world.has(PlantedFault::FacetsFromOlderState) { old.position } else { root.position };
    let mut editions = vec![0; FACET_KEY_COUNT];
    for facet in 0..FACETS {
        let own = all.iter().filter(|posting| posting.facet_key == facet_key(facet)).copied().collect();
        editions[usize::from(facet)] = create_facet(world, tree.with_facet(facet), own, position).await?;
    }
    world.counts.borrow_mut().facet_creations += 1;
    Ok(editions)
}

/// Creates a facet tree, or replaces the one of an earlier creation. Returns its edition.
async fn create_facet(world: &World, tree: TreeId, own: Vec<Posting>, position: LogPosition) -> Result<u64, LostError> {
    world.maybe_pause().await;
    let old = strong_root(world, tree).unwrap_or_else(TreeRoot::empty);
    // Nobody kept the tree of an earlier creation complete, so it is replaced.
    if old.edition > 0 && world.has(PlantedFault::FacetsOfDeadCreationKept) {
        return Ok(old.edition);
    }
    // A root never goes back: another creation may name an earlier edition of it, and the log may be trimmed up to there.
    if !position.covers(&old.position) {
        return Err(LostError);
    }
    let root = write_nodes(world, tree, old.edition + 1, Vec::new(), build(world, own, position)).await;
    world.maybe_pause().await;
    put_root(world, tree, old.edition, root)
}
