//! Numbers of the ledger, as the reviews make them.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{LedgerKey, Posting, count_attribute};
use crate::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, counts_pk, postings_pk, postings_sk};
use presence_domain::instant::format_second;
use presence_domain::ledger::ReviewSet;
use presence_domain::review::Review;

/// Counts items and postings items: for each, the attributes that are numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct LedgerSnapshot(pub(super) BTreeMap<LedgerKey, BTreeMap<String, i64>>);

impl LedgerSnapshot {
    /// Returns the numbers that the ledger should have for these reviews.
    pub(super) fn of_reviews<'a>(reviews: impl IntoIterator<Item = &'a Review>) -> Self {
        let mut snapshot = Self::default();
        for review in reviews {
            snapshot.add(&Posting::of(review), ReviewSet::containing(review));
        }
        snapshot
    }

    /// Counts a review.
    ///
    /// Month and day are cut out of the date that answers show. Writes compute them with [`Day`] and [`Month`]: a second
    /// way of computing them finds reviews that writes file under a wrong date.
    ///
    /// [`Day`]: presence_domain::ledger::Day
    /// [`Month`]: presence_domain::ledger::Month
    fn add(&mut self, posting: &Posting, sets: [ReviewSet; 2]) {
        let shown = format_second(posting.effective_at);
        let (Some(month), Some(date), Some(day)) = (shown.get(..7), shown.get(..10), shown.get(8..10)) else { return };
        for set in BTreeSet::from(sets) {
            let pk = counts_pk(&set);
            for sk in [format!("{MONTH_SK_PREFIX}{month}"), format!("{DAY_SK_PREFIX}{date}")] {
                let counts = self.0.entry(LedgerKey { pk: pk.clone(), sk }).or_default();
                *counts.entry(count_attribute(posting.facet_key)).or_default() += 1;
            }
            let (pk, sk) = (postings_pk(&set, month), postings_sk(day, posting.facet_key, &posting.id));
            let postings = self.0.entry(LedgerKey { pk, sk }).or_default();
            postings.insert(posting.id.as_str().to_owned(), second_of_day(&shown));
        }
    }
}

/// Returns the second of the day of an instant in the form of answers: `2024-03-01T09:30:00+00:00`.
fn second_of_day(shown: &str) -> i64 {
    let part = |range: std::ops::Range<usize>| {
        shown.get(range).and_then(|digits| digits.parse::<i64>().ok()).unwrap_or_default()
    };
    (part(11..13) * 60 + part(14..16)) * 60 + part(17..19)
}
