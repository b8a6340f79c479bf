//! The truth: every answer must be the state of the reviews at its cut.

use std::collections::{BTreeMap, HashSet};

use super::bodies::Shown;
use super::fault::PlantedFault;
use super::items::{Key, review_number};
use super::question::Question;
use super::table::{Commit, SimulatedTable};
use crate::ledger::{LogPosition, PostingKey};

/// Answer of a search.
#[derive(Debug)]
pub(super) struct Answer {
    /// Position of each organisation's log at which the search answers.
    pub cuts: BTreeMap<u8, LogPosition>,
    pub count: u64,
    pub shown: Vec<Shown>,
}

/// Compares an answer with the truth.
pub(super) fn judge(
    table: &SimulatedTable,
    question: &Question,
    answer: &Answer,
    acknowledged: &BTreeMap<u8, LogPosition>,
) {
    let state = state_at(table, &answer.cuts);
    let mut matches: Vec<(PostingKey, &Commit)> = Vec::new();
    for ((org, review), commit) in &state {
        let Some(place) = commit.new.as_ref().filter(|place| question.matches(*org, place)) else { continue };
        matches.push((PostingKey { effective_at: place.effective_at, id: review_number(*review) }, commit));
    }
    matches.sort_by_key(|(key, _)| *key);
    if question.newest_first {
        matches.reverse();
    }
    if answer.count != matches.len() as u64 {
        return table.violated(format!("counted {}, and {} match at the cut", answer.count, matches.len()));
    }
    let range = question.page.range(answer.count);
    let index = |position: u64| usize::try_from(position).expect("a small number");
    judge_page(table, question, &answer.shown, &matches[index(range.start)..index(range.end)]);
    judge_freshness(table, question, &answer.cuts, acknowledged);
}

/// Compares a page with the truth.
fn judge_page(table: &SimulatedTable, question: &Question, shown: &[Shown], truth: &[(PostingKey, &Commit)]) {
    let keys: Vec<PostingKey> = shown.iter().map(|shown| shown.posting.key).collect();
    let wanted: Vec<PostingKey> = truth.iter().map(|(key, _)| *key).collect();
    if keys != wanted {
        return table.violated("the page has other reviews than the truth, or another order");
    }
    if shown.iter().map(|shown| shown.review).collect::<HashSet<_>>().len() != shown.len() {
        return table.violated("a review is on the page twice");
    }
    for (shown, (_, commit)) in shown.iter().zip(truth) {
        if shown.posting.version != commit.version {
            return table.violated("a posting has another version than the truth");
        }
        if shown.body.version < commit.version || shown.body.written < commit.written {
            return table.violated(format!("review {} is shown in an older state", shown.review));
        }
        let is_same_second = shown.body.place.effective_at == shown.posting.key.effective_at;
        if !is_same_second || !question.matches(shown.body.org, &shown.body.place) {
            return table.violated("a review is shown that the filter excludes, or at a wrong place");
        }
    }
}

/// Every write that was acknowledged before the search began must be in its cut.
fn judge_freshness(
    table: &SimulatedTable,
    question: &Question,
    cuts: &BTreeMap<u8, LogPosition>,
    acknowledged: &BTreeMap<u8, LogPosition>,
) {
    for org in question.orgs.iter().chain(&question.unlisted) {
        let cut = cuts.get(org).copied().unwrap_or_default();
        if acknowledged.get(org).is_some_and(|position| !cut.covers(position)) {
            table.violated(format!("an acknowledged write of organisation {org} is missing"));
        }
    }
}

/// Returns the last change of each review up to the cuts, by organisation.
pub(super) fn state_at(table: &SimulatedTable, cuts: &BTreeMap<u8, LogPosition>) -> BTreeMap<(u8, u64), Commit> {
    let commits = table.commits.borrow();
    let is_in = |commit: &&Commit| cuts.get(&commit.org).is_some_and(|cut| cut.includes(commit.lane, commit.sequence));
    // In the order of the lane: a planted fault may have mixed up the order of the transactions.
    let mut state: BTreeMap<(u8, u64), Commit> = BTreeMap::new();
    for commit in commits.iter().filter(is_in) {
        state.insert((commit.org, commit.review), commit.clone());
    }
    state
}

/// Compares what is left at the end with the truth: the log is trimmed, and sequences have no gap.
pub(super) fn judge_log(table: &SimulatedTable, org: u8) {
    let commits = table.commits.borrow();
    for lane in 0..super::items::USED_LANES {
        let of_lane = |commit: &&Commit| commit.org == org && commit.lane == lane;
        let sequences: Vec<u64> = commits.iter().filter(of_lane).map(|commit| commit.sequence).collect();
        if !sequences.iter().copied().eq(1..=sequences.len() as u64) {
            table.violated("the sequence numbers of a lane have a gap");
        }
        let lane_item = table.strong(Key::lane(org, lane));
        let (last, unsealed) = match lane_item.as_deref() {
            Some(super::items::Item::Lane(lane)) => (lane.last, lane.unsealed.len()),
            _ => (0, 0),
        };
        if last != sequences.len() as u64 {
            table.violated("a lane item has another last sequence than its lane");
        }
        let first_chunk = table.next_in_log(org, super::items::LogKey { lane, first: 0 });
        let has_chunk = first_chunk.is_some_and(|(key, _)| key.lane == lane);
        if (unsealed > 0 || has_chunk) && !table.has(PlantedFault::TrimTooFar) {
            table.violated("the log is not trimmed behind the last fold");
        }
    }
}
