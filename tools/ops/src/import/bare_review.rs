//! Review for the tests of imports.

use presence_domain::ids::{BusinessId, OrgId};
use presence_domain::review::{Partner, Rating, Review, ReviewId, ReviewState};

/// Returns a review of the business `b1` with a value in no field that may be missing. The id follows from the partner's.
pub(super) fn bare_review(partner_id: &str) -> Review {
    let business_id = BusinessId::parse("b1").expect("an id");
    Review {
        id: ReviewId::derive(&business_id, Partner::Partner8, partner_id, 0),
        version: 0,
        org_id: OrgId::new(42).expect("an id"),
        business_id,
        city_key: "lyon".to_owned(),
        partner: Partner::Partner8,
        partner_id: partner_id.to_owned(),
        key: partner_id.to_owned(),
        author_name: None,
        date: 0,
        update_date: None,
        delete_date: None,
        rating: Rating::ALL[0],
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
