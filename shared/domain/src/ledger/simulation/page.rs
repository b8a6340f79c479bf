//! The page of a search: which postings it has, by the trees and their nodes.

use std::cell::RefCell;

use super::engine::{Engine, copies_of, nodes_of, postings_of};
use super::fault::PlantedFault;
use super::items::{FACETS, Item, Key, TreeId, facet_key, review_of};
use super::model_tree::{Leaves, postings};
use super::nodes::named;
use super::question::Question;
use super::reader::Cache;
use super::table::{LostError, SimulatedTable};
use crate::ledger::tree::{NodeRef, RootSummary, TreeRoot, encode_root};
use crate::ledger::{FacetCounts, PageSearch, Posting, TreeDelta};

/// Tree of a search, with the difference to the cut.
pub(super) struct SearchedTree {
    pub tree: TreeId,
    pub root: TreeRoot,
    pub delta: TreeDelta,
}

/// Page that the trees tell: number of matches, and the postings with their trees.
pub(super) struct PlannedPage {
    pub count: u64,
    pub postings: Vec<(TreeId, Posting)>,
}

/// Finds the page of a search.
pub(super) async fn find_page(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    question: &Question,
    trees: &[SearchedTree],
) -> Result<PlannedPage, LostError> {
    match table.engine {
        Engine::Model => find_in_all(table, cache, question, trees).await,
        Engine::Ledger => find_in_needed(table, cache, question, trees).await,
    }
}

/// Finds the page by a look at all postings, and compares them with the counts.
async fn find_in_all(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    question: &Question,
    trees: &[SearchedTree],
) -> Result<PlannedPage, LostError> {
    let mut all = Vec::new();
    let mut counts = FacetCounts::default();
    for SearchedTree { tree, root, delta } in trees {
        let mut leaves = Leaves::new();
        for name in nodes_of(root) {
            let bytes = read_node(table, cache, *tree, name).await?;
            leaves.insert(name, postings_of(table, &bytes)?);
        }
        counts.add_all(&root.counts());
        delta.removed.values().for_each(|posting| counts.add(posting.facet_key, -1));
        delta.added.iter().for_each(|posting| counts.add(posting.facet_key, 1));
        all.extend(postings(table, root, delta, &leaves).into_iter().map(|posting| (*tree, posting)));
    }
    let page = question.page_of(all);
    let counted: i64 =
        (0..FACETS).filter(|facet| question.admits(*facet)).map(|facet| counts.get(facet_key(facet))).sum();
    if question.has_no_dates() && u64::try_from(counted) != Ok(page.count) {
        table.violated(format!("{counted} reviews are counted, and {} are found", page.count));
    }
    Ok(page)
}

/// Finds the page by the search of the ledger, which reads the nodes that it needs.
async fn find_in_needed(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    question: &Question,
    trees: &[SearchedTree],
) -> Result<PlannedPage, LostError> {
    let mut search = PageSearch::new(question.filter, question.newest_first, question.page);
    for tree in trees {
        let summary = RootSummary::decode(&encode_root(&tree.root), question.filter.mask);
        let summary = summary.expect("a root that was encoded");
        search.add_tree(&RootSummary { oldest: copies_of(&tree.root), ..summary }, &tree.delta);
    }
    loop {
        let needed = search.needed_nodes();
        if needed.is_empty() {
            break;
        }
        for node in needed {
            let bytes = read_node(table, cache, trees[node.tree].tree, node.node).await?;
            if let Err(error) = search.insert_node(node, &bytes) {
                table.violated(error.to_string());
                return Err(LostError);
            }
        }
    }
    let found = search.finish();
    let postings = found.postings.into_iter().map(|(tree, posting)| (trees[tree].tree, posting)).collect();
    Ok(PlannedPage { count: found.count, postings })
}

/// Reads a node: from the cache, eventually, strongly.
async fn read_node(
    table: &SimulatedTable,
    cache: &RefCell<Cache>,
    tree: TreeId,
    node: NodeRef,
) -> Result<Vec<u8>, LostError> {
    let name = if table.has(PlantedFault::CacheBySlot) { NodeRef { stamp: 0, ..node } } else { node };
    if let Some(bytes) = cache.borrow().nodes.get(&(tree, name)) {
        return Ok(bytes.clone());
    }
    let key = Key::Node(tree, node.slot);
    table.maybe_pause().await;
    let mut found = match table.eventual(key).as_deref() {
        Some(Item::Node(found)) if table.has(PlantedFault::StampNotChecked) => Some(found.clone()),
        _ => named(table.eventual(key).as_ref(), node),
    };
    if found.is_none() {
        table.pause().await;
        found = named(table.strong(key).as_ref(), node);
    }
    let bytes = found.ok_or(LostError)?.bytes;
    cache.borrow_mut().nodes.insert((tree, name), bytes.clone());
    Ok(bytes)
}

/// Plans a page from what a warm function keeps; empty if a root is missing.
pub(super) fn plan_from_cache(table: &SimulatedTable, cache: &RefCell<Cache>, question: &Question) -> Vec<u64> {
    let cache = cache.borrow();
    let mut planned = Vec::new();
    for org in &question.orgs {
        for set in question.sets.of_org() {
            let tree = TreeId::of_set(*org, set);
            let Some(root) = cache.roots.get(&tree) else { return Vec::new() };
            let nodes = nodes_of(root).into_iter().filter_map(|node| cache.nodes.get(&(tree, node)));
            let known = nodes.filter_map(|bytes| postings_of(table, bytes).ok()).flatten();
            planned.extend(known.chain(root.recent.iter().copied()).map(|posting| review_of(posting.key.id)));
        }
    }
    planned.retain(|_| table.chance(70));
    planned
}
