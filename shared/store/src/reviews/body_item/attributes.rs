//! Reviews in the first two formats, which have an attribute for each field.

use serde::Deserialize;

use crate::client::read::Item;
use crate::format::{REVIEW, parse_as};
use presence_domain::error::Error;
use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState, SeenAt, unless_blank};

#[derive(Deserialize)]
struct ReviewAttributes {
    id: String,
    version: u64,
    org_id: u64,
    business_id: String,
    city_key: String,
    partner: String,
    partner_id: String,
    key: String,
    author_name: Option<String>,
    date: i64,
    update_date: Option<i64>,
    delete_date: Option<String>,
    rating: u8,
    title: Option<String>,
    content: Option<String>,
    reply_comment: Option<String>,
    state: String,
    link: Option<String>,
    seen_at: Option<String>,
}

/// Reads an item; `None` if a field breaks the rules of its type.
pub(super) fn parse(item: Item) -> Result<Option<Review>, Error> {
    let stored: ReviewAttributes = parse_as(REVIEW, item)?;
    Ok(convert(stored))
}

/// Converts the attributes. Earlier versions stored blank texts.
fn convert(stored: ReviewAttributes) -> Option<Review> {
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
