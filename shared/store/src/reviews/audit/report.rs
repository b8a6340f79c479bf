//! Audit by the operator: every tree of every organisation, compared with the reviews that it counts.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::Serialize;

use crate::{BusinessLocation, Finding, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_ledger::audit::{Difference, FiledReview, WrongTree, describe};
use presence_ledger::{PostingKey, ReviewNumber, ReviewSet, TreeKey};

/// Number of reviews that are compared at a time.
pub(super) const SLICE: usize = 50_000;
/// Time for the index to catch up before differences are looked at again.
pub(super) const INDEX_TIME: Duration = Duration::from_millis(500);

/// Problem of a root with wrong copies of its oldest postings.
const WRONG_COPIES: &str = "the copies of the oldest postings are not those of the leaves";

/// Result of an audit of reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReviewsAudit {
    /// Number of organisations.
    pub orgs: usize,
    /// Number of reviews.
    pub reviews: usize,
    /// Everything that is wrong, sorted. Findings name reviews by id only.
    pub findings: Vec<Finding>,
    /// Number of stored nodes that no root names. They cost storage and are no error.
    #[serde(skip)]
    pub unused_nodes: usize,
}

/// A review that is counted elsewhere than where its business is.
#[derive(Debug)]
pub(super) struct MisplacedReview {
    pub(super) review: FiledReview,
    /// Location of its business; `None` if the business does not exist.
    pub(super) location: Option<BusinessLocation>,
}

/// Findings about the trees of one organisation.
#[derive(Debug, Default)]
struct TreeFindings {
    faults: BTreeMap<TreeKey, BTreeSet<String>>,
    differences: BTreeMap<TreeKey, Vec<Difference>>,
}

impl TreeFindings {
    fn add(&mut self, WrongTree { view, differences }: WrongTree) {
        // Copies of postings that are wrong themselves are no news.
        let wrong_copies = (view.has_wrong_copies && differences.is_empty()).then(|| WRONG_COPIES.to_owned());
        if !view.faults.is_empty() || wrong_copies.is_some() {
            self.faults.entry(view.tree.clone()).or_default().extend(view.faults.into_iter().chain(wrong_copies));
        }
        if !differences.is_empty() {
            self.differences.entry(view.tree).or_default().extend(differences);
        }
    }
}

impl ReviewsAudit {
    fn add_finding(&mut self, subject: impl Into<String>, problem: impl Into<String>) {
        self.findings.push(Finding { subject: subject.into(), problem: problem.into() });
    }

    fn add_trees(&mut self, found: TreeFindings) {
        for (tree, faults) in found.faults {
            let faults: Vec<String> = faults.into_iter().collect();
            self.add_finding(name_of(&tree), faults.join("; "));
        }
        for (tree, differences) in found.differences {
            self.add_finding(name_of(&tree), describe(&differences));
        }
    }

    fn add_misplaced(&mut self, MisplacedReview { review, location }: &MisplacedReview) {
        let problem = match location {
            Some(location) if location.org_id != review.org_id => {
                format!("is counted in organisation {}, its business is of {}", review.org_id, location.org_id)
            }
            Some(_) => "is counted in another city than its business is in".to_owned(),
            None => "is of a business that does not exist".to_owned(),
        };
        let id = review.id.to_id().map_or_else(String::new, |id| id.as_str().to_owned());
        self.add_finding(format!("review {id}"), problem);
    }
}

impl ReviewStore {
    /// Compares every tree of one organisation, or of all, with the reviews, and reports what is wrong. Writes nothing.
    ///
    /// Writes during the audit cause no findings. Reviews are found by `listing-index` and by the trees. The tree of a city or
    /// business is looked at if a business or a review is in that city, or if it is a business of the organisation or has a
    /// review.
    pub async fn audit_reviews(&self, org_id: Option<OrgId>) -> Result<ReviewsAudit, Error> {
        let listed: BTreeSet<OrgId> = self.orgs_with_reviews().await?.into_iter().collect();
        let orgs = match org_id {
            Some(org_id) => BTreeSet::from([org_id]),
            None => self.businesses.list_orgs().await?.into_iter().chain(listed.iter().copied()).collect(),
        };
        let mut audit = ReviewsAudit { orgs: orgs.len(), ..ReviewsAudit::default() };
        for org_id in orgs {
            let reviews = Box::pin(self.audit_org(org_id, &mut audit)).await?;
            // Its first review may have been written since the list was read.
            if reviews > 0 && !listed.contains(&org_id) && !self.orgs_with_reviews().await?.contains(&org_id) {
                audit.add_finding(format!("organisation {org_id}"), "has reviews and is not among those that have");
            }
        }
        audit.findings.sort_unstable();
        Ok(audit)
    }

    /// Adds the findings of one organisation. Returns the number of its reviews.
    async fn audit_org(&self, org_id: OrgId, audit: &mut ReviewsAudit) -> Result<usize, Error> {
        let mut sets = self.auditor().sets_of_org(org_id).await?;
        let (mut found, mut reviews, mut from) = (TreeFindings::default(), 0, PostingKey::FIRST);
        loop {
            let slice = self.list_slice(org_id, from, SLICE).await?;
            reviews += slice.listed.len();
            sets.extend(slice.listed.iter().flat_map(FiledReview::sets));
            for wrong in self.auditor().find_wrong_trees(&slice, INDEX_TIME).await? {
                found.add(wrong);
            }
            for misplaced in &self.find_misplaced_reviews(&slice.listed).await? {
                audit.add_misplaced(misplaced);
            }
            if slice.is_last() {
                break;
            }
            from = slice.keys.end;
        }
        // A tree that cannot be read tells no nodes. It is among the findings.
        let damaged: BTreeSet<&ReviewSet> = found.faults.keys().map(|tree| &tree.set).collect();
        for set in sets.iter().filter(|set| !damaged.contains(set)) {
            audit.unused_nodes += self.trees.count_orphans(set).await?;
        }
        audit.add_trees(found);
        audit.reviews += reviews;
        Ok(reviews)
    }

    /// Returns those of the reviews that are counted elsewhere than where their business is. The index lags, so what looks
    /// misplaced is read strongly.
    pub(super) async fn find_misplaced_reviews(&self, listed: &[FiledReview]) -> Result<Vec<MisplacedReview>, Error> {
        let misplaced = self.compare_locations(listed).await?;
        // A review whose time changes while the index is read is listed twice.
        let ids: BTreeSet<ReviewNumber> = misplaced.iter().map(|misplaced| misplaced.review.id).collect();
        let ids: Vec<ReviewNumber> = ids.into_iter().collect();
        self.compare_locations(&self.get_filed_reviews(&ids).await?).await
    }

    async fn compare_locations(&self, reviews: &[FiledReview]) -> Result<Vec<MisplacedReview>, Error> {
        let businesses: BTreeSet<&BusinessId> = reviews.iter().map(FiledReview::business_id).collect();
        let businesses: Vec<BusinessId> = businesses.into_iter().cloned().collect();
        let locations = self.businesses.get_locations(&businesses).await?;
        let mut misplaced = Vec::new();
        for review in reviews {
            let location = locations.get(review.business_id());
            let is_there = |location: &BusinessLocation| {
                (location.org_id, &location.city_key) == (review.org_id, &review.place.city_key)
            };
            if !location.is_some_and(is_there) {
                misplaced.push(MisplacedReview { review: review.clone(), location: location.cloned() });
            }
        }
        Ok(misplaced)
    }
}

/// Returns the name of a tree in findings.
pub(super) fn name_of(tree: &TreeKey) -> String {
    match tree.facet_key {
        None => format!("tree {}", tree.set),
        Some(facet_key) => format!("tree {} of facet key {}", tree.set, facet_key.number()),
    }
}
