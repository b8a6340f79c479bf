//! Replies and removals on their way: the index of them, and the order to send one again.

use jiff::Timestamp;
use presence_domain::error::Error;
use presence_domain::review::{Review, ReviewId};

use crate::client::read::{Item, Partition, number, pk_sk, text};
use crate::keys::{PENDING_REPLIES, REVIEW_SK, parse_review_pk, review_pk};
use crate::{ReviewStore, schema};

/// Attribute with the mark of the last order to send the request again.
pub(crate) const RESENT_AT: &str = "resent_at";
/// Number of items in a page of the index.
const PAGE: i32 = 1_000;
/// Largest number of pages: a hundred thousand replies on their way.
const MAX_PAGES: usize = 100;

/// Adds the attributes that put a review into the index, if its reply or removal is on its way.
pub(crate) fn insert_pending(review: &Review, item: &mut Item) {
    if let Some(request) = review.reply_request() {
        item.insert("pending_reply".to_owned(), text(PENDING_REPLIES));
        item.insert("requested_at".to_owned(), number(request.requested_at));
    }
}

impl ReviewStore {
    /// Returns the reviews whose reply or removal is on its way, the one that was accepted first on top. Reads an index: a request that was
    /// accepted or settled just now may be missing. The reviews are read strongly.
    pub async fn list_pending_replies(&self) -> Result<Vec<Review>, Error> {
        let items = self.db.query(partition(PAGE)).await?;
        let ids: Vec<ReviewId> =
            items.iter().filter_map(|item| parse_review_pk(item.get("pk")?.as_s().ok()?)).collect();
        let mut reviews = self.get_reviews(&ids).await?;
        let in_order = ids.iter().filter_map(|id| reviews.remove(id));
        Ok(in_order.filter(|review| review.reply_request().is_some()).collect())
    }

    /// Returns the instant from which on the oldest reply or removal has been on its way, by a query of one item; `None` if there is none.
    pub async fn oldest_pending_reply(&self) -> Result<Option<Timestamp>, Error> {
        let (items, _) = self.db.query_page(&partition(1), None).await?;
        let second = |item: &Item| item.get("requested_at")?.as_n().ok()?.parse().ok();
        Ok(items.first().and_then(second).and_then(|second| Timestamp::from_second(second).ok()))
    }

    /// Marks the request of a review, so that the stream hands it on again. Returns false if the review has no request on its way, or
    /// another version than this.
    pub async fn resend_reply(&self, review: &Review, now: Timestamp) -> Result<bool, Error> {
        let update = self
            .db
            .dynamo
            .client
            .update_item()
            .table_name(self.db.name(&schema::REVIEWS))
            .set_key(Some(pk_sk(review_pk(&review.id), REVIEW_SK)))
            .update_expression("SET resent_at = :now")
            .condition_expression("pending_reply = :pending AND version = :version")
            .expression_attribute_values(":now", text(now.as_millisecond().to_string()))
            .expression_attribute_values(":pending", text(PENDING_REPLIES))
            .expression_attribute_values(":version", number(review.version));
        self.db.retry_conditional(|| update.clone().send()).await
    }
}

fn partition(page: i32) -> Partition<'static> {
    Partition {
        table: &schema::REVIEWS,
        index: Some(&schema::REPLIES_INDEX),
        value: text(PENDING_REPLIES),
        between: None,
        page,
        max_pages: MAX_PAGES,
    }
}
