//! The bodies of a page: each is the version that its posting names, or a newer one at the same place.

use std::collections::{HashMap, HashSet};

use super::fault::PlantedFault;
use super::items::{Body, TreeId, review_of};
use super::page::PlannedPage;
use super::question::Question;
use super::world::{LostError, World};
use crate::ledger::Posting;

/// Review on a page.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub review: u64,
    pub posting: Posting,
    pub body: Body,
}

/// Reads the bodies that a warm function expects on the page, before the search is proven.
pub(super) async fn prefetch(world: &World, reviews: Vec<u64>) -> HashMap<u64, Body> {
    let mut bodies = HashMap::new();
    for review in reviews {
        world.maybe_pause().await;
        let body = if world.chance(50) { world.eventual_body(review) } else { world.body(review) };
        bodies.extend(body.map(|body| (review, body)));
    }
    bodies
}

/// Reads the bodies of a page.
pub(super) async fn read_page(
    world: &World,
    question: &Question,
    page: &PlannedPage,
    prefetched: &HashMap<u64, Body>,
) -> Result<Vec<Shown>, LostError> {
    let mut seen = HashSet::new();
    let mut shown = Vec::new();
    for (tree, posting) in &page.postings {
        let review = review_of(posting.key.id);
        // A review that moves between two organisations may be in both cuts.
        if !seen.insert(review) && !world.has(PlantedFault::DuplicateShown) {
            return Err(LostError);
        }
        let body = match prefetched.get(&review) {
            Some(body) if is_posted(world, body, posting) => body.clone(),
            _ => read_body(world, question, *tree, posting).await?,
        };
        shown.push(Shown { review, posting: *posting, body });
    }
    Ok(shown)
}

/// True if a body is the version of its posting.
fn is_posted(world: &World, body: &Body, posting: &Posting) -> bool {
    body.version == posting.version || (body.version < posting.version && world.has(PlantedFault::OlderBodyShown))
}

/// Reads a body: by an eventual read or from the index, then strongly.
async fn read_body(world: &World, question: &Question, tree: TreeId, posting: &Posting) -> Result<Body, LostError> {
    let review = review_of(posting.key.id);
    world.maybe_pause().await;
    if let Some(body) = world.eventual_body(review).filter(|body| is_posted(world, body, posting)) {
        return Ok(body);
    }
    world.pause().await;
    let body = world.body(review).ok_or(LostError)?;
    if is_posted(world, &body, posting) {
        return Ok(body);
    }
    // The review changed behind the cut. What the page shows must still be at its place.
    let is_newer = body.version > posting.version;
    let is_same = is_at_place(question, tree, posting, &body) || world.has(PlantedFault::NewerBodyShown);
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
