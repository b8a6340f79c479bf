//! The reviews table as a whole, without writing it review by review: for samples, benchmarks and tests at size.

use std::collections::BTreeSet;

use super::item::to_item;
use super::recount::count;
use crate::client::read::{Item, number, pk_sk};
use crate::keys::{ORGS_WITH_REVIEWS_PK, org_key};
use presence_domain::error::Error;
use presence_domain::review::Review;

/// Every item of the reviews table where these are all reviews of their organisations' months: what posting them one by one
/// ends in. Reviews of other months or organisations make other items, but for that which lists the organisation.
pub fn bulk_review_items(reviews: &[Review]) -> Result<Vec<Item>, Error> {
    let orgs: BTreeSet<_> = reviews.iter().map(|review| review.org_id).collect();
    let mut items: Vec<Item> =
        orgs.into_iter().map(|org_id| pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)))).collect();
    for review in reviews {
        items.push(to_item(review)?);
    }
    for ((pk, sk), numbers) in count(reviews) {
        let mut item = pk_sk(pk, sk);
        item.extend(numbers.into_iter().map(|(name, value)| (name, number(value))));
        items.push(item);
    }
    Ok(items)
}
