//! DELETE `/api/v2/user/{user_id}/keys/{key_id}`: revokes a key from the next request on.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_domain::audit::Actor;
use presence_domain::error::{Error, FieldErrors};
use presence_store::KeyChange;

use super::{check, key_error, key_id};
use crate::App;
use crate::wire::{SuccessBody, user_id};

pub(crate) struct RevokeKey;

impl Operation for RevokeKey {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let (owner, now) = (user_id(request)?, app.clock.now());
        let (by, check) = (Actor::Key(request.key_id), check(request));
        let scope = Some(request.principal.scope_of_user(owner));
        let change = KeyChange { owner, scope, check: &check, by: &by, now };
        let id = key_id(app, request, &change).await?;
        let answer = request.answer(Answer::ok(&SuccessBody::of(id)), now);
        app.users.revoke_key_answered(change, id, &errors, answer.kept()).await.map_err(key_error)?;
        Ok(answer)
    }
}
