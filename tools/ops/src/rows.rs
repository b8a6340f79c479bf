//! Rows of exports, in the formats that imports read.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use presence_domain::category::{Category, Country, Partners};
use presence_domain::error::Error;
use presence_domain::instant::format_second;
use presence_domain::review::Review;
use presence_store::{Business, Org, exported_acts};
use serde::Serialize;

/// Row of an organisation.
#[derive(Serialize)]
pub(crate) struct OrgRow<'a> {
    id: u64,
    name: &'a str,
}

/// Row of a business.
#[derive(Serialize)]
pub(crate) struct BusinessRow<'a> {
    id: &'a str,
    org_id: u64,
    name: &'a str,
    city: &'a str,
}

/// Row of a category.
#[derive(Serialize)]
pub(crate) struct CategoryRow<'a> {
    id: &'a str,
    code: &'a str,
    names: &'a BTreeMap<Country, String>,
    ancestors: &'a BTreeMap<Country, Vec<String>>,
    partners: &'a Partners,
}

/// Row of a review.
#[derive(Serialize)]
pub(crate) struct ReviewRow<'a> {
    business_id: &'a str,
    partner: &'static str,
    partner_id: &'a str,
    key: &'a str,
    author_name: Option<&'a str>,
    date: String,
    update_date: Option<String>,
    delete_date: Option<String>,
    rating: u8,
    title: Option<&'a str>,
    content: Option<&'a str>,
    reply_comment: Option<&'a str>,
    state: &'static str,
    link: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen_at: Option<String>,
    /// Whole stamp, if it has more than the instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    stamp: Option<String>,
    /// Changes made here, which only the build of a table reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts: Option<String>,
}

impl<'a> ReviewRow<'a> {
    /// Returns the row that an import finds unchanged: while a reply is on its way, it has the text that the partner has.
    pub(crate) fn exported(review: &'a Review) -> Result<Self, Error> {
        let acts = exported_acts(review)?.map(|acts| BASE64_STANDARD.encode(acts));
        Ok(Self { reply_comment: review.known_at_partner(), acts, ..Self::from(review) })
    }
}

impl<'a> From<&'a Org> for OrgRow<'a> {
    fn from(org: &'a Org) -> Self {
        Self { id: org.id.get(), name: &org.name }
    }
}

impl<'a> From<&'a Business> for BusinessRow<'a> {
    fn from(business: &'a Business) -> Self {
        let Business { id, org_id, name, city } = business;
        Self { id: id.as_str(), org_id: org_id.get(), name, city }
    }
}

impl<'a> From<&'a Category> for CategoryRow<'a> {
    fn from(category: &'a Category) -> Self {
        let Category { id, code, names, ancestors, partners } = category;
        Self { id: id.as_str(), code, names, ancestors, partners }
    }
}

impl<'a> From<&'a Review> for ReviewRow<'a> {
    fn from(review: &'a Review) -> Self {
        Self {
            business_id: review.business_id.as_str(),
            partner: review.partner.as_str(),
            partner_id: &review.partner_id,
            key: &review.key,
            author_name: review.author_name.as_deref(),
            date: format_second(review.date),
            update_date: review.update_date.map(format_second),
            delete_date: review.delete_date.map(|day| day.to_string()),
            rating: review.rating.get(),
            title: review.title.as_deref(),
            content: review.content.as_deref(),
            reply_comment: review.reply_comment.as_deref(),
            state: review.state.as_str(),
            link: review.link.as_deref(),
            seen_at: review
                .seen_at
                .and_then(|seen| jiff::Timestamp::from_microsecond(seen.at).ok().map(|instant| instant.to_string())),
            stamp: review.seen_at.filter(|seen| *seen != seen.without_place()).map(|seen| seen.to_string()),
            acts: None,
        }
    }
}
