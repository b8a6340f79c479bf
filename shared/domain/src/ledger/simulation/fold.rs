//! Folds: bring the changes of a log into the trees.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::directory::{put_buckets, put_directory, trim};
use super::engine::{all_postings, build, delta, edit};
use super::fault::PlantedFault;
use super::items::{FACETS, TreeId, facet_key, sets_of};
use super::log_query::{Log, query_log};
use super::nodes::{put_root, strong_root, write_nodes};
use super::table::{LostError, SimulatedTable};
use crate::ledger::tree::{OldestPostings, TreeRoot};
use crate::ledger::{FACET_KEY_COUNT, LogPosition, Posting, TreeDelta};

/// Number of postings from which a set has facet trees.
const FACETS_FROM: i64 = 4;

/// Folds a log, once. True if it came to its end.
pub(super) async fn fold(table: Rc<SimulatedTable>, org: u8) -> bool {
    let done = try_fold(&table, org).await.is_ok();
    let mut counts = table.counts.borrow_mut();
    counts.folds += u64::from(done);
    counts.lost_folds += u64::from(!done);
    done
}

/// Folds a log. Another process that is faster ends it.
async fn try_fold(table: &SimulatedTable, org: u8) -> Result<(), LostError> {
    let log = query_log(table, org).await;
    let touched = touched_sets(table, &log);
    if table.has(PlantedFault::DirectoryBeforeRoots) {
        let editions = touched.iter().map(|set| {
            let tree = TreeId::of_set(org, *set);
            (tree, strong_root(table, tree).map_or(1, |root| root.edition + 1))
        });
        put_all(table, org, &log, &editions.collect()).await;
    }
    let mut editions = BTreeMap::new();
    for set in shuffled(table, touched) {
        let tree = TreeId::of_set(org, set);
        editions.insert(tree, fold_set(table, tree, &log).await?);
    }
    if table.has(PlantedFault::TrimBeforeDirectory) {
        trim(table, org, &log, &log.end).await;
    }
    put_all(table, org, &log, &editions).await;
    Ok(())
}

/// Writes the buckets, then the directory, then trims the log: readers go from the directory to the buckets to the roots.
async fn put_all(table: &SimulatedTable, org: u8, log: &Log, editions: &BTreeMap<TreeId, u64>) {
    let is_buckets_last = table.has(PlantedFault::BucketsAfterDirectory);
    let mut buckets = BTreeMap::new();
    if !is_buckets_last {
        buckets = put_buckets(table, org, editions).await;
    }
    let trimmed_to = put_directory(table, org, log, editions, &buckets).await;
    if is_buckets_last {
        put_buckets(table, org, editions).await;
    }
    trim(table, org, log, &trimmed_to).await;
}

/// Returns the sets that the changes behind the directory touch.
fn touched_sets(table: &SimulatedTable, log: &Log) -> BTreeSet<u8> {
    let directory = log.directory();
    let mut sets = BTreeSet::new();
    for entry in log.behind(&directory.trimmed_to) {
        let old = entry.change.old.as_ref().filter(|_| !table.has(PlantedFault::OldPlaceNotFolded));
        for place in old.into_iter().chain(&entry.change.new) {
            sets.extend(sets_of(place));
        }
    }
    sets
}

/// Returns the sets in a random order: a fold brings them up to date at the same time.
fn shuffled(table: &SimulatedTable, sets: BTreeSet<u8>) -> Vec<u8> {
    let mut sets: Vec<u8> = sets.into_iter().collect();
    for last in (1..sets.len()).rev() {
        sets.swap(last, usize::try_from(table.below(last as u64 + 1)).expect("a small number"));
    }
    sets
}

/// Brings the trees of a set up to the end of a log. Returns the edition of its root.
async fn fold_set(table: &SimulatedTable, tree: TreeId, log: &Log) -> Result<u64, LostError> {
    table.pause().await;
    let old = strong_root(table, tree).unwrap_or_else(TreeRoot::empty);
    if old.position.covers(&log.end) {
        return Ok(old.edition);
    }
    let delta = delta_for_fold(table, tree, log, &old);
    if delta.is_empty() && table.has(PlantedFault::EmptyChangeNotWritten) {
        return Ok(old.edition);
    }
    let edited = edit(table, tree, old.clone(), &delta, new_position(table, &old, log)).await?;
    let mut root = write_nodes(table, tree, old.edition + 1, old.free.clone(), edited).await;
    if table.has(PlantedFault::FacetsAfterRoot) && root.facet_editions.is_some() {
        let named = fold_facets(table, tree, log, &old, &delta).await;
        table.pause().await;
        put_root(table, tree, old.edition, TreeRoot { facet_editions: root.facet_editions.clone(), ..root.clone() })?;
        return named.map(|_| root.edition);
    }
    if root.facet_editions.is_some() {
        let named = fold_facets(table, tree, log, &old, &delta).await?;
        if !table.has(PlantedFault::FacetNotNamed) {
            root.facet_editions = Some(named);
        }
    } else if tree.set < 3 && root.counts().total() >= FACETS_FROM {
        root.facet_editions = Some(create_facets(table, tree, &old, &root).await?);
    }
    table.pause().await;
    put_root(table, tree, old.edition, with_or_without_copies(table, &old, root))
}

/// Returns the root as most folds put it, or without the copies of oldest postings.
fn with_or_without_copies(table: &SimulatedTable, old: &TreeRoot, root: TreeRoot) -> TreeRoot {
    if !table.chance(15) {
        return root;
    }
    let is_left = table.has(PlantedFault::CopiesOfEarlierEdition);
    TreeRoot { oldest: if is_left { old.oldest.clone() } else { OldestPostings::NONE }, ..root }
}

/// Returns the difference between a root and the end of a log.
fn delta_for_fold(table: &SimulatedTable, tree: TreeId, log: &Log, old: &TreeRoot) -> TreeDelta {
    let directory = log.directory();
    let from = if table.has(PlantedFault::DeltaFromDirectory) { &directory.trimmed_to } else { &old.position };
    delta(table, tree, &log.entries, from, &log.end)
}

/// Returns the position of a folded root: what it contained, and the log.
fn new_position(table: &SimulatedTable, old: &TreeRoot, log: &Log) -> LogPosition {
    if table.has(PlantedFault::PositionNotMerged) { log.end } else { old.position.max(&log.end) }
}

/// Brings the facet trees that changes behind a root touch up to the end of a log. Returns the editions of all.
async fn fold_facets(
    table: &SimulatedTable,
    tree: TreeId,
    log: &Log,
    old: &TreeRoot,
    delta: &TreeDelta,
) -> Result<Vec<u64>, LostError> {
    let mut editions = old.facet_editions.clone().unwrap_or_default();
    for facet in 0..FACETS {
        let is_of_net = |posting: &Posting| posting.facet_key == facet_key(facet);
        let is_touched = if table.has(PlantedFault::FacetsOfNetChange) {
            delta.removed.values().any(is_of_net) || delta.added.iter().any(is_of_net)
        } else {
            is_touched(log, old, tree.with_facet(facet))
        };
        if is_touched {
            let edition = fold_facet(table, tree.with_facet(facet), log).await?;
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
async fn fold_facet(table: &SimulatedTable, tree: TreeId, log: &Log) -> Result<u64, LostError> {
    table.pause().await;
    let old = strong_root(table, tree).unwrap_or_else(TreeRoot::empty);
    if old.position.covers(&log.end) {
        return Ok(old.edition);
    }
    let delta = delta_for_fold(table, tree, log, &old);
    if delta.is_empty() && table.has(PlantedFault::EmptyChangeNotWritten) {
        return Ok(old.edition);
    }
    let edited = edit(table, tree, old.clone(), &delta, new_position(table, &old, log)).await?;
    let root = write_nodes(table, tree, old.edition + 1, old.free, edited).await;
    table.pause().await;
    put_root(table, tree, old.edition, root)
}

/// Creates the facet trees of a set from the postings of its new root. Returns their editions.
async fn create_facets(
    table: &SimulatedTable,
    tree: TreeId,
    old: &TreeRoot,
    root: &TreeRoot,
) -> Result<Vec<u64>, LostError> {
    let all = all_postings(table, tree, root).await?;
    let position = if table.has(PlantedFault::FacetsFromOlderState) { old.position } else { root.position };
    let mut editions = vec![0; FACET_KEY_COUNT];
    for facet in 0..FACETS {
        let own = all.iter().filter(|posting| posting.facet_key == facet_key(facet)).copied().collect();
        editions[usize::from(facet)] = create_facet(table, tree.with_facet(facet), own, position).await?;
    }
    table.counts.borrow_mut().facet_creations += 1;
    Ok(editions)
}

/// Creates a facet tree, or replaces the one of an earlier creation. Returns its edition.
async fn create_facet(
    table: &SimulatedTable,
    tree: TreeId,
    own: Vec<Posting>,
    position: LogPosition,
) -> Result<u64, LostError> {
    table.maybe_pause().await;
    let old = strong_root(table, tree).unwrap_or_else(TreeRoot::empty);
    // Nobody kept the tree of an earlier creation complete, so it is replaced.
    if old.edition > 0 && table.has(PlantedFault::FacetsOfDeadCreationKept) {
        return Ok(old.edition);
    }
    // A root never goes back: another creation may name an earlier edition of it, and the log may be trimmed up to there.
    if !position.covers(&old.position) {
        return Err(LostError);
    }
    let root = write_nodes(table, tree, old.edition + 1, Vec::new(), build(table, own, position)).await;
    table.maybe_pause().await;
    put_root(table, tree, old.edition, root)
}
