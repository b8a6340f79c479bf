//! Writes of organisations and businesses.

use serde::{Deserialize, Serialize};

use super::items::{BusinessItem, OrgItem};
use super::{Business, BusinessStore, Org, key};
use crate::client::read::number;
use crate::client::write::Condition;
use crate::format::{item, parse};
use crate::keys::business_pk;
use crate::schema;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::RowOutcome;

/// Maximum number of attempts to put a business that others put at the same time.
const MAX_ATTEMPTS: u32 = 5;

/// Outcome of a put, or of the comparison that a dry run makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// No item was there.
    Created,
    /// A different item was there.
    Updated,
    /// The same item was there, and nothing was written.
    Unchanged,
}

impl From<RowOutcome> for PutOutcome {
    fn from(outcome: RowOutcome) -> Self {
        match outcome {
            RowOutcome::Created => Self::Created,
            RowOutcome::Updated => Self::Updated,
            RowOutcome::Unchanged => Self::Unchanged,
        }
    }
}

/// Comparison of a business with its stored item.
struct Comparison {
    /// Item to write, with the present revision, and the other organisation that the business has or had.
    row: BusinessItem,
    outcome: PutOutcome,
    /// Condition that the stored item is the one that was compared.
    condition: Condition,
}

impl BusinessStore {
    /// Writes an organisation, unless the same one is stored.
    pub async fn put_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        let outcome = self.compare_item(&row.pk, &row).await?;
        self.put_unless_same(outcome, &row).await
    }

    /// Returns the outcome that [`BusinessStore::put_org`] would have. Writes nothing.
    pub async fn compare_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        self.compare_item(&row.pk, &row).await
    }

    /// Writes a business, unless the same one is stored. Notes the organisation that it had before.
    ///
    /// The change is announced first. Businesses that are put at the same time share an announcement.
    pub async fn put(&self, business: &Business) -> Result<PutOutcome, Error> {
        let mut first_outcome = None;
        for _ in 0..MAX_ATTEMPTS {
            let Comparison { mut row, outcome, condition } = self.compare_business(business).await?;
            if outcome == PutOutcome::Unchanged {
                // After a failed condition this is the put of this call, whose reply was lost.
                return Ok(first_outcome.unwrap_or(outcome));
            }
            let outcome = *first_outcome.get_or_insert(outcome);
            row.revision = self.announce(&business.id).await?;
            let is_written = self.db.put_if(&schema::BUSINESSES, item(&row)?, condition).await?;
            self.note_done(row.revision);
            if is_written {
                return Ok(outcome);
            }
        }
        Err(Error::Conflict)
    }

    /// Returns the outcome that [`BusinessStore::put`] would have. Writes nothing.
    pub async fn compare(&self, business: &Business) -> Result<PutOutcome, Error> {
        self.compare_business(business).await.map(|comparison| comparison.outcome)
    }

    /// Notes that the reviews of a business begin to move to another organisation. From now on searches of its reviews look
    /// into both.
    pub async fn note_move(&self, id: &BusinessId, org_id: OrgId) -> Result<(), Error> {
        let update = self.db.client.update_item().table_name(self.db.name(&schema::BUSINESSES));
        let update = update
            .set_key(Some(key(business_pk(id))))
            .update_expression("SET other_org_id = :org")
            .condition_expression("attribute_exists(pk)")
            .expression_attribute_values(":org", number(org_id.get()));
        self.db.retry_throttled(|| update.clone().send()).await?;
        self.db.note_progress();
        Ok(())
    }

    /// Compares a business with its stored item.
    async fn compare_business(&self, business: &Business) -> Result<Comparison, Error> {
        let mut row = BusinessItem::from(business);
        let stored = self.db.get(&schema::BUSINESSES, key(row.pk.clone())).await?;
        let stored = stored.map(parse::<BusinessItem>).transpose()?;
        row.other_org_id = stored
            .as_ref()
            .and_then(|stored| if stored.org_id == row.org_id { stored.other_org_id } else { Some(stored.org_id) });
        row.revision = stored.as_ref().map_or(0, |stored| stored.revision);
        let condition = match row.revision {
            // A new business has no revision.
            0 => Condition::Without("revision"),
            revision => Condition::NumberIs("revision", revision),
        };
        let outcome = match stored {
            None => PutOutcome::Created,
            Some(stored) if stored == row => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        };
        Ok(Comparison { row, outcome, condition })
    }

    async fn compare_item<T: for<'de> Deserialize<'de> + PartialEq>(
        &self,
        pk: &str,
        row: &T,
    ) -> Result<PutOutcome, Error> {
        let stored = self.db.get(&schema::BUSINESSES, key(pk.to_owned())).await?.map(parse::<T>).transpose()?;
        Ok(match stored {
            None => PutOutcome::Created,
            Some(stored) if stored == *row => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        })
    }

    async fn put_unless_same<T: Serialize>(&self, outcome: PutOutcome, row: &T) -> Result<PutOutcome, Error> {
        if outcome != PutOutcome::Unchanged {
            let put =
                self.db.client.put_item().table_name(self.db.name(&schema::BUSINESSES)).set_item(Some(item(row)?));
            self.db.retry_throttled(|| put.clone().send()).await?;
            self.db.note_progress();
        }
        Ok(outcome)
    }
}
