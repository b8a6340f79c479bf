//! Writes of organisations and businesses.

use serde::{Deserialize, Serialize};

use super::items::{BusinessItem, OrgItem};
use super::move_register::Begun;
use super::{Business, BusinessLocation, BusinessStore, Org, key};
use crate::client::tables::{Condition, ItemWrite};
use crate::client::transaction::{Transaction, TransactionError};
use crate::format::{item, parse};
use crate::schema;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::RowOutcome;
use presence_domain::text::city_key;

/// Maximum number of ids that a new organisation passes over, because others took them since the ids were read.
const MAX_IDS_PASSED_OVER: u64 = 100;
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

/// End of one attempt to put a business.
pub(crate) enum PutStep {
    /// The business is stored.
    Done {
        outcome: PutOutcome,
        /// True if reviews of it may be elsewhere.
        is_moving: bool,
    },
    /// Nothing is written: this business, or another one, must finish its move first.
    TooManyMoves(BusinessId),
}

/// Comparison of a business with its stored item.
struct Comparison {
    /// Item to write, with the present revision, and the organisations that the business is leaving.
    row: BusinessItem,
    outcome: PutOutcome,
    /// Conditions that the stored item is the one that was compared.
    conditions: Vec<Condition>,
    /// Place that the business leaves now.
    left: Option<BusinessLocation>,
}

impl BusinessStore {
    /// Writes an organisation, unless the same one is stored.
    pub async fn put_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        let outcome = self.compare_item(&row.pk, &row).await?;
        self.put_unless_same(outcome, &row).await
    }

    /// Creates an organisation. False if there is one with its id.
    pub async fn create_org(&self, org: &Org) -> Result<bool, Error> {
        // A transaction, because the SDK repeats it under a token: a condition would not hold after a put whose reply was lost.
        let mut transaction = Transaction::new();
        let put = ItemWrite::put(&schema::BUSINESSES, item(&OrgItem::from(org))?, [Condition::NotThere]);
        transaction.write((), put);
        match transaction.commit(&self.db).await {
            Ok(()) => Ok(true),
            Err(TransactionError::ConditionsFailed(_)) => Ok(false),
            Err(TransactionError::Failed(error)) => Err(error),
        }
    }

    /// Creates an organisation under the next id: the highest one and one. The ids of others that are created meanwhile are passed over.
    pub async fn create_next_org(&self, name: &str) -> Result<Org, Error> {
        let highest = self.list_orgs().await?.iter().map(|id| id.get()).max().unwrap_or_default();
        for number in highest + 1..=highest + MAX_IDS_PASSED_OVER {
            let id = OrgId::new(number).ok_or_else(|| Error::invalid("the highest id is taken: name another one"))?;
            let org = Org { id, name: name.to_owned() };
            if self.create_org(&org).await? {
                return Ok(org);
            }
        }
        Err(Error::Conflict)
    }

    /// Returns the outcome that [`BusinessStore::put_org`] would have. Writes nothing.
    pub async fn compare_org(&self, org: &Org) -> Result<PutOutcome, Error> {
        let row = OrgItem::from(org);
        self.compare_item(&row.pk, &row).await
    }

    /// Writes a business, unless the same one is stored. A business that has another place now begins to move: its reviews stay where
    /// they are until the move is finished.
    pub async fn put(&self, business: &Business) -> Result<PutOutcome, Error> {
        match self.try_put(business).await? {
            PutStep::Done { outcome, .. } => Ok(outcome),
            PutStep::TooManyMoves(_) => Err(Error::Unavailable("too many moves of businesses are not finished".into())),
        }
    }

    /// Writes a business as [`BusinessStore::put`], unless too many moves are under way.
    ///
    /// The change is announced first. Businesses that are put at the same time share an announcement.
    pub(crate) async fn try_put(&self, business: &Business) -> Result<PutStep, Error> {
        let mut first_outcome = None;
        for _ in 0..MAX_ATTEMPTS {
            let Comparison { mut row, outcome, conditions, left } = self.compare_business(business).await?;
            let is_moving = !row.leaving.is_empty();
            if outcome == PutOutcome::Unchanged {
                // After a failed condition this is the put of this call, whose reply was lost.
                return Ok(PutStep::Done { outcome: first_outcome.unwrap_or(outcome), is_moving });
            }
            let outcome = *first_outcome.get_or_insert(outcome);
            row.revision = self.announce(&business.id).await?;
            let put = ItemWrite::put(&schema::BUSINESSES, item(&row)?, conditions);
            let begun = if let Some(left) = left {
                self.begin_move(business, put, &left).await?
            } else if self.db.write(put).await? {
                Begun::Yes
            } else {
                Begun::Outdated
            };
            self.note_done(row.revision);
            match begun {
                Begun::Yes => return Ok(PutStep::Done { outcome, is_moving }),
                Begun::TooMany(other) => return Ok(PutStep::TooManyMoves(other)),
                Begun::Outdated => {}
            }
        }
        Err(Error::Conflict)
    }

    /// Returns the outcome that [`BusinessStore::put`] would have. Writes nothing.
    pub async fn compare(&self, business: &Business) -> Result<PutOutcome, Error> {
        self.compare_business(business).await.map(|comparison| comparison.outcome)
    }

    /// Compares a business with its stored item.
    async fn compare_business(&self, business: &Business) -> Result<Comparison, Error> {
        let mut row = BusinessItem::from(business);
        let stored = self.db.get(&schema::BUSINESSES, key(row.pk.clone())).await?;
        let stored = stored.map(parse::<BusinessItem>).transpose()?;
        let place = BusinessLocation { org_id: business.org_id, city_key: city_key(&business.city) };
        let old_place = stored.as_ref().map(BusinessItem::location).transpose()?;
        let left = old_place.filter(|old_place| *old_place != place);
        row.leaving = stored.as_ref().map(|stored| stored.leaving.clone()).unwrap_or_default();
        row.leaving.extend(left.as_ref().map(|left| left.org_id.get()));
        row.revision = stored.as_ref().map_or(0, |stored| stored.revision);
        let revision = match row.revision {
            // A new business has no revision.
            0 => Condition::Without("revision"),
            revision => Condition::NumberIs("revision", revision),
        };
        let is_moving = stored.as_ref().is_some_and(|stored| !stored.leaving.is_empty());
        // The end of a move keeps the revision.
        let conditions = [revision].into_iter().chain(is_moving.then_some(Condition::With("leaving"))).collect();
        let outcome = match stored {
            None => PutOutcome::Created,
            Some(stored) if stored == row => PutOutcome::Unchanged,
            Some(_) => PutOutcome::Updated,
        };
        Ok(Comparison { row, outcome, conditions, left })
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
            self.db.put(&schema::BUSINESSES, item(row)?).await?;
        }
        Ok(outcome)
    }
}
