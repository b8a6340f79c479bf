//! Items of the whole reviews table at once, for samples, benchmarks and tests with many reviews.

use std::collections::BTreeSet;

use super::snapshot::LedgerSnapshot;
use crate::client::read::{Item, number, pk_sk};
use crate::keys::{ORGS_WITH_REVIEWS_PK, org_key};
use crate::reviews::body_item::review_to_item;
use presence_domain::error::Error;
use presence_domain::review::Review;

/// Returns every item of a reviews table that holds these reviews: the same items that writing them one by one makes.
///
/// The reviews of an organisation's month must be given together. Reviews of other months or organisations make other items,
/// except for the item that lists the organisation.
pub fn bulk_review_items(reviews: &[Review]) -> Result<Vec<Item>, Error> {
    let orgs: BTreeSet<_> = reviews.iter().map(|review| review.org_id).collect();
    let mut items: Vec<Item> =
        orgs.into_iter().map(|org_id| pk_sk(ORGS_WITH_REVIEWS_PK, org_key(Some(org_id)))).collect();
    for review in reviews {
        items.push(review_to_item(review)?);
    }
    for (key, numbers) in LedgerSnapshot::of_reviews(reviews).0 {
        let mut item = key.to_item();
        item.extend(numbers.into_iter().map(|(name, value)| (name, number(value))));
        items.push(item);
    }
    Ok(items)
}
