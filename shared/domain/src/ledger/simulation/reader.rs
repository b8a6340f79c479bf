//! Searches: one cut of each organisation's log, roots that are proven current, and nodes by their names.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::bodies::{Shown, prefetch, read_page};
use super::directory::strong_bucket;
use super::engine::{delta, root_of};
use super::fault::PlantedFault;
use super::items::{Body, FACETS, Item, Key, TreeId};
use super::judge::{Answer, judge};
use super::log_query::{Log, query_log};
use super::nodes::strong_root;
use super::page::{SearchedTree, find_page, plan_from_cache};
use super::question::{Question, SearchedSets};
use super::table::{LostError, SimulatedTable};
use crate::ledger::tree::{NodeRef, TreeRoot};
use crate::ledger::{DirectoryBucket, LogPosition, TreeDelta};

/// Number of times that a search begins.
const ATTEMPTS: usize = 12;

/// Cache of a warm function.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pub roots: BTreeMap<TreeId, TreeRoot>,
    buckets: BTreeMap<(u8, usize), DirectoryBucket>,
    /// Binary forms of nodes.
    pub nodes: BTreeMap<(TreeId, NodeRef), Vec<u8>>,
    logs: BTreeMap<u8, Log>,
}

/// Makes one search. Returns the number of attempts that it took; `None` if it gave up.
pub(super) async fn read(table: Rc<SimulatedTable>, cache: Rc<RefCell<Cache>>) -> Option<usize> {
    let acknowledged = table.acknowledged.borrow().clone();
    let question = Question::random(&table);
    let is_warm = table.chance(50);
    let mut prefetched = HashMap::new();
    if is_warm {
        prefetched = prefetch(&table, plan_from_cache(&table, &cache, &question)).await;
    }
    for attempt in 1..=ATTEMPTS {
        let speculated = attempt == 1 && is_warm && table.has(PlantedFault::SpeculationNotProven);
        match try_read(&table, &cache, &question, attempt, &prefetched, speculated).await {
            Ok(answer) => {
                judge(&table, &question, &answer, &acknowledged);
                note(&table, &question, is_warm && attempt == 1);
                return Some(attempt);
            }
            Err(LostError) => table.counts.borrow_mut().restarts += 1,
        }
        table.pause().await;
    }
    table.counts.borrow_mut().given_up += 1;
    None
}

/// Counts an answer.
fn note(table: &SimulatedTable, question: &Question, is_warm: bool) {
    let mut counts = table.counts.borrow_mut();
    counts.answers += 1;
    counts.facet_answers += u64::from(question.by_facet_trees);
    counts.business_answers += u64::from(question.sets == SearchedSets::Businesses);
    counts.two_org_answers += u64::from(question.orgs.len() > 1);
    counts.warm_answers += u64::from(is_warm);
}

/// Makes one attempt.
async fn try_read(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    question: &Question,
    attempt: usize,
    prefetched: &HashMap<u64, Body>,
    speculated: bool,
) -> Result<Answer, LostError> {
    let mut cuts = BTreeMap::new();
    let mut trees = Vec::new();
    for org in question.orgs.iter().copied() {
        let known = cache.borrow().logs.get(&org).cloned();
        let is_reused = speculated || (table.has(PlantedFault::LogFromCache) && table.chance(50));
        let log = match known.filter(|_| is_reused) {
            Some(log) => log,
            None => query_log(table, org).await,
        };
        cache.borrow_mut().logs.insert(org, log.clone());
        cuts.insert(org, log.end);
        for set in question.sets.of_org() {
            trees.extend(read_set(table, cache, question, TreeId::of_set(org, set), &log, attempt).await?);
        }
    }
    let page = find_page(table, cache, question, &trees).await?;
    let shown: Vec<Shown> = read_page(table, question, &page, prefetched).await?;
    Ok(Answer { cuts, count: page.count, shown })
}

/// Reads the trees of a set that a search needs: its main tree, or those of the mask's facet keys.
async fn read_set(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    question: &Question,
    tree: TreeId,
    log: &Log,
    attempt: usize,
) -> Result<Vec<SearchedTree>, LostError> {
    let directory = log.directory();
    let named = if tree.set == 0 {
        if table.has(PlantedFault::OrgEditionNotChecked) { 0 } else { directory.org_edition }
    } else {
        named_in_bucket(table, cache, tree, directory.bucket_editions[tree.bucket()], attempt).await
    };
    let root = read_root(table, cache, tree, named, attempt, &log.end).await?;
    match &root.facet_editions {
        Some(editions) if question.by_facet_trees => {
            let mut trees = Vec::new();
            for facet in (0..FACETS).filter(|facet| question.admits(*facet)) {
                let tree = tree.with_facet(facet);
                let named =
                    if table.has(PlantedFault::FacetEditionNotChecked) { 0 } else { editions[usize::from(facet)] };
                let root = read_root(table, cache, tree, named, attempt, &log.end).await?;
                trees.push(SearchedTree { tree, delta: delta_of(table, tree, &root, log), root });
            }
            Ok(trees)
        }
        _ => Ok(vec![SearchedTree { tree, delta: delta_of(table, tree, &root, log), root }]),
    }
}

/// Returns the edition that a bucket names for the root of a city or business.
async fn named_in_bucket(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    tree: TreeId,
    edition: u64,
    attempt: usize,
) -> u64 {
    if table.has(PlantedFault::BucketedEditionNotChecked) {
        return 0;
    }
    let (org, number) = (tree.org, tree.bucket());
    table.maybe_pause().await;
    let cached = cache.borrow().buckets.get(&(org, number)).cloned();
    let eventual = match table.eventual(Key::Bucket(org, number)).as_deref() {
        Some(Item::Bucket(bucket)) => bucket.clone(),
        _ => DirectoryBucket::default(),
    };
    let mut bucket = cached.filter(|_| table.chance(60)).unwrap_or(eventual);
    let is_old = bucket.edition < edition && !table.has(PlantedFault::BucketEditionNotChecked);
    if is_old || attempt > 1 {
        table.pause().await;
        bucket = strong_bucket(table, org, number);
    }
    let named = bucket.editions.get(&tree.directory_hash()).copied().unwrap_or(0);
    cache.borrow_mut().buckets.insert((org, number), bucket);
    named
}

/// Reads a root that is at least as new as the edition that is named, and contains nothing behind the cut.
async fn read_root(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    tree: TreeId,
    named: u64,
    attempt: usize,
    cut: &LogPosition,
) -> Result<TreeRoot, LostError> {
    table.maybe_pause().await;
    let cached = cache.borrow().roots.get(&tree).cloned();
    let eventual = root_of(table.eventual(Key::Root(tree)).as_deref()).unwrap_or_else(TreeRoot::empty);
    let mut root = cached.filter(|_| table.chance(60)).unwrap_or(eventual);
    // From the second attempt on only the newest root is sure to have its nodes.
    if root.edition < named || attempt > 1 {
        table.pause().await;
        root = strong_root(table, tree).unwrap_or_else(TreeRoot::empty);
    }
    cache.borrow_mut().roots.insert(tree, root.clone());
    let is_in_cut = cut.covers(&root.position) || table.has(PlantedFault::PositionNotChecked);
    if is_in_cut { Ok(root) } else { Err(LostError) }
}

/// Returns the difference of a tree from its root to the cut.
fn delta_of(table: &SimulatedTable, tree: TreeId, root: &TreeRoot, log: &Log) -> TreeDelta {
    let directory = log.directory();
    let from = match table.fault {
        Some(PlantedFault::ReaderDeltaFromDirectory) => directory.trimmed_to,
        Some(PlantedFault::EmptyChangeNotWritten) => directory.trimmed_to.max(&root.position),
        _ => root.position,
    };
    delta(table, tree, &log.entries, &from, &log.end)
}
