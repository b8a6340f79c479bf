//! The bodies of a page: each is the version that its posting names, or a newer one at the same place.

use std::collections::{HashMap, HashSet};

use super::fault::PlantedFault;
use super::items::{Body, TreeId, review_of};
use super::page::PlannedPage;
use super::question::Question;
use super::table::{LostError, SimulatedTable};
use crate::ledger::Posting;

/// Review on a page.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub review: u64,
    pub posting: Posting,
    pub body: Body,
}

/// Reads the bodies that a warm function expects on the page, before the search is proven.
pub(super) async fn prefetch(table: &SimulatedTable, reviews: Vec<u64>) -> HashMap<u64, Body> {
    let mut bodies = HashMap::new();
    for review in reviews {
        table.maybe_pause().await;
        let body = if table.chance(50) { table.eventual_body(review) } else { table.body(review) };
        bodies.extend(body.map(|body| (review, body)));
    }
    bodies
}

/// Reads the bodies of a page.
pub(super) async fn read_page(
    table: &SimulatedTable,
    question: &Question,
    page: &PlannedPage,
    prefetched: &HashMap<u64, Body>,
) -> Result<Vec<Shown>, LostError> {
    let mut seen = HashSet::new();
    let mut shown = Vec::new();
    for (tree, posting) in &page.postings {
        let review = review_of(posting.key.id);
        // A review that moves between two organisations may be in both cuts.
        if !seen.insert(review) && !table.has(PlantedFault::DuplicateShown) {
            return Err(LostError);
        }
        let body = match prefetched.get(&review) {
            Some(body) if is_posted(table, body, posting) => body.clone(),
            _ => read_body(table, question, *tree, posting).await?,
        };
        shown.push(Shown { review, posting: *posting, body });
    }
    Ok(shown)
}

/// True if a body is the version of its posting.
fn is_posted(table: &SimulatedTable, body: &Body, posting: &Posting) -> bool {
    body.version == posting.version || (body.version < posting.version && table.has(PlantedFault::OlderBodyShown))
}

/// Reads a body: by an eventual read or from the index, then strongly.
async fn read_body(
    table: &SimulatedTable,
    question: &Question,
    tree: TreeId,
    posting: &Posting,
) -> Result<Body, LostError> {
    let review = review_of(posting.key.id);
    table.maybe_pause().await;
    if let Some(body) = table.eventual_body(review).filter(|body| is_posted(table, body, posting)) {
        return Ok(body);
    }
    table.pause().await;
    let body = table.body(review).ok_or(LostError)?;
    if is_posted(table, &body, posting) {
        return Ok(body);
    }
    // The review changed behind the cut. What the page shows must still be at its place.
    let is_newer = body.version > posting.version;
    let is_same = is_at_place(question, tree, posting, &body) || table.has(PlantedFault::NewerBodyShown);
    if is_newer && is_same { Ok(body) } else { Err(LostError) }
}

/// True if a body is where its posting says, and still matches.
fn is_at_place(question: &Question, tree: TreeId, posting: &Posting, body: &Body) -> bool {
    let is_same_second = body.place.effective_at == posting.key.effective_at;
    body.org == tree.org && is_same_second && tree_has(tree, body) && question.matches(body.org, &body.place)
}

/// True if the tree counts a review with this body.
fn tree_has(tree: TreeId, body: &Body) -> bool {
    let key = tree.key();
    body.place.is_in(key.set.org_id(), &key)
}
