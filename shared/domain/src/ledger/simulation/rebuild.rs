//! Rebuilds: write the trees of an organisation again from the bodies.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::directory::{put_buckets, strong_directory};
use super::engine::{build, posting};
use super::fault::PlantedFault;
use super::items::{FACETS, Item, Key, ORGS, REVIEWS, SETS, TreeId, facet_key, review_number, review_of};
use super::log_query::{Log, query_log};
use super::nodes::{put_root, strong_root, write_nodes};
use super::table::{LostError, SimulatedTable};
use crate::ledger::tree::TreeRoot;
use crate::ledger::{Directory, FACET_KEY_COUNT, LogPosition, Place, Posting};

/// Number of postings from which a rebuild creates facet trees.
const FACETS_FROM: usize = 4;

/// State of the reviews of an organisation: place and version of each.
type State = BTreeMap<u64, (Place, u64)>;

/// Rebuilds an organisation, once. True if it came to its end.
pub(super) async fn rebuild(table: Rc<SimulatedTable>, org: u8) -> bool {
    let is_known = table.strong(Key::Listed(org)).is_some();
    let done = is_known && try_rebuild(&table, org).await.is_ok();
    table.counts.borrow_mut().rebuilds += u64::from(done);
    done
}

/// Rebuilds an organisation.
async fn try_rebuild(table: &SimulatedTable, org: u8) -> Result<(), LostError> {
    // The editions come first. A fold that trims the log meanwhile raises those of the trees that it touches.
    let mut roots = BTreeMap::new();
    for set in 0..SETS {
        let tree = TreeId::of_set(org, set);
        table.maybe_pause().await;
        for tree in (0..FACETS).map(|facet| tree.with_facet(facet)).chain([tree]) {
            roots.insert(tree, strong_root(table, tree).unwrap_or_else(TreeRoot::empty));
        }
    }
    let before = query_log(table, org).await;
    wait_for_transactions(table).await;
    let mut state = read_bodies(table, org).await;
    wait_for_transactions(table).await;
    let after = query_log(table, org).await;
    let mut position = after.end;
    if table.has(PlantedFault::RebuildFromOneLog) {
        position = before.end;
    } else {
        bring_to_end(&mut state, &before, &after);
    }
    write_trees(table, org, &roots, &state, position).await
}

/// Waits until the transactions are visible that are visible in part: body and change of a review are not seen at one moment.
/// In storage this is a pause that is much longer than a transaction.
async fn wait_for_transactions(table: &SimulatedTable) {
    let transactions = table.transactions.get();
    while !table.has(PlantedFault::RebuildWithoutPause) && (1..=transactions).any(|number| table.is_open(number)) {
        table.pause().await;
    }
}

/// Reads the bodies of an organisation, strongly.
async fn read_bodies(table: &SimulatedTable, org: u8) -> State {
    let mut state = State::new();
    for review in 0..REVIEWS {
        table.maybe_pause().await;
        let body =
            if table.has(PlantedFault::RebuildFromIndex) { table.eventual_body(review) } else { table.body(review) };
        if let Some(body) = body.filter(|body| body.org == org) {
            state.insert(review, (body.place, body.version));
        }
    }
    state
}

/// Brings the state to the end of the second log: the last change of each review counts, not its body.
fn bring_to_end(state: &mut State, before: &Log, after: &Log) {
    for entry in after.behind(&before.end) {
        let review = review_of(entry.change.id);
        match &entry.change.new {
            Some(place) => state.insert(review, (place.clone(), entry.change.version)),
            None => state.remove(&review),
        };
    }
}

/// Writes all trees, then names them.
async fn write_trees(
    table: &SimulatedTable,
    org: u8,
    roots: &BTreeMap<TreeId, TreeRoot>,
    state: &State,
    position: LogPosition,
) -> Result<(), LostError> {
    let mut editions = BTreeMap::new();
    for set in 0..SETS {
        let tree = TreeId::of_set(org, set);
        let old = &roots[&tree];
        let own = postings_of(state, tree);
        if own.is_empty() && old.edition == 0 {
            continue;
        }
        let mut facet_editions = None;
        if old.facet_editions.is_some() || (set < 3 && own.len() >= FACETS_FROM) {
            let mut named = vec![0; FACET_KEY_COUNT];
            for facet in 0..FACETS {
                let tree = tree.with_facet(facet);
                let own = own.iter().filter(|posting| posting.facet_key == facet_key(facet)).copied().collect();
                named[usize::from(facet)] = write_tree(table, tree, &roots[&tree], own, position, None).await?;
            }
            facet_editions = Some(named);
        }
        editions.insert(tree, write_tree(table, tree, old, own, position, facet_editions).await?);
    }
    let buckets = put_buckets(table, org, &editions).await;
    name_trees(table, org, &editions, &buckets).await;
    Ok(())
}

/// Returns the postings of a tree, ascending.
fn postings_of(state: &State, tree: TreeId) -> Vec<Posting> {
    let key = tree.key();
    let own = state.iter().filter(|(_, (place, _))| place.is_in(key.set.org_id(), &key));
    let mut postings: Vec<Posting> =
        own.map(|(review, (place, version))| posting(review_number(*review), place, *version)).collect();
    postings.sort_unstable();
    postings
}

/// Writes a tree, on condition that its root is still the one that was read. Returns its edition.
async fn write_tree(
    table: &SimulatedTable,
    tree: TreeId,
    old: &TreeRoot,
    own: Vec<Posting>,
    position: LogPosition,
    facet_editions: Option<Vec<u64>>,
) -> Result<u64, LostError> {
    // The nodes of the old tree are left to the sweep.
    let mut root = write_nodes(table, tree, old.edition + 1, Vec::new(), build(table, own, position)).await;
    root.facet_editions = facet_editions;
    table.pause().await;
    if table.has(PlantedFault::RebuildWithoutCondition) {
        let current = strong_root(table, tree).map_or(0, |root| root.edition);
        root.edition = current + 1;
        return put_root(table, tree, current, root);
    }
    put_root(table, tree, old.edition, root)
}

/// Names the trees in the directory, which is there from now on. The log stays as it is.
async fn name_trees(table: &SimulatedTable, org: u8, editions: &BTreeMap<TreeId, u64>, buckets: &BTreeMap<usize, u64>) {
    debug_assert!(org <= ORGS);
    loop {
        table.maybe_pause().await;
        let read = strong_directory(table, org);
        let mut new = Directory { edition: 1, ..read.clone().unwrap_or_default() };
        new.edition = read.as_ref().map_or(0, |read| read.edition) + 1;
        let org_edition = editions.get(&TreeId::of_set(org, 0)).copied().unwrap_or(0);
        new.org_edition = new.org_edition.max(org_edition);
        for (bucket, edition) in buckets {
            let named = &mut new.bucket_editions[*bucket];
            *named = (*named).max(*edition);
        }
        table.pause().await;
        let current = strong_directory(table, org);
        if current.map(|current| current.edition) == read.map(|read| read.edition) {
            return table.put(Key::directory(org), Item::Directory(new));
        }
    }
}
