//! POST `/api/v2/user/{user_id}/invite`: sends a new invitation.

use std::future::ready;

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::audit::Actor;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::user::User;
use presence_store::Decision;

use crate::App;
use crate::wire::{SuccessBody, user_id};

pub(crate) struct Invite;

impl Operation for Invite {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let (id, errors) = (user_id(request)?, &errors);
        let invite = |user: User, ()| async move {
            authorize(&request.principal, Action::InviteUser, Target::from(&user))?;
            errors.clone().into_result()?;
            match user.invite(&Actor::Key(request.key_id), app.clock.now()) {
                Ok(change) => Ok(Decision::from(change)),
                Err(error) => Err(explain(app, &user, error).await?),
            }
        };
        let answer = request.answer(Answer::ok(&SuccessBody::without_id()), app.clock.now());
        app.users.update_alongside(request.principal.scope(), id, || ready(Ok(())), invite, answer.kept()).await?;
        Ok(answer)
    }
}

/// Returns the error of an invitation that is refused. A caller who must wait after a mail that bounced is told of the bounce, because
/// waiting does not help.
async fn explain(app: &App, user: &User, error: Error) -> Result<Error, Error> {
    if !matches!(error, Error::TooSoon { .. }) {
        return Ok(error);
    }
    let mark = app.users.address_mark(user.email.key()).await?;
    Ok(mark.map_or(error, |mark| mark.error()))
}
