//! Rewriting what the ledger says wrongly.

use aws_sdk_dynamodb::operation::update_item::UpdateItemOutput;
use serde::Serialize;

use super::recount::Difference;
use super::write::Key;
use crate::client::errors::{failed, is_condition_failed};
use crate::client::read::{number, pk_sk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// How often the books are gone through: once to rewrite, once to see that they are right, and again where reviews are
/// written meanwhile.
const PASSES: u32 = 5;
/// Attributes changed by one update: their names and conditions stay far below the 4 KB and 300 operators of an expression.
const ATTRIBUTES: usize = 40;

/// What a rebuild did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RebuildReport {
    /// The organisation's reviews.
    pub reviews: usize,
    /// Reviews that were counted elsewhere than where their business is.
    pub moved: u64,
    /// Tallies and groups of slips that were wrong.
    pub rewritten: usize,
}

impl ReviewStore {
    /// Makes tallies and slips of an organisation's books what its reviews make them, and moves reviews to where their
    /// business is. Searches and imports may go on: an item is changed only while it is as it was when it was compared.
    pub async fn rebuild_reviews(&self, org_id: OrgId) -> Result<RebuildReport, Error> {
        let mut rebuilt = RebuildReport::default();
        for _ in 0..PASSES {
            let (mut reviews, mut changes) = (0, 0);
            for (month, extent) in self.extents(org_id).await? {
                let checked = self.check_month(org_id, month, extent).await?;
                reviews += checked.reviews.len();
                changes += checked.differences.len();
                for (key, differences) in &checked.differences {
                    rebuilt.rewritten += usize::from(self.rewrite(key, differences).await?);
                }
                let misplaced = self.misplaced(&checked.reviews).await?;
                for (review, place) in misplaced.into_iter().filter_map(|(review, place)| Some((review, place?))) {
                    changes += 1;
                    rebuilt.moved += self.repost(vec![review.id], &place).await?;
                }
            }
            if reviews > 0 {
                self.register_org_with_reviews(org_id).await?;
            }
            rebuilt.reviews = reviews;
            if changes == 0 {
                return Ok(rebuilt);
            }
        }
        Err(Error::Unavailable("reviews kept being written while their books were".into()))
    }

    /// Whether the item was still as it had been read, and now is as it should be.
    pub(super) async fn rewrite(&self, key: &Key, differences: &[Difference]) -> Result<bool, Error> {
        for chunk in differences.chunks(ATTRIBUTES) {
            if !self.rewrite_some(key, chunk).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn rewrite_some(&self, (pk, sk): &Key, differences: &[Difference]) -> Result<bool, Error> {
        let update = self.db.client.update_item().table_name(self.db.name(&schema::REVIEWS));
        let mut update = update.set_key(Some(pk_sk(pk, sk)));
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
        let clauses = [("SET", sets), ("REMOVE", removes)];
        let clauses = clauses.iter().filter(|(_, parts)| !parts.is_empty());
        let clauses: Vec<_> = clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect();
        let update = update.update_expression(clauses.join(" ")).condition_expression(conditions.join(" AND "));
        match update.send().await {
            Ok(UpdateItemOutput { .. }) => Ok(true),
            Err(error) if is_condition_failed(&error) => Ok(false),
            Err(error) => Err(failed(error)),
        }
    }
}
