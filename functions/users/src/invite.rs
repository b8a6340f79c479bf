//! POST `/api/v2/user/{user_id}/invite`: sends a new invitation.

use std::future::ready;

use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::audit::Actor;
use presence_domain::error::Error;
use presence_domain::user::User;
use presence_store::Decision;

use crate::App;
use crate::wire::{SuccessBody, user_id};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let id = user_id(request)?;
    let invite = |user: User, ()| async move {
        authorize(&request.principal, Action::InviteUser, Target::from(&user))?;
        request.query().finish()?;
        match user.invite(&Actor::Key(request.key_id), app.clock.now()) {
            Ok(change) => Ok(Decision::from(change)),
            Err(error) => Err(explain(app, &user, error).await?),
        }
    };
    let answer = Answer::ok(&SuccessBody::without_id());
    let kept = request.keep(&answer, app.clock.now());
    app.users.update_alongside(request.principal.scope(), id, || ready(Ok(())), invite, kept.as_ref()).await?;
    Ok(answer)
}

/// Returns the error of an invitation that is refused. Who must wait after a mail that bounced learns that waiting is no use.
async fn explain(app: &App, user: &User, error: Error) -> Result<Error, Error> {
    if !matches!(error, Error::TooSoon { .. }) {
        return Ok(error);
    }
    let mark = app.users.address_mark(user.email.key()).await?;
    Ok(mark.map_or(error, |mark| mark.error()))
}
