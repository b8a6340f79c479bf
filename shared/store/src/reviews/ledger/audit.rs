//! Audit by the operator: the whole ledger, compared with the reviews that it counts.

use std::collections::BTreeSet;

use serde::Serialize;

use super::item::LedgerKey;
use super::recount::Recount;
use super::snapshot::Difference;
use crate::{BusinessLocation, Finding, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::Review;

/// Result of an audit of reviews.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReviewsAudit {
    /// Number of organisations.
    pub orgs: usize,
    /// Number of reviews.
    pub reviews: usize,
    /// Everything that is wrong, sorted. Findings name reviews by id only.
    pub findings: Vec<Finding>,
}

/// A review that is counted elsewhere than where its business is.
#[derive(Debug)]
pub(super) struct MisplacedReview {
    pub(super) review: Review,
    /// Location of its business; `None` if the business does not exist.
    pub(super) location: Option<BusinessLocation>,
}

impl ReviewsAudit {
    fn add_finding(&mut self, subject: impl Into<String>, problem: impl Into<String>) {
        self.findings.push(Finding { subject: subject.into(), problem: problem.into() });
    }

    fn add_month(&mut self, recount: &Recount, misplaced: &[MisplacedReview]) {
        self.reviews += recount.reviews.len();
        for MisplacedReview { review, location } in misplaced {
            let problem = match location {
                Some(location) if location.org_id != review.org_id => {
                    format!("is counted in organisation {}, its business is of {}", review.org_id, location.org_id)
                }
                Some(_) => "is counted in another city than its business is in".to_owned(),
                None => "is of a business that does not exist".to_owned(),
            };
            self.add_finding(format!("review {}", review.id.as_str()), problem);
        }
        for (key, differences) in &recount.differences {
            let problem = if key.is_counts() { count_problem(differences) } else { posting_problem(differences) };
            self.add_finding(item_name(key), problem);
        }
    }
}

impl ReviewStore {
    /// Recounts every review set of one organisation, or of all, and reports what is wrong. Writes nothing.
    ///
    /// Reviews that are written during the audit may be reported too; only findings of two audits are certain. Reviews are
    /// found by their business and by postings. The set of a city is recounted if a business or a review is in that city.
    pub async fn audit_reviews(&self, org_id: Option<OrgId>) -> Result<ReviewsAudit, Error> {
        let listed: BTreeSet<OrgId> = self.orgs_with_reviews().await?.into_iter().collect();
        let orgs = match org_id {
            Some(org_id) => BTreeSet::from([org_id]),
            None => self.businesses.list_orgs().await?.into_iter().chain(listed.iter().copied()).collect(),
        };
        let mut audit = ReviewsAudit { orgs: orgs.len(), ..ReviewsAudit::default() };
        for org_id in orgs {
            let reviews_before = audit.reviews;
            for (month, listing) in self.list_months(org_id, None, None).await? {
                let recount = self.recount_month(org_id, month, listing.scope).await?;
                let misplaced = self.find_misplaced_reviews(&recount.reviews).await?;
                audit.add_month(&recount, &misplaced);
            }
            if audit.reviews > reviews_before && !listed.contains(&org_id) {
                audit.add_finding(format!("organisation {org_id}"), "has reviews and is not among those that have");
            }
        }
        audit.findings.sort_unstable();
        Ok(audit)
    }

    /// Returns those of the reviews that are counted elsewhere than where their business is.
    pub(super) async fn find_misplaced_reviews(&self, reviews: &[Review]) -> Result<Vec<MisplacedReview>, Error> {
        let businesses: BTreeSet<&BusinessId> = reviews.iter().map(|review| &review.business_id).collect();
        let businesses: Vec<BusinessId> = businesses.into_iter().cloned().collect();
        let locations = self.businesses.get_locations(&businesses).await?;
        let mut misplaced = Vec::new();
        for review in reviews {
            let location = locations.get(&review.business_id);
            if !location.is_some_and(|location| location.matches(review)) {
                misplaced.push(MisplacedReview { review: review.clone(), location: location.cloned() });
            }
        }
        Ok(misplaced)
    }
}

/// Returns the name of a ledger item in findings.
fn item_name(key: &LedgerKey) -> String {
    // Stored names: the output of `ops` calls counts "tally" and postings "slips".
    let kind = if key.is_counts() { "tally" } else { "slips" };
    format!("{kind} {} {}", key.pk, key.sk)
}

fn count_problem(differences: &[Difference]) -> String {
    let stored: i64 = differences.iter().filter_map(|difference| difference.stored).sum();
    let counted: i64 = differences.iter().filter_map(|difference| difference.counted).sum();
    let number = differences.len();
    // "cells" is the older name of facet keys, and part of the output of `ops` too.
    format!("counts {stored} where there are {counted}, over the cells that differ: {number}")
}

fn posting_problem(differences: &[Difference]) -> String {
    let (mut missing, mut unexpected, mut shifted) = (Vec::new(), Vec::new(), Vec::new());
    for Difference { attribute, stored, counted } in differences {
        let ids = match (stored, counted) {
            (None, _) => &mut missing,
            (_, None) => &mut unexpected,
            (Some(_), Some(_)) => &mut shifted,
        };
        ids.push(attribute.as_str());
    }
    let parts = [("lack", missing), ("name without a reason", unexpected), ("give a wrong second to", shifted)];
    let parts = parts.iter().filter(|(_, ids)| !ids.is_empty());
    parts.map(|(verb, ids)| format!("{verb} {}", ids.join(", "))).collect::<Vec<_>>().join("; ")
}
