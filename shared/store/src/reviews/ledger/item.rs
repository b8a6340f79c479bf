//! Items of the reviews table: reviews, facet counts and postings.
//!
//! - A **review item** holds one review.
//! - A **counts item** holds the facet counts of one review set in one month or one day, an attribute for each facet key.
//! - A **postings item** holds postings of one review set, day, facet key and shard, an attribute for each review.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};

use crate::client::read::{Item, pk_sk};
use crate::format::{REVIEW, item_as, parse_as};
use crate::keys::{COUNTS_PK_PREFIX, REVIEW_SK, effective_listing, review_pk};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{FacetCounts, FacetKey, Month, SECONDS_OF_DAY};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};

/// Prefix of the attributes of a counts item. The number of the facet key follows.
const COUNT_PREFIX: char = 'c';

/// The ledger's entry for one review: enough to filter and to order it without reading the review.
///
/// The order of the fields is the order of search results: by effective second, then by id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    /// Effective second since 1970.
    pub(super) effective_at: i64,
    pub(super) id: ReviewId,
    pub(super) facet_key: FacetKey,
}

impl Posting {
    /// Returns the posting that a review should have.
    pub(super) fn of(review: &Review) -> Self {
        Self { effective_at: review.effective_at(), id: review.id.clone(), facet_key: FacetKey::of(review) }
    }
}

/// Primary key of a counts item or a postings item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LedgerKey {
    pub(super) pk: String,
    pub(super) sk: String,
}

impl LedgerKey {
    /// True for a counts item, false for a postings item.
    pub(super) fn is_counts(&self) -> bool {
        self.pk.starts_with(COUNTS_PK_PREFIX)
    }

    /// Returns the key as attributes.
    pub(super) fn to_item(&self) -> Item {
        pk_sk(&self.pk, &self.sk)
    }
}

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
}

/// Returns the item of a review.
pub(super) fn review_to_item(review: &Review) -> Result<Item, Error> {
    let review = review.clone();
    item_as(
        REVIEW,
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
        },
    )
}

/// Reads a review item.
pub(super) fn review_from_item(item: Item) -> Result<Review, Error> {
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
    })
}

/// Returns the text unless it is blank. Earlier versions stored blank texts; they mean no text.
fn unless_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// Returns the update expression that sets and removes attributes. At least one of the lists must not be empty.
pub(super) fn update_expression(sets: &[String], removes: &[String]) -> String {
    let clauses = [("SET", sets), ("REMOVE", removes)];
    let clauses = clauses.iter().filter(|(_, parts)| !parts.is_empty());
    clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect::<Vec<_>>().join(" ")
}

/// Returns the name of the attribute that counts a facet key.
pub(super) fn count_attribute(facet_key: FacetKey) -> String {
    format!("{COUNT_PREFIX}{}", facet_key.number())
}

/// Reads a counts item. Attributes that count no facet key are skipped.
pub(super) fn read_counts(item: &Item) -> FacetCounts {
    let mut counts = FacetCounts::default();
    for (name, value) in item {
        let number = name.strip_prefix(COUNT_PREFIX).and_then(|number| number.parse().ok());
        let facet_key = number.and_then(FacetKey::from_number);
        let count = value.as_n().ok().and_then(|digits| digits.parse().ok());
        if let (Some(facet_key), Some(count)) = (facet_key, count) {
            counts.add(facet_key, count);
        }
    }
    counts
}

/// Reads a postings item of a month. `None` if its sort key has another form.
///
/// The sort key tells day and facet key. Each attribute is a review: its name is the id, its value the second of the day.
pub(super) fn read_postings(item: &Item, month: Month) -> Option<Vec<Posting>> {
    let sk = item.get("sk")?.as_s().ok()?;
    let day_of_month: i64 = sk.get(..2)?.parse().ok()?;
    let facet_key = FacetKey::from_number(sk.get(2..4)?.parse().ok()?)?;
    let start_of_day = month.first_day().start() + (day_of_month - 1) * SECONDS_OF_DAY;
    let posting = |(name, value): (&String, &AttributeValue)| {
        let id = ReviewId::parse(name)?;
        let second_of_day: i64 = value.as_n().ok()?.parse().ok()?;
        Some(Posting { effective_at: start_of_day + second_of_day, id, facet_key })
    };
    // Names that are no review ids are the item's key and format.
    Some(item.iter().filter_map(posting).collect())
}
