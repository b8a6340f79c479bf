//! Answers, compared with the truth at the positions of the logs that a search read.

use std::collections::BTreeMap;

use super::names::{ORGS, Question, org};
use super::oracle::{Oracle, Positions};
use presence_domain::ids::OrgId;
use presence_domain::instant::is_empty_range;
use presence_domain::page::Page;
use presence_domain::review::{FacetKey, Review};
use presence_domain::review_stats::{GroupBy, GroupKey, ReviewStats};
use presence_ledger::{LogPosition, Place, PostingKey, ReviewNumber, ReviewSet, TreeKey};

/// Answer of a search, or of statistics.
#[derive(Debug)]
pub(super) enum Answer {
    Page(Page<Review>),
    Stats(Option<GroupBy>, Box<ReviewStats>),
}

/// Comparison with the truth at several combinations of positions.
struct Outcome {
    /// True if positions belong together.
    has_joint: bool,
    /// First difference.
    first: Option<String>,
}

/// Review that matches: its key, version and place.
type Match = (PostingKey, u64, std::sync::Arc<Place>);

impl Oracle {
    /// Compares an answer with the truth at the positions of the logs that the process read.
    pub(super) fn judge(
        &self,
        process: u64,
        question: &Question,
        answer: &Answer,
        acknowledged: &Positions,
    ) -> Result<(), String> {
        if is_empty_range(question.filter.from, question.filter.to) || question.filter.mask.is_empty() {
            return compare(self, question, &[], answer);
        }
        let mut outcome = Outcome { has_joint: false, first: None };
        let orgs: Vec<OrgId> =
            (0..ORGS).map(org).filter(|org_id| question.sets.iter().any(|set| set.org_id() == *org_id)).collect();
        let mut candidates = Vec::new();
        for org_id in &orgs {
            candidates.push((*org_id, self.candidates(process, *org_id, question, acknowledged)?));
        }
        let unread: Vec<OrgId> = orgs.into_iter().filter(|org_id| self.cuts_of(process, *org_id).is_empty()).collect();
        let is_found = any_combination(&candidates, &mut Positions::new(), &mut |cuts| {
            let cuts = self.with_crossings(cuts, &unread);
            if !self.are_joint(&cuts) {
                return false;
            }
            outcome.has_joint = true;
            let compared = compare(self, question, &self.matches_at(&cuts, question), answer);
            compared.map_err(|what| outcome.first.get_or_insert(what).len()).is_ok()
        });
        match outcome {
            _ if is_found => Ok(()),
            Outcome { has_joint: false, .. } => Err("the search read logs that do not belong together".to_owned()),
            Outcome { first, .. } => Err(first.unwrap_or_default()),
        }
    }

    /// Returns the positions of a log at which the process may answer, the likely ones first. Those of a log that it may not have read
    /// in its last attempt are what it was when the process read another one.
    fn candidates(
        &self,
        process: u64,
        org_id: OrgId,
        question: &Question,
        acknowledged: &Positions,
    ) -> Result<Vec<LogPosition>, String> {
        let read = self.cuts_of(process, org_id);
        if let Some(cut) = read.iter().find(|cut| acknowledged.get(&org_id).is_some_and(|known| !cut.covers(known))) {
            return Err(format!("an acknowledged change of organisation {org_id} is behind {cut:?}"));
        }
        let names_businesses = |set: &ReviewSet| matches!(set, ReviewSet::Business(..)) && set.org_id() != org_id;
        let may_be_unread = read.is_empty() || question.sets.iter().any(names_businesses);
        let at = |positions: &Positions| positions.get(&org_id).copied().unwrap_or_default();
        let instants = self.instants_of(process).iter().rev().map(at).chain([at(acknowledged)]);
        let mut all = read;
        all.extend(instants.filter(|_| may_be_unread));
        all.dedup();
        Ok(all)
    }

    /// Returns the matches of a search at these positions, in the order of the answer.
    fn matches_at(&self, cuts: &Positions, question: &Question) -> Vec<Match> {
        let Question { sets, filter, .. } = question;
        let mut matches = Vec::new();
        for (org_id, cut) in cuts {
            for (id, (place, version)) in self.state_at(*org_id, cut) {
                let in_sets =
                    sets.iter().any(|set| place.is_in(*org_id, &TreeKey { set: set.clone(), facet_key: None }));
                let at = place.effective_at;
                let in_range = filter.from.is_none_or(|from| from <= at) && filter.to.is_none_or(|to| at <= to);
                if in_sets && in_range && filter.mask.contains(place.facet_key) {
                    matches.push((PostingKey { effective_at: at, id }, version, place));
                }
            }
        }
        matches.sort_by_key(|(key, ..)| *key);
        if filter.newest_first {
            matches.reverse();
        }
        matches
    }
}

/// True if a combination of the candidates of each organisation is right.
fn any_combination(
    candidates: &[(OrgId, Vec<LogPosition>)],
    chosen: &mut Positions,
    is_right: &mut impl FnMut(&Positions) -> bool,
) -> bool {
    let Some(((org_id, positions), others)) = candidates.split_first() else { return is_right(chosen) };
    positions.iter().any(|position| {
        chosen.insert(*org_id, *position);
        any_combination(others, chosen, is_right)
    })
}

fn compare(oracle: &Oracle, question: &Question, matches: &[Match], answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::Page(page) => compare_page(oracle, question, matches, page),
        Answer::Stats(group_by, stats) => compare_stats(*group_by, matches, stats),
    }
}

fn compare_page(oracle: &Oracle, question: &Question, matches: &[Match], page: &Page<Review>) -> Result<(), String> {
    let range = question.page.range(matches.len() as u64);
    let index = |position: u64| usize::try_from(position).expect("small");
    let wanted = &matches[index(range.start)..index(range.end)];
    let wanted_ids: Vec<ReviewNumber> = wanted.iter().map(|(key, ..)| key.id).collect();
    let found_ids: Vec<ReviewNumber> = page.items.iter().map(|review| ReviewNumber::of(&review.id)).collect();
    if (page.count, &found_ids) != (matches.len() as u64, &wanted_ids) {
        return Err(format!("found {:?}, and the truth is {:?}", (page.count, found_ids), (matches.len(), wanted_ids)));
    }
    for (review, (key, version, _)) in page.items.iter().zip(wanted) {
        let is_same = review.effective_at() == key.effective_at && question.filter.mask.contains(FacetKey::of(review));
        let is_searched = question.sets.iter().any(|set| {
            let tree = TreeKey { set: set.clone(), facet_key: None };
            review.org_id == set.org_id() && Place::of(review).is_in(review.org_id, &tree)
        });
        if review.version < *version || !oracle.was_written(review) || !is_same || !is_searched {
            return Err(format!("{review:?} is shown for {key:?} in version {version}"));
        }
    }
    Ok(())
}

fn compare_stats(group_by: Option<GroupBy>, matches: &[Match], stats: &ReviewStats) -> Result<(), String> {
    let mut groups: BTreeMap<String, i64> = BTreeMap::new();
    for (_, _, place) in matches {
        let group = match group_by {
            Some(GroupBy::Business) => place.business_id.as_str(),
            Some(GroupBy::City) => &place.city_key,
            _ => "",
        };
        *groups.entry(group.to_owned()).or_default() += 1;
    }
    let name_of = |key: &GroupKey| match key {
        GroupKey::City { key, .. } => key.clone(),
        other => other.to_string(),
    };
    let found: Option<BTreeMap<String, i64>> = stats
        .groups
        .as_ref()
        .map(|groups| groups.iter().map(|group| (name_of(&group.key), group.counts.total())).collect());
    let is_same = found.as_ref().is_none_or(|found| *found == groups);
    if stats.counts.total() == matches.len().try_into().unwrap_or(i64::MAX) && is_same {
        return Ok(());
    }
    Err(format!("counted {} in {found:?}, and the truth is {} in {groups:?}", stats.counts.total(), matches.len()))
}
