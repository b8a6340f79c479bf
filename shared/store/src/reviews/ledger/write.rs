//! Writes of reviews: each review and everything that counts it change in one transaction.

use super::delta::{LedgerDelta, counts_update, postings_update};
use super::item::LedgerKey;
use crate::client::errors::ItemTooLargeError;
use crate::client::transaction::{Transaction, TransactionError};
use crate::keys::{POSTING_SHARDS, POSTINGS_PK_PREFIX};
use crate::reviews::write::{ReviewWrite, WriteReviewsError};
use crate::{ReviewStore, schema};
use presence_domain::error::Error;

/// Maximum number of items in a transaction: DynamoDB's limit.
const MAX_ITEMS: usize = 100;
/// Maximum number of bytes of text in a transaction. DynamoDB takes 4 MB; a quarter is left for names, keys and numbers.
const MAX_TEXT_BYTES: usize = 3_000_000;

/// A postings item has reached the 400 KB that DynamoDB takes. Reviews of its day, facet key and shard cannot be written
/// until the ledger stores postings in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingItemFullError(LedgerKey);

impl std::fmt::Display for PostingItemFullError {
    /// Writes the message that operators read. Its words "book" and "cell" are the older names of set and facet key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LedgerKey { pk, sk } = &self.0;
        let (set, month) = pk.trim_start_matches(POSTINGS_PK_PREFIX).rsplit_once('#').unwrap_or_default();
        let part = |range| sk.get(range).unwrap_or_default();
        write!(
            f,
            "there are too many reviews of one kind on {month}-{}: their index has reached the 400 KB that DynamoDB takes in \
             one item (book {set}, cell {}, shard {} of {POSTING_SHARDS})",
            part(0..2),
            part(2..4),
            part(4..5),
        )
    }
}

impl std::error::Error for PostingItemFullError {}

impl ReviewWrite {
    /// Returns how many of the writes, from the first on, fit into one transaction.
    #[must_use]
    pub fn count_fitting(writes: &[Self]) -> usize {
        let (mut delta, mut text_bytes) = (LedgerDelta::default(), 0);
        for (position, write) in writes.iter().enumerate() {
            delta.add(write);
            text_bytes += write.new.text_bytes();
            let items = position + 1 + delta.counts.len() + delta.postings.len();
            if items > MAX_ITEMS || text_bytes > MAX_TEXT_BYTES {
                // The first write always fits: one review changes at most 13 items.
                return position.max(1);
            }
        }
        writes.len()
    }
}

impl ReviewStore {
    /// Writes the reviews and everything that counts them, all or nothing.
    ///
    /// Takes each review once, and at most [`ReviewWrite::count_fitting`] of them.
    pub async fn write_reviews(&self, writes: &[ReviewWrite]) -> Result<(), WriteReviewsError> {
        let table = self.db.name(&schema::REVIEWS);
        let mut transaction = Transaction::new();
        let mut delta = LedgerDelta::default();
        // Only the reviews have conditions. While their versions are those that were read, the differences are right.
        for (position, write) in writes.iter().enumerate() {
            transaction.put(Some(position), write.put(&table).map_err(WriteReviewsError::Failed)?);
            delta.add(write);
        }
        // Keys of the postings items by position in the transaction, by which DynamoDB names an item that is too large.
        let mut posting_keys = vec![None; writes.len()];
        for (key, differences) in &delta.counts {
            if let Some(update) = counts_update(&table, key, differences) {
                transaction.update(None, update);
                posting_keys.push(None);
            }
        }
        for (key, postings) in &delta.postings {
            transaction.update(None, postings_update(&table, key, postings));
            posting_keys.push(Some(key));
        }
        transaction.commit(&self.db).await.map_err(|refusal| match refusal {
            TransactionError::ConditionsFailed(positions) => {
                WriteReviewsError::Stale(positions.into_iter().flatten().collect())
            }
            TransactionError::Failed(error) => write_error(error, &posting_keys),
        })
    }
}

/// Returns the error of a failed transaction: a full postings item, if one of the items that are too large is one.
fn write_error(error: Error, posting_keys: &[Option<&LedgerKey>]) -> WriteReviewsError {
    let too_large = match &error {
        Error::Internal(source) => source.downcast_ref::<ItemTooLargeError>(),
        _ => None,
    };
    let positions = too_large.map_or(&[][..], |items| &items.0);
    match positions.iter().find_map(|position| posting_keys.get(*position).copied().flatten()) {
        Some(key) => WriteReviewsError::Full(PostingItemFullError(key.clone())),
        None => WriteReviewsError::Failed(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use presence_domain::ids::{BusinessId, OrgId};
    use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};

    fn writes(count: usize, content: &str) -> Vec<ReviewWrite> {
        let business_id = BusinessId::parse("b1").expect("an id");
        let write = |n: usize| {
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
        (0..count).map(write).collect()
    }

    #[test]
    fn transaction_is_full_at_its_maximum_of_items_or_bytes() {
        // Reviews of one day and facet key share 4 counts items and 2 × 8 postings items.
        assert_eq!(ReviewWrite::count_fitting(&writes(200, "short")), 80);
        assert_eq!(ReviewWrite::count_fitting(&writes(200, &"x".repeat(100_000))), 29);
        assert_eq!(ReviewWrite::count_fitting(&writes(2, &"x".repeat(MAX_TEXT_BYTES))), 1);
    }
}
