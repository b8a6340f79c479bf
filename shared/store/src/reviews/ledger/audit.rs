//! Holds the ledger against the reviews that it counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use super::recount::{Checked, Difference, Listed, RecountScope, is_tally};
use super::write::Key;
use crate::client::meter::side_by_side;
use crate::keys::effective_between;
use crate::{BusinessLocation, Finding, ReviewStore};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{Day, Month, ReviewSet};
use presence_domain::review::Review;

/// Businesses, and books, read side by side.
const READS_IN_FLIGHT: u16 = 16;

/// What an audit of reviews saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReviewsAudit {
    /// Organisations.
    pub orgs: usize,
    /// Reviews.
    pub reviews: usize,
    /// Everything that does not fit; empty when all is well. It names reviews by id.
    pub findings: Vec<Finding>,
}

impl ReviewsAudit {
    fn find(&mut self, subject: impl Into<String>, problem: impl Into<String>) {
        self.findings.push(Finding { subject: subject.into(), problem: problem.into() });
    }
}

impl ReviewStore {
    /// Recounts every book of one organisation, or of all, and compares tallies and slips with that. Reviews written
    /// meanwhile may be reported as findings: what a second run reports too is one.
    ///
    /// Reviews are found by their business and by slips; a book of a city is looked at while a business or a review is
    /// in that city.
    pub async fn audit_reviews(&self, org_id: Option<OrgId>) -> Result<ReviewsAudit, Error> {
        let listed: BTreeSet<OrgId> = self.orgs_with_reviews().await?.into_iter().collect();
        let orgs = match org_id {
            Some(org_id) => BTreeSet::from([org_id]),
            None => self.businesses.list_orgs().await?.into_iter().chain(listed.iter().copied()).collect(),
        };
        let mut audit = ReviewsAudit { orgs: orgs.len(), ..ReviewsAudit::default() };
        for org_id in orgs {
            let before = audit.reviews;
            for (month, extent) in self.extents(org_id).await? {
                let checked = self.check_month(org_id, month, extent).await?;
                self.judge(checked, &mut audit).await?;
            }
            if audit.reviews > before && !listed.contains(&org_id) {
                audit.find(format!("organisation {org_id}"), "has reviews and is not among those that have");
            }
        }
        audit.findings.sort_unstable();
        Ok(audit)
    }

    async fn judge(&self, checked: Checked, audit: &mut ReviewsAudit) -> Result<(), Error> {
        audit.reviews += checked.reviews.len();
        for (review, place) in self.misplaced(&checked.reviews).await? {
            let problem = match place {
                Some(place) if place.org_id != review.org_id => {
                    format!("is counted in organisation {}, its business is of {}", review.org_id, place.org_id)
                }
                Some(_) => "is counted in another city than its business is in".to_owned(),
                None => "is of a business that does not exist".to_owned(),
            };
            audit.find(format!("review {}", review.id.as_str()), problem);
        }
        for (key, differences) in &checked.differences {
            audit.find(subject(key), problem(key, differences));
        }
        Ok(())
    }

    /// The reviews that are counted elsewhere than where their business is, and where that is; none for one that is gone.
    pub(super) async fn misplaced(&self, reviews: &[Review]) -> Result<Vec<(Review, Option<BusinessLocation>)>, Error> {
        let businesses: BTreeSet<&BusinessId> = reviews.iter().map(|review| &review.business_id).collect();
        let businesses: Vec<BusinessId> = businesses.into_iter().cloned().collect();
        let places: HashMap<BusinessId, BusinessLocation> = self.businesses.get_locations(&businesses).await?;
        let found = reviews.iter().map(|review| (review.clone(), places.get(&review.business_id).cloned()));
        Ok(found.filter(|(review, place)| !place.as_ref().is_some_and(|place| place.counts(review))).collect())
    }

    /// Every month of an organisation in which a review or a tally is known.
    pub(super) async fn extents(&self, org_id: OrgId) -> Result<BTreeMap<Month, RecountScope>, Error> {
        let extents = self.extents_between(org_id, None, None).await?;
        Ok(extents.into_iter().map(|(month, (extent, _))| (month, extent)).collect())
    }

    /// The same of some months, both ends included, all without an end; with what the index of businesses lists of each.
    pub(super) async fn extents_between(
        &self,
        org_id: OrgId,
        from: Option<Month>,
        to: Option<Month>,
    ) -> Result<BTreeMap<Month, (RecountScope, Vec<Listed>)>, Error> {
        let businesses = self.businesses.list_by_org(org_id).await?;
        let city = |(_, place): &(BusinessId, BusinessLocation)| ReviewSet::City(org_id, place.city_key.clone());
        let books: BTreeSet<ReviewSet> = businesses.iter().map(city).chain([ReviewSet::Org(org_id)]).collect();
        let months = books.iter().map(|book| async move {
            let months = self.months(book, from, to).await?;
            Ok::<_, Error>((book.clone(), months))
        });
        let mut extents: BTreeMap<Month, (RecountScope, Vec<Listed>)> = BTreeMap::new();
        for (book, months) in side_by_side(READS_IN_FLIGHT, months).await? {
            for month in months.into_keys() {
                extents.entry(month).or_default().0.books.insert(book.clone());
            }
        }
        let between =
            effective_between(from.map(|month| month.first_day().start()), to.map(|month| month.last_day().end()));
        let listings = businesses.iter().map(|business| {
            let between = between.clone();
            async move { Ok::<_, Error>((city(business), self.slips_of_business(&business.0, between).await?)) }
        });
        for (book, slips) in side_by_side(READS_IN_FLIGHT, listings).await? {
            for slip in slips {
                let (extent, listed) = extents.entry(Day::of(slip.at).month()).or_default();
                extent.books.insert(book.clone());
                extent.ids.insert(slip.id.clone());
                listed.push(Listed { slip, books: [ReviewSet::Org(org_id), book.clone()] });
            }
        }
        for (extent, _) in extents.values_mut() {
            extent.books.insert(ReviewSet::Org(org_id));
        }
        Ok(extents)
    }
}

fn subject(key: &Key) -> String {
    let kind = if is_tally(key) { "tally" } else { "slips" };
    format!("{kind} {} {}", key.0, key.1)
}

fn problem(key: &Key, differences: &[Difference]) -> String {
    let sum = |number: fn(&Difference) -> Option<i64>| differences.iter().filter_map(number).sum::<i64>();
    if is_tally(key) {
        let (stored, counted) = (sum(|one| one.stored), sum(|one| one.counted));
        let cells = differences.len();
        return format!("counts {stored} where there are {counted}, over the cells that differ: {cells}");
    }
    let of_kind = |kind: fn(&Difference) -> bool| {
        let ids = differences.iter().filter(|one| kind(one)).map(|one| one.attribute.as_str());
        ids.collect::<Vec<_>>().join(", ")
    };
    let lacking = of_kind(|one| one.stored.is_none());
    let foreign = of_kind(|one| one.counted.is_none());
    let shifted = of_kind(|one| one.stored.is_some() && one.counted.is_some());
    let parts = [("lack", lacking), ("name without a reason", foreign), ("give a wrong second to", shifted)];
    let parts = parts.iter().filter(|(_, ids)| !ids.is_empty()).map(|(verb, ids)| format!("{verb} {ids}"));
    parts.collect::<Vec<_>>().join("; ")
}
