//! GET `/api/v2/user/me`: returns the calling user.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation};
use presence_domain::error::{Error, FieldErrors};

use crate::App;
use crate::wire::{UserBody, display_business_ids};

pub(crate) struct Me {
    with_business_ids: bool,
}

impl Operation for Me {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { with_business_ids: display_business_ids(fields) }
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        errors.into_result()?;
        let principal = &request.principal;
        // Deleted since its key was read: the key gives no access any more.
        let user = app
            .users
            .get(principal.scope_of_user(principal.user_id), principal.user_id)
            .await?
            .ok_or(Error::Unauthenticated)?;
        Ok(Answer::ok(&UserBody::new(&user, self.with_business_ids)))
    }
}
