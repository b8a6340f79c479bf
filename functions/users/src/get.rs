//! GET `/api/v2/user/{user_id}`: returns one user.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation};
use presence_domain::error::{Error, FieldErrors};

use crate::App;
use crate::wire::{UserBody, display_business_ids, user_id};

pub(crate) struct Get {
    with_business_ids: bool,
}

impl Operation for Get {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { with_business_ids: display_business_ids(fields) }
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        let id = user_id(request)?;
        let user = app.users.get(request.principal.scope_of_user(id), id).await?.ok_or(Error::NotFound)?;
        errors.into_result()?;
        Ok(Answer::ok(&UserBody::new(&user, self.with_business_ids)))
    }
}
