//! Organisations with few reviews, which a PROVIDER sees all.

use std::cell::Cell;

use anyhow::Context as _;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Review, ReviewId};
use presence_ledger::OrgPostings;
use presence_local::embedded::EmbeddedDynamo;
use presence_store::{Stores, bulk_body_item, schema};

use crate::distribution::Distribution;

/// Number of reviews of each organisation. Its root holds them all.
pub(super) const REVIEWS: u64 = 200;
/// Id of the first organisation.
const FIRST: u64 = 200_001;

/// Organisations that are loaded so far.
pub(crate) struct SmallOrgs {
    store: Stores,
    /// Reviews of each organisation, but for their ids.
    reviews: Vec<Review>,
    loaded: Cell<u64>,
}

impl SmallOrgs {
    /// Prepares the reviews. Loads nothing.
    pub(crate) fn new(store: Stores) -> Self {
        let reviews = Distribution::new(REVIEWS).months().flatten().collect();
        Self { store, reviews, loaded: Cell::new(0) }
    }

    /// Loads organisations until there are so many.
    pub(crate) fn load(&self, dynamodb: &EmbeddedDynamo, orgs: u64) -> anyhow::Result<()> {
        let table = self.store.database.name(&schema::REVIEWS);
        while self.loaded.get() < orgs {
            let org_id = OrgId::new(FIRST + self.loaded.get()).context("an organisation")?;
            let (mut postings, mut bodies) = (OrgPostings::new(org_id), Vec::new());
            for review in &self.reviews {
                let review = review_of(org_id, review)?;
                postings.add(&review);
                bodies.push(bulk_body_item(&review)?);
            }
            dynamodb.import(&table, bodies)?;
            dynamodb.import_trees(&table, postings)?;
            self.loaded.set(self.loaded.get() + 1);
        }
        Ok(())
    }
}

/// Returns the same review of a business of the organisation.
fn review_of(org_id: OrgId, review: &Review) -> anyhow::Result<Review> {
    let business_id = format!("{}{}", org_id.get(), &review.business_id.as_str()[6..]);
    let business_id = BusinessId::parse(&business_id).context("a business")?;
    let id = ReviewId::derive(&business_id, review.partner, &review.partner_id, 0);
    Ok(Review { id, org_id, business_id, ..review.clone() })
}
