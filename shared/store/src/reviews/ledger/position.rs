//! Position of the scheduled audit: one item of the reviews table.

use serde::{Deserialize, Serialize};

use crate::client::errors::failed;
use crate::client::read::{Item, pk_sk};
use crate::format::{item, parse};
use crate::keys::{AUDIT_PK, AUDIT_SK};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ids::OrgId;
use presence_domain::ledger::Month;

/// Seconds between the starts of two rounds: a day, less ten minutes for a run that starts late. Without them, rounds would
/// start later each day.
const ROUND_SECONDS: i64 = 86_400 - 600;
/// Maximum number of months that are remembered as wrong. The next round finds others again.
const MAX_OPEN: usize = 20;

/// Position of the scheduled audit. The names of the fields are stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Position {
    /// Start of the round, in seconds since 1970.
    pub(super) began_at: i64,
    /// True once every organisation was looked at in this round.
    pub(super) is_done: bool,
    /// Organisation to continue with; if it does not exist any more, the next one.
    pub(super) org: u64,
    /// Month of that organisation to continue with; empty for its first month.
    pub(super) month: String,
    /// Number of times that the step at this position was started.
    pub(super) attempts: u32,
    /// Units that earlier runs spent beyond their limit.
    pub(super) debt: f64,
    /// Months that are known to be wrong, by organisation.
    pub(super) open: Vec<(u64, String)>,
}

impl Position {
    /// Returns the position of a run that starts now: the stored one, or the start of a new round.
    pub(super) fn of_run(stored: Option<Self>, now: i64) -> Self {
        match stored {
            Some(position) if !position.is_done || now - position.began_at < ROUND_SECONDS => position,
            ended => {
                let Self { debt, open, .. } = ended.unwrap_or_default();
                Self { began_at: now, debt, open, ..Self::default() }
            }
        }
    }

    /// Returns the month of this organisation to continue with; `None` for its first month.
    pub(super) fn month_of(&self, org_id: OrgId) -> Option<Month> {
        Month::parse(&self.month).filter(|_| self.org == org_id.get())
    }

    /// Moves behind the months of a step. `None` moves behind the organisation.
    pub(super) fn pass(&mut self, org_id: OrgId, last: Option<Month>) {
        self.attempts = 0;
        (self.org, self.month) = match last {
            Some(last) => (org_id.get(), last.next().to_string()),
            None => (org_id.get() + 1, String::new()),
        };
    }

    /// Remembers a month that is wrong.
    pub(super) fn add_open(&mut self, org_id: OrgId, month: Month) {
        let wrong_month = (org_id.get(), month.to_string());
        if self.open.len() < MAX_OPEN && !self.open.contains(&wrong_month) {
            self.open.push(wrong_month);
        }
    }
}

impl ReviewStore {
    /// Returns the position of the scheduled audit; `None` before the first run, or if the item cannot be read. The audit
    /// starts from the beginning then.
    pub(super) async fn audit_position(&self) -> Result<Option<Position>, Error> {
        let item = self.db.get(&schema::REVIEWS, pk_sk(AUDIT_PK, AUDIT_SK)).await?;
        Ok(item.and_then(|item| parse(item).ok()))
    }

    /// Stores the position of the scheduled audit.
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
    fn position_moves_behind_months_and_then_behind_the_organisation() {
        let org = |number| OrgId::new(number).expect("an id");
        let month = |text| Month::parse(text).expect("a month");
        let mut position = Position { attempts: 2, ..Position::default() };
        assert_eq!(position.month_of(org(7)), None);
        position.pass(org(7), Some(month("2024-12")));
        assert_eq!((position.attempts, position.month_of(org(7))), (0, Some(month("2025-01"))));
        assert_eq!(position.month_of(org(8)), None, "another organisation starts with its first month");
        position.pass(org(7), None);
        assert_eq!((position.org, position.month.as_str()), (8, ""));
        for number in 1..=100 {
            position.add_open(org(number % 50 + 1), month("2024-02"));
        }
        assert_eq!(position.open.len(), MAX_OPEN);
    }
}
