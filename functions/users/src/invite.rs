//! POST `/api/v2/user/{user_id}/invite`: sends a new invitation.

use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::error::Error;
use presence_domain::user::User;
use presence_store::Decision;

use crate::App;
use crate::wire::{SuccessBody, user_id};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let id = user_id(request)?;
    let invite = |user: &User| {
        authorize(&request.principal, Action::InviteUser, Target::from(user))?;
        request.query().finish()?;
        user.invite(app.clock.now()).map(Decision::from)
    };
    app.users.update(request.principal.scope(), id, invite).await?;
    Ok(Answer::ok(&SuccessBody::without_id()))
}
