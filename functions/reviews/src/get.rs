//! GET `/api/v2/reviews/{review_id}`: returns one review.

use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::error::Error;

use crate::wire::{ReviewBody, review_id};
use crate::{App, authorize_reading};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let caller = &request.principal;
    let review = app.reviews.get_review(caller.scope(), &review_id(request)?).await?.ok_or(Error::NotFound)?;
    authorize_reading(caller, Some(review.org_id))?;
    request.query().finish()?;
    Ok(Answer::ok(&ReviewBody::new(&review)))
}
