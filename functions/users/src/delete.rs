//! DELETE `/api/v2/user/{user_id}`: deletes a user for good.

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
    let (id, principal) = (user_id(request)?, &request.principal);
    let delete = |user: User, ()| async move {
        authorize(principal, Action::DeleteUser, Target::from(&user))?;
        request.query().finish()?;
        let change = user.delete(&Actor::Key(request.key_id), app.clock.now());
        Ok(Decision::from(change.keeping_an_admin(principal.must_keep_an_admin())))
    };
    let answer = Answer::ok(&SuccessBody::of(id));
    let kept = request.keep(&answer, app.clock.now());
    app.users.update_alongside(principal.scope(), id, || ready(Ok(())), delete, kept.as_ref()).await?;
    Ok(answer)
}
