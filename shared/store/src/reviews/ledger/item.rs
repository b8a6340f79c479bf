//! How reviews, tallies and slips are stored.

use serde::{Deserialize, Serialize};

use crate::client::read::{self, Item};
use crate::format::REVIEW;
use crate::keys::{REVIEW_SK, effective_listing, review_pk};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::ledger::{Day, FacetCounts, FacetKey};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};

/// What the attributes of a tally start with; the number of the cell follows.
const CELL_PREFIX: char = 'c';

/// A review as a search finds it: which, when (second since 1970), and in which cell.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    pub(super) at: i64,
    pub(super) id: ReviewId,
    pub(super) cell: FacetKey,
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

/// The item of a review.
pub(super) fn to_item(review: &Review) -> Result<Item, Error> {
    let review = review.clone();
    read::item_as(
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

/// Reads the item of a review.
pub(super) fn from_item(item: Item) -> Result<Review, Error> {
    let stored: ReviewItem = read::parse_as(REVIEW, item)?;
    review(stored).ok_or_else(|| Error::internal("a stored review breaks the rules of its fields"))
}

fn review(stored: ReviewItem) -> Option<Review> {
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

/// Blank texts were stored as they came, once: they are none.
fn unless_blank(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// The attribute of a tally that counts a cell.
pub(super) fn cell_attribute(cell: FacetKey) -> String {
    format!("{CELL_PREFIX}{}", cell.number())
}

/// Reads the counts of a tally's item; its other attributes are not cells.
pub(super) fn tally(item: &Item) -> FacetCounts {
    let mut tally = FacetCounts::default();
    for (name, value) in item {
        let cell =
            name.strip_prefix(CELL_PREFIX).and_then(|number| number.parse().ok()).and_then(FacetKey::from_number);
        let count = value.as_n().ok().and_then(|digits| digits.parse().ok());
        if let (Some(cell), Some(count)) = (cell, count) {
            tally.add(cell, count);
        }
    }
    tally
}

/// Reads the slips of an item, whose sort key tells day of the month and cell.
pub(super) fn slips(item: &Item, first_of_month: Day) -> Option<Vec<Posting>> {
    let sk = item.get("sk")?.as_s().ok()?;
    let (day, cell) = (sk.get(..2)?.parse::<i64>().ok()?, FacetKey::from_number(sk.get(2..4)?.parse().ok()?)?);
    let start = first_of_month.start() + (day - 1) * presence_domain::ledger::SECONDS_OF_DAY;
    let slip = |(name, value): (&String, &aws_sdk_dynamodb::types::AttributeValue)| {
        let id = ReviewId::parse(name)?;
        let second: i64 = value.as_n().ok()?.parse().ok()?;
        Some(Posting { at: start + second, id, cell })
    };
    Some(item.iter().filter_map(slip).collect())
}
