//! Review of the unit tests.

use super::{Partner, Rating, Review, ReviewId, ReviewState};
use crate::user::fixture::{business, org};

/// Returns a review of 1970 with five stars and no optional field. The name is its partner id and its key.
pub(crate) fn review(name: &str) -> Review {
    let business_id = business("b1");
    Review {
        id: ReviewId::derive(&business_id, Partner::Partner8, name, 0),
        version: 1,
        org_id: org(1),
        business_id,
        city_key: "lyon".to_owned(),
        partner: Partner::Partner8,
        partner_id: name.to_owned(),
        key: name.to_owned(),
        author_name: None,
        date: 0,
        update_date: None,
        delete_date: None,
        rating: Rating::ALL[4],
        title: None,
        content: None,
        reply_comment: None,
        state: ReviewState::Treated,
        link: None,
        seen_at: None,
        reply: None,
        acted_at: None,
    }
}
