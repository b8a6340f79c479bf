//! Changes of the ledger that go with writes of reviews.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::Update;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;

use super::item::{LedgerKey, count_attribute, update_expression};
use crate::client::read::number;
use crate::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, counts_pk, postings_pk, postings_sk};
use crate::reviews::write::ReviewWrite;
use presence_domain::ledger::{Day, FacetKey, ReviewSet, SECONDS_OF_DAY};
use presence_domain::review::{Review, ReviewId};

/// Changes of counts and postings, merged by item: a transaction may touch each item once.
#[derive(Debug, Default)]
pub(super) struct LedgerDelta {
    /// Differences to add to the counts of each counts item.
    pub(super) counts: BTreeMap<LedgerKey, BTreeMap<FacetKey, i64>>,
    /// Postings to change in each postings item: the second of the day to set, or `None` to remove the posting.
    pub(super) postings: BTreeMap<LedgerKey, BTreeMap<ReviewId, Option<i64>>>,
}

impl LedgerDelta {
    /// Adds the changes of one write.
    pub(super) fn add(&mut self, write: &ReviewWrite) {
        if let Some(old) = &write.old {
            if has_same_postings(old, &write.new) {
                return;
            }
            self.add_review(old, -1, None);
        }
        // The new posting is set after the old one was removed: both may have the same item and name.
        let second_of_day = write.new.effective_at().rem_euclid(SECONDS_OF_DAY);
        self.add_review(&write.new, 1, Some(second_of_day));
    }

    fn add_review(&mut self, review: &Review, difference: i64, second_of_day: Option<i64>) {
        let (day, facet_key) = (Day::of(review.effective_at()), FacetKey::of(review));
        for set in BTreeSet::from(ReviewSet::containing(review)) {
            let pk = counts_pk(&set);
            for sk in [format!("{MONTH_SK_PREFIX}{}", day.month()), format!("{DAY_SK_PREFIX}{day}")] {
                let counts = self.counts.entry(LedgerKey { pk: pk.clone(), sk }).or_default();
                *counts.entry(facet_key).or_default() += difference;
            }
            let (pk, sk) = (postings_pk(&set, day.month()), postings_sk(&day.of_month(), facet_key, &review.id));
            self.postings.entry(LedgerKey { pk, sk }).or_default().insert(review.id.clone(), second_of_day);
        }
    }
}

/// True if a write changes only what the ledger does not store.
fn has_same_postings(old: &Review, new: &Review) -> bool {
    old.effective_at() == new.effective_at()
        && FacetKey::of(old) == FacetKey::of(new)
        && ReviewSet::containing(old) == ReviewSet::containing(new)
}

/// Returns the update of a counts item; `None` if all differences are zero.
pub(super) fn counts_update(table: &str, key: &LedgerKey, differences: &BTreeMap<FacetKey, i64>) -> Option<Update> {
    let mut update = ledger_update(table, key);
    let mut adds = Vec::new();
    for (facet_key, difference) in differences.iter().filter(|(_, difference)| **difference != 0) {
        let attribute = count_attribute(*facet_key);
        update = update.expression_attribute_values(format!(":{attribute}"), number(*difference));
        adds.push(format!("{attribute} :{attribute}"));
    }
    if adds.is_empty() {
        return None;
    }
    // ADD creates the item or the attribute where there is none. It needs no condition: the order of additions is irrelevant.
    let expression = format!("ADD {}", adds.join(", "));
    Some(update.update_expression(expression).build().expect("table, key and expression are set"))
}

/// Returns the update of a postings item.
pub(super) fn postings_update(table: &str, key: &LedgerKey, postings: &BTreeMap<ReviewId, Option<i64>>) -> Update {
    let mut update = ledger_update(table, key);
    let (mut sets, mut removes) = (Vec::new(), Vec::new());
    for (position, (id, second_of_day)) in postings.iter().enumerate() {
        update = update.expression_attribute_names(format!("#{position}"), id.as_str());
        match second_of_day {
            Some(second) => {
                update = update.expression_attribute_values(format!(":{position}"), number(*second));
                sets.push(format!("#{position} = :{position}"));
            }
            None => removes.push(format!("#{position}")),
        }
    }
    let expression = update_expression(&sets, &removes);
    update.update_expression(expression).build().expect("table, key and expression are set")
}

fn ledger_update(table: &str, key: &LedgerKey) -> UpdateBuilder {
    Update::builder().table_name(table).set_key(Some(key.to_item()))
}
