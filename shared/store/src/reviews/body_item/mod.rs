//! Item of the reviews table that holds one review.

mod acts;

pub use acts::{exported_acts, with_exported_acts};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::client::read::{Item, binary, number, pk_sk, text};
use crate::format::{REVIEW, check};
use crate::keys::{REVIEW_SK, effective_listing, parse_review_pk, review_pk};
use crate::reviews::replies::insert_pending;
use crate::{ReviewStore, schema};
use presence_domain::access::Scope;
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState, SeenAt, unless_blank};

/// Attribute that holds the fields of a review that no key, index or condition needs.
const BODY: &str = "body";

/// Fields in [`BODY`], in the encoding of [`postcard`]: each in its place, without its name.
///
/// The fields, their order and their types belong to the format of the item. Another body needs another format.
#[derive(Serialize, Deserialize)]
struct Body<'a> {
    business_id: &'a str,
    city_key: &'a str,
    /// Position in [`Partner::ALL`].
    partner: u8,
    partner_id: &'a str,
    key: &'a str,
    author_name: Option<&'a str>,
    date: i64,
    update_date: Option<i64>,
    delete_date: Option<String>,
    rating: u8,
    title: Option<&'a str>,
    content: Option<&'a str>,
    reply_comment: Option<&'a str>,
    /// Position in [`ReviewState::ALL`].
    state: u8,
    link: Option<&'a str>,
}

/// Returns the item of a review.
pub(crate) fn review_to_item(review: &Review) -> Result<Item, Error> {
    let mut item = pk_sk(review_pk(&review.id), REVIEW_SK);
    item.insert("effective_listing".to_owned(), text(effective_listing(review.effective_at(), &review.id)));
    item.insert("org_id".to_owned(), number(review.org_id.get()));
    item.insert("version".to_owned(), number(review.version));
    if let Some(seen_at) = review.seen_at {
        item.insert("seen_at".to_owned(), text(seen_at.to_string()));
    }
    let body = postcard::to_allocvec(&Body::of(review)).map_err(Error::internal)?;
    item.insert(BODY.to_owned(), binary(body));
    acts::insert(review, &mut item)?;
    insert_pending(review, &mut item);
    Ok(item)
}

/// Reads a review item. Returns [`Error::Unavailable`] for one of a later format, and [`Error::Internal`] for a damaged one.
pub fn review_from_item(item: &Item) -> Result<Review, Error> {
    check(REVIEW, item)?;
    parse(item).ok_or_else(|| Error::internal("a stored review breaks the rules of its fields"))
}

/// Converts an item; `None` if a field is missing or breaks the rules of its type.
fn parse(item: &Item) -> Option<Review> {
    let text = |name: &str| item.get(name)?.as_s().ok();
    let number = |name: &str| item.get(name)?.as_n().ok()?.parse().ok();
    let body = Body::decode(item.get(BODY)?.as_b().ok()?.as_ref())?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let (acted_at, reply) = acts::parse(item)?;
    Some(Review {
        id: parse_review_pk(text("pk")?)?,
        version: number("version")?,
        org_id: OrgId::new(number("org_id")?)?,
        business_id: BusinessId::parse(body.business_id)?,
        city_key: body.city_key.to_owned(),
        partner: Partner::ALL.get(usize::from(body.partner)).copied()?,
        partner_id: body.partner_id.to_owned(),
        key: body.key.to_owned(),
        author_name: owned(body.author_name),
        date: body.date,
        update_date: body.update_date,
        delete_date: body.delete_date.as_deref().map(str::parse).transpose().ok()?,
        rating: Rating::new(body.rating.into())?,
        title: owned(body.title),
        content: owned(body.content),
        reply_comment: owned(body.reply_comment),
        state: ReviewState::ALL.get(usize::from(body.state)).copied()?,
        link: owned(body.link),
        seen_at: match item.get("seen_at") {
            Some(stamp) => Some(SeenAt::parse(stamp.as_s().ok()?)?),
            None => None,
        },
        reply,
        acted_at,
    })
}

impl<'a> Body<'a> {
    fn of(review: &'a Review) -> Self {
        Self {
            business_id: review.business_id.as_str(),
            city_key: &review.city_key,
            partner: review.partner as u8,
            partner_id: &review.partner_id,
            key: &review.key,
            author_name: unless_blank(review.author_name.as_deref()),
            date: review.date,
            update_date: review.update_date,
            delete_date: review.delete_date.map(|day| day.to_string()),
            rating: review.rating.get(),
            title: unless_blank(review.title.as_deref()),
            content: unless_blank(review.content.as_deref()),
            reply_comment: unless_blank(review.reply_comment.as_deref()),
            state: review.state as u8,
            link: unless_blank(review.link.as_deref()),
        }
    }

    /// Decodes a body; `None` if the bytes have another form.
    fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (body, rest) = postcard::take_from_bytes(bytes).ok()?;
        rest.is_empty().then_some(body)
    }
}

impl ReviewStore {
    /// Returns the review, by a strong read of a unit for each 4 KB; `None` if there is none in the scope.
    pub async fn get_review(&self, scope: Scope, id: &ReviewId) -> Result<Option<Review>, Error> {
        let item = self.db.get(&schema::REVIEWS, pk_sk(review_pk(id), REVIEW_SK)).await?;
        let review = item.as_ref().map(review_from_item).transpose()?;
        Ok(review.filter(|review| scope.covers(Some(review.org_id))))
    }

    /// Returns the reviews with these ids, read strongly. Ids without a review are missing from the map.
    pub(crate) async fn get_reviews(&self, ids: &[ReviewId]) -> Result<BTreeMap<ReviewId, Review>, Error> {
        let keys = ids.iter().map(|id| pk_sk(review_pk(id), REVIEW_SK)).collect();
        let items = self.db.get_batch(&schema::REVIEWS, keys, &[]).await?;
        let by_id = |review: Review| (review.id.clone(), review);
        items.into_iter().map(|item| review_from_item(&item).map(by_id)).collect()
    }
}

#[cfg(test)]
mod tests;
