//! GET `/api/v2/reviews/{review_id}`: returns one review.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation};
use presence_domain::error::{Error, FieldErrors};

use crate::wire::{ReviewBody, review_id};
use crate::{App, authorize_reading};

pub(crate) struct Get;

impl Operation for Get {
    type App = App;
    type Outcome = Answer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        let caller = &request.principal;
        let review = app.reviews.get_review(caller.scope(), &review_id(request)?).await?.ok_or(Error::NotFound)?;
        authorize_reading(caller, Some(review.org_id))?;
        errors.into_result()?;
        Ok(Answer::ok(&ReviewBody::new(&review)))
    }
}
