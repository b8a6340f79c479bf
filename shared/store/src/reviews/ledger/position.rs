//! Where the scheduled audit goes on: one item of the reviews table.

use serde::{Deserialize, Serialize};

use crate::client::errors::failed;
use crate::client::read::{Item, item, parse, pk_sk};
use crate::keys::{AUDIT_PK, AUDIT_SK};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::Month;

/// Months that are known to be wrong and are looked at in each run, at the most. Others are found again in the next round.
const MAX_OPEN: usize = 20;

/// The position of the scheduled audit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    /// When the round began, in seconds since 1970.
    pub(super) began_at: i64,
    /// True once every organisation was looked at.
    pub(super) is_done: bool,
    /// The organisation to go on with, or the next one after it.
    pub(super) org: u64,
    /// Its month to go on with; empty for the first one.
    pub(super) month: String,
    /// The number of times that the next months were begun.
    pub(super) attempts: u32,
    /// Units that earlier runs spent beyond their limit.
    pub(super) debt: f64,
    /// The months that are known to be wrong, by organisation.
    pub(super) open: Vec<(u64, String)>,
}

impl Position {
    /// Returns the start of a round.
    pub(super) fn start(now: i64, earlier: Self) -> Self {
        Self { began_at: now, debt: earlier.debt, open: earlier.open, ..Self::default() }
    }

    /// Returns the month to go on with in this organisation.
    pub(super) fn month_of(&self, org_id: OrgId) -> Option<Month> {
        Month::parse(&self.month).filter(|_| self.org == org_id.get())
    }

    /// Goes behind the months up to this one, or behind the organisation.
    pub(super) fn pass(&mut self, org_id: OrgId, last: Option<Month>) {
        self.attempts = 0;
        (self.org, self.month) = match last {
            Some(last) => (org_id.get(), last.next().to_string()),
            None => (org_id.get() + 1, String::new()),
        };
    }

    /// Remembers a month that is wrong.
    pub(super) fn open(&mut self, org_id: OrgId, month: Month) {
        let place = (org_id.get(), month.to_string());
        if self.open.len() < MAX_OPEN && !self.open.contains(&place) {
            self.open.push(place);
        }
    }
}

impl ReviewStore {
    /// Returns where the scheduled audit is; `None` before the first run. An item that cannot be read begins it anew.
    pub(super) async fn audit_position(&self) -> Result<Option<Position>, Error> {
        let item = self.db.get(&schema::REVIEWS, pk_sk(AUDIT_PK, AUDIT_SK)).await?;
        Ok(item.and_then(|item| parse(item).ok()))
    }

    /// Stores where it is.
    pub(super) async fn save_audit_position(&self, position: &Position) -> Result<(), Error> {
        let update = self.db.client.update_item().table_name(self.db.name(&schema::REVIEWS));
        let mut update = update.set_key(Some(pk_sk(AUDIT_PK, AUDIT_SK)));
        let fields: Item = item(position)?;
        let mut sets = Vec::new();
        for (number, (name, value)) in fields.into_iter().enumerate() {
            update = update.expression_attribute_names(format!("#{number}"), name);
            update = update.expression_attribute_values(format!(":{number}"), value);
            sets.push(format!("#{number} = :{number}"));
        }
        update.update_expression(format!("SET {}", sets.join(", "))).send().await.map(drop).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_passes_months_and_then_the_organisation() {
        let org = |number| OrgId::new(number).expect("an id");
        let month = |text| Month::parse(text).expect("a month");
        let mut position = Position { attempts: 2, ..Position::default() };
        assert_eq!(position.month_of(org(7)), None);
        position.pass(org(7), Some(month("2024-12")));
        assert_eq!((position.attempts, position.month_of(org(7))), (0, Some(month("2025-01"))));
        assert_eq!(position.month_of(org(8)), None, "another one begins with its first month");
        position.pass(org(7), None);
        assert_eq!((position.org, position.month.as_str()), (8, ""));
        for number in 1..=100 {
            position.open(org(number % 50 + 1), month("2024-02"));
        }
        assert_eq!(position.open.len(), MAX_OPEN);
    }
}
