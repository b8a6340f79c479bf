//! Item of the reviews table that holds one review.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::client::read::{Item, pk_sk};
use crate::format::{REVIEW, REVIEW_WITHOUT_STAMP, item_as, parse_as};
use crate::keys::{REVIEW_SK, effective_listing, review_pk};
use crate::{ReviewStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::FacetKey;
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState, SeenAt};

#[derive(Serialize, Deserialize)]
struct ReviewItem {
    pk: String,
    sk: String,
    effective_listing: String,
    cell: u8,
    id: String,
    version: u64,
    org_id: u64,
    business_id: String,
    city_key: String,
    partner: String,
    partner_id: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author_name: Option<String>,
    date: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_date: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delete_date: Option<String>,
    rating: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_comment: Option<String>,
    state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen_at: Option<String>,
}

/// Returns the item of a review. Without a stamp it has the first format.
pub(crate) fn review_to_item(review: &Review) -> Result<Item, Error> {
    let review = review.clone();
    let kind = if review.seen_at.is_some() { REVIEW } else { REVIEW_WITHOUT_STAMP };
    item_as(
        kind,
        &ReviewItem {
            pk: review_pk(&review.id),
            sk: REVIEW_SK.to_owned(),
            effective_listing: effective_listing(review.effective_at(), &review.id),
            cell: FacetKey::of(&review).number(),
            id: review.id.as_str().to_owned(),
            version: review.version,
            org_id: review.org_id.get(),
            business_id: review.business_id.as_str().to_owned(),
            city_key: review.city_key,
            partner: review.partner.as_str().to_owned(),
            partner_id: review.partner_id,
            key: review.key,
            author_name: review.author_name,
            date: review.date,
            update_date: review.update_date,
            delete_date: review.delete_date.map(|day| day.to_string()),
            rating: review.rating.get(),
            title: review.title,
            content: review.content,
            reply_comment: review.reply_comment,
            state: review.state.as_str().to_owned(),
            link: review.link,
            seen_at: review.seen_at.map(|seen_at| seen_at.to_string()),
        },
    )
}

/// Reads a review item.
pub(crate) fn review_from_item(item: Item) -> Result<Review, Error> {
    let stored: ReviewItem = parse_as(REVIEW, item)?;
    parse_review(stored).ok_or_else(|| Error::internal("a stored review breaks the rules of its fields"))
}

/// Converts a stored review to the domain type; `None` if a field breaks the rules of its type.
fn parse_review(stored: ReviewItem) -> Option<Review> {
    Some(Review {
        id: ReviewId::parse(&stored.id)?,
        version: stored.version,
        org_id: OrgId::new(stored.org_id)?,
        business_id: BusinessId::parse(&stored.business_id)?,
        city_key: stored.city_key,
        partner: Partner::ALL.into_iter().find(|partner| partner.as_str() == stored.partner)?,
        partner_id: stored.partner_id,
        key: stored.key,
        author_name: unless_blank(stored.author_name),
        date: stored.date,
        update_date: stored.update_date,
        delete_date: stored.delete_date.map(|day| day.parse()).transpose().ok()?,
        rating: Rating::new(i128::from(stored.rating))?,
        title: unless_blank(stored.title),
        content: unless_blank(stored.content),
        reply_comment: unless_blank(stored.reply_comment),
        state: ReviewState::ALL.into_iter().find(|state| state.as_str() == stored.state)?,
        link: unless_blank(stored.link),
        seen_at: stored.seen_at.map_or(Some(None), |text| SeenAt::parse(&text).map(Some))?,
    })
}

/// Returns the text unless it is blank. Earlier versions stored blank texts; they mean no text.
fn unless_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

impl ReviewStore {
    /// Returns the review, by a strong read of a unit for each 4 KB; `None` if there is none in the scope.
    pub async fn get_review(&self, scope: Scope, id: &ReviewId) -> Result<Option<Review>, Error> {
        let item = self.db.get(&schema::REVIEWS, pk_sk(review_pk(id), REVIEW_SK)).await?;
        let review = item.map(review_from_item).transpose()?;
        Ok(review.filter(|review| scope.covers(Some(review.org_id))))
    }

    /// Returns the reviews with these ids, read strongly. Ids without a review are missing from the map.
    pub(crate) async fn get_reviews(&self, ids: &[ReviewId]) -> Result<BTreeMap<ReviewId, Review>, Error> {
        let keys = ids.iter().map(|id| pk_sk(review_pk(id), REVIEW_SK)).collect();
        let items = self.db.get_batch(&schema::REVIEWS, keys, &[]).await?;
        let by_id = |review: Review| (review.id.clone(), review);
        items.into_iter().map(|item| review_from_item(item).map(by_id)).collect()
    }
}
