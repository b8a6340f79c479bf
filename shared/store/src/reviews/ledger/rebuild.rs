//! Correction of ledger items that are wrong.

use serde::Serialize;

use super::item::{LedgerKey, update_expression};
use super::snapshot::Difference;
use crate::client::errors::{failed, is_condition_failed};
use crate::client::read::number;
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Maximum number of times that a rebuild recounts the organisation: once to rewrite, once to see that all is right, and
/// again while reviews are written.
const PASSES: u32 = 5;
/// Maximum number of attributes in one update: far below the 4 KB and 300 operators of a DynamoDB expression.
const ATTRIBUTES: usize = 40;

/// Report of a rebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RebuildReport {
    /// Number of reviews of the organisation.
    pub reviews: usize,
    /// Number of reviews that were counted elsewhere than where their business is.
    pub moved: u64,
    /// Number of counts items and postings items that were rewritten.
    pub rewritten: usize,
}

impl ReviewStore {
    /// Makes the ledger of an organisation what its reviews make it, and moves reviews to where their business is.
    ///
    /// Searches and imports may go on: an item is rewritten only if its numbers are still those that were compared.
    pub async fn rebuild_reviews(&self, org_id: OrgId) -> Result<RebuildReport, Error> {
        let mut report = RebuildReport::default();
        for _ in 0..PASSES {
            let mut is_right = true;
            report.reviews = 0;
            for (month, listing) in self.list_months(org_id, None, None).await? {
                let recount = self.recount_month(org_id, month, listing.scope).await?;
                report.reviews += recount.reviews.len();
                for (key, differences) in &recount.differences {
                    report.rewritten += usize::from(self.rewrite_item(key, differences).await?);
                }
                // Reviews of a business that does not exist have no place to move to.
                let misplaced = self.find_misplaced_reviews(&recount.reviews).await?.into_iter();
                let moves: Vec<_> = misplaced.filter_map(|one| Some((one.review.id, one.location?))).collect();
                is_right &= recount.differences.is_empty() && moves.is_empty();
                for (id, location) in moves {
                    report.moved += self.relocate_reviews(vec![id], &location).await?;
                }
            }
            if report.reviews > 0 {
                self.register_org_with_reviews(org_id).await?;
            }
            // Only a pass that changed nothing shows that all is right.
            if is_right {
                return Ok(report);
            }
        }
        Err(Error::Unavailable("reviews kept being written while their books were".into()))
    }

    /// Rewrites the numbers that differ. True if the item still had the numbers that were compared.
    pub(super) async fn rewrite_item(&self, key: &LedgerKey, differences: &[Difference]) -> Result<bool, Error> {
        for chunk in differences.chunks(ATTRIBUTES) {
            if !self.rewrite_attributes(key, chunk).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Rewrites some numbers of an item, on condition that none of them has changed since.
    async fn rewrite_attributes(&self, key: &LedgerKey, differences: &[Difference]) -> Result<bool, Error> {
        let update = self.db.client.update_item().table_name(self.db.name(&schema::REVIEWS));
        let mut update = update.set_key(Some(key.to_item()));
        let (mut sets, mut removes, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
        for (position, Difference { attribute, stored, counted }) in differences.iter().enumerate() {
            update = update.expression_attribute_names(format!("#{position}"), attribute);
            if let Some(stored) = stored {
                update = update.expression_attribute_values(format!(":was{position}"), number(*stored));
                conditions.push(format!("#{position} = :was{position}"));
            } else {
                conditions.push(format!("attribute_not_exists(#{position})"));
            }
            if let Some(counted) = counted {
                update = update.expression_attribute_values(format!(":is{position}"), number(*counted));
                sets.push(format!("#{position} = :is{position}"));
            } else {
                removes.push(format!("#{position}"));
            }
        }
        let update = update.update_expression(update_expression(&sets, &removes));
        match update.condition_expression(conditions.join(" AND ")).send().await {
            Ok(_) => Ok(true),
            Err(error) if is_condition_failed(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}
