//! DELETE `/api/v2/user/{user_id}`: deletes a user for good.

use std::future::ready;

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::audit::Actor;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::user::User;
use presence_store::Decision;

use crate::App;
use crate::wire::{SuccessBody, user_id};

pub(crate) struct Delete;

impl Operation for Delete {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let (id, principal, errors) = (user_id(request)?, &request.principal, &errors);
        let delete = |user: User, ()| async move {
            authorize(principal, Action::DeleteUser, Target::from(&user))?;
            errors.clone().into_result()?;
            let change = user.delete(&Actor::Key(request.key_id), app.clock.now());
            Ok(Decision::from(change.keeping_an_admin(principal.must_keep_an_admin())))
        };
        let answer = request.answer(Answer::ok(&SuccessBody::of(id)), app.clock.now());
        app.users.update_alongside(principal.scope(), id, || ready(Ok(())), delete, answer.kept()).await?;
        Ok(answer)
    }
}
