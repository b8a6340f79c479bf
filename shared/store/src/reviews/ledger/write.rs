//! Writing reviews: body, tallies and slips in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::{Put, Update};

use super::item::{cell_attribute, to_item};
use crate::client::errors::ItemsTooLarge;
use crate::client::read::{number, pk_sk};
use crate::client::transaction::{Refusal, Transaction};
use crate::keys::{DAY_SK_PREFIX, MONTH_SK_PREFIX, POSTING_SHARDS, counts_pk, postings_pk, postings_sk};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;
use presence_domain::ledger::{Day, FacetKey, ReviewSet, SECONDS_OF_DAY};
use presence_domain::review::{Review, ReviewId};

/// Items of a transaction: DynamoDB's limit.
const MAX_ITEMS: usize = 100;
/// Bytes of text in a transaction: DynamoDB takes 4 MB, and a quarter of it is left to names, keys and numbers.
const MAX_TEXT_BYTES: usize = 3_000_000;

/// One review as it is and as it shall be.
#[derive(Clone, Debug)]
pub struct ReviewWrite {
    /// As it was read; none for a new one.
    pub old: Option<Review>,
    /// As it shall be; its version is set when it is written.
    pub new: Review,
}

/// Why reviews were not posted. Nothing was.
#[derive(Debug)]
pub enum WriteReviewsError {
    /// These postings (by position) have a review that changed since it was read, or exists already.
    Stale(Vec<usize>),
    /// Slips that they move have no room for more.
    Full(PostingItemFullError),
    /// Something else.
    Failed(Error),
}

/// An item of slips that has no room for more: DynamoDB takes 400 KB. No write of such a review will be done before the
/// ledger keeps them otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingItemFullError(Key);

impl std::fmt::Display for PostingItemFullError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let PostingItemFullError((pk, sk)) = self;
        let (book, month) = pk.trim_start_matches("L#").rsplit_once('#').unwrap_or_default();
        let part = |range| sk.get(range).unwrap_or_default();
        write!(
            f,
            "there are too many reviews of one kind on {month}-{}: their index has reached the 400 KB that DynamoDB takes in \
             one item (book {book}, cell {}, shard {} of {POSTING_SHARDS})",
            part(0..2),
            part(2..4),
            part(4..5),
        )
    }
}

impl std::error::Error for PostingItemFullError {}

pub(super) type Key = (String, String);

/// What postings do to tallies and slips, merged by item.
#[derive(Debug, Default)]
pub(super) struct LedgerDelta {
    pub(super) tallies: BTreeMap<Key, BTreeMap<FacetKey, i64>>,
    /// The second of the day that a slip gets, or none to remove it.
    pub(super) slips: BTreeMap<Key, BTreeMap<ReviewId, Option<i64>>>,
}

impl ReviewWrite {
    /// How many of the postings, from the first on, fit into one transaction.
    #[must_use]
    pub fn count_fitting(postings: &[Self]) -> usize {
        let (mut moves, mut text_bytes) = (LedgerDelta::default(), 0);
        for (position, posting) in postings.iter().enumerate() {
            moves.add(posting);
            text_bytes += posting.new.text_bytes();
            let items = position + 1 + moves.tallies.len() + moves.slips.len();
            if items > MAX_ITEMS || text_bytes > MAX_TEXT_BYTES {
                // A single review moves at most 13 items: the first always fits.
                return position.max(1);
            }
        }
        postings.len()
    }
}

impl LedgerDelta {
    fn add(&mut self, posting: &ReviewWrite) {
        let place = |review: &Review| (review.effective_at(), FacetKey::of(review), ReviewSet::containing(review));
        if let Some(old) = &posting.old {
            if place(old) == place(&posting.new) {
                return;
            }
            self.move_review(old, -1, None);
        }
        let second = posting.new.effective_at().rem_euclid(SECONDS_OF_DAY);
        self.move_review(&posting.new, 1, Some(second));
    }

    fn move_review(&mut self, review: &Review, difference: i64, second: Option<i64>) {
        let (day, cell) = (Day::of(review.effective_at()), FacetKey::of(review));
        let books: BTreeSet<ReviewSet> = ReviewSet::containing(review).into_iter().collect();
        for book in books {
            let pk = counts_pk(&book);
            for sk in [format!("{MONTH_SK_PREFIX}{}", day.month()), format!("{DAY_SK_PREFIX}{day}")] {
                *self.tallies.entry((pk.clone(), sk)).or_default().entry(cell).or_default() += difference;
            }
            let key = (postings_pk(&book, day.month()), postings_sk(&day.of_month(), cell, &review.id));
            self.slips.entry(key).or_default().insert(review.id.clone(), second);
        }
    }
}

impl ReviewStore {
    /// Writes the reviews with everything that counts them, all or nothing. At most [`ReviewWrite::count_fitting`] at a time, each
    /// review once.
    pub async fn write_reviews(&self, postings: &[ReviewWrite]) -> Result<(), WriteReviewsError> {
        let mut transaction = Transaction::new();
        let mut moves = LedgerDelta::default();
        for (position, posting) in postings.iter().enumerate() {
            transaction.put(Some(position), self.review_put(posting).map_err(WriteReviewsError::Failed)?);
            moves.add(posting);
        }
        let mut keys = vec![None; postings.len()];
        for (key, cells) in moves.tallies {
            if let Some(update) = self.tally_update(key, &cells) {
                transaction.update(None, update);
                keys.push(None);
            }
        }
        for (key, slips) in moves.slips {
            transaction.update(None, self.slips_update(key.clone(), &slips));
            keys.push(Some(key));
        }
        transaction.commit(&self.db).await.map_err(|refusal| match refusal {
            Refusal::Conditions(positions) => WriteReviewsError::Stale(positions.into_iter().flatten().collect()),
            Refusal::Failed(error) => refused(error, &keys),
        })
    }

    fn review_put(&self, posting: &ReviewWrite) -> Result<Put, Error> {
        let version = posting.old.as_ref().map(|old| old.version);
        let new = Review { version: version.map_or(1, |version| version + 1), ..posting.new.clone() };
        let put = Put::builder().table_name(self.db.name(&schema::REVIEWS)).set_item(Some(to_item(&new)?));
        let put = match version {
            None => put.condition_expression("attribute_not_exists(pk)"),
            Some(version) => {
                put.condition_expression("version = :version").expression_attribute_values(":version", number(version))
            }
        };
        put.build().map_err(Error::internal)
    }

    /// The update of a tally; none when its differences cancel out.
    fn tally_update(&self, key: Key, cells: &BTreeMap<FacetKey, i64>) -> Option<Update> {
        let mut update = self.ledger_update(key);
        let mut adds = Vec::new();
        for (cell, difference) in cells.iter().filter(|(_, difference)| **difference != 0) {
            let attribute = cell_attribute(*cell);
            update = update.expression_attribute_values(format!(":{attribute}"), number(*difference));
            adds.push(format!("{attribute} :{attribute}"));
        }
        let expression = format!("ADD {}", adds.join(", "));
        let update = update.update_expression(expression).build().expect("table, key and expression are set");
        (!adds.is_empty()).then_some(update)
    }

    fn slips_update(&self, key: Key, slips: &BTreeMap<ReviewId, Option<i64>>) -> Update {
        let mut update = self.ledger_update(key);
        let (mut sets, mut removes) = (Vec::new(), Vec::new());
        for (position, (id, second)) in slips.iter().enumerate() {
            update = update.expression_attribute_names(format!("#{position}"), id.as_str());
            match second {
                Some(second) => {
                    update = update.expression_attribute_values(format!(":{position}"), number(*second));
                    sets.push(format!("#{position} = :{position}"));
                }
                None => removes.push(format!("#{position}")),
            }
        }
        let clause = |word: &str, parts: &[String]| {
            if parts.is_empty() { String::new() } else { format!("{word} {} ", parts.join(", ")) }
        };
        let expression = clause("SET", &sets) + &clause("REMOVE", &removes);
        update.update_expression(expression.trim_end()).build().expect("table, key and expression are set")
    }

    fn ledger_update(&self, (pk, sk): Key) -> aws_sdk_dynamodb::types::builders::UpdateBuilder {
        Update::builder().table_name(self.db.name(&schema::REVIEWS)).set_key(Some(pk_sk(pk, sk)))
    }
}

/// Tells slips that are full from other failures. The keys are those of the slips, by their place in the transaction.
fn refused(error: Error, keys: &[Option<Key>]) -> WriteReviewsError {
    let full = match &error {
        Error::Internal(source) => source.downcast_ref::<ItemsTooLarge>(),
        _ => None,
    };
    let full = full.and_then(|full| full.0.iter().find_map(|place| keys.get(*place).cloned().flatten()));
    full.map_or(WriteReviewsError::Failed(error), |key| WriteReviewsError::Full(PostingItemFullError(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::ids::{BusinessId, OrgId};
    use presence_domain::review::{Partner, Rating, ReviewState};

    fn postings(count: usize, content: &str) -> Vec<ReviewWrite> {
        let business_id = BusinessId::parse("b1").expect("an id");
        let posting = |n: usize| {
            let partner_id = n.to_string();
            let new = Review {
                id: ReviewId::derive(&business_id, Partner::Partner8, &partner_id, 0),
                version: 0,
                org_id: OrgId::new(1).expect("an id"),
                business_id: business_id.clone(),
                city_key: "lyon".to_owned(),
                partner: Partner::Partner8,
                key: partner_id.clone(),
                partner_id,
                author_name: None,
                date: 0,
                update_date: None,
                delete_date: None,
                rating: Rating::ALL[0],
                title: None,
                content: Some(content.to_owned()),
                reply_comment: None,
                state: ReviewState::Treated,
                link: None,
            };
            ReviewWrite { old: None, new }
        };
        (0..count).map(posting).collect()
    }

    #[test]
    fn a_transaction_is_full_at_its_items_or_at_its_bytes() {
        // Of one day and cell: 4 tallies and 2 × 8 groups of slips beside the reviews.
        assert_eq!(ReviewWrite::count_fitting(&postings(200, "short")), 80);
        assert_eq!(ReviewWrite::count_fitting(&postings(200, &"x".repeat(100_000))), 29);
        assert_eq!(ReviewWrite::count_fitting(&postings(2, &"x".repeat(MAX_TEXT_BYTES))), 1);
    }
}
