//! GET `/api/v2/user/{user_id}/keys`: lists the keys of a user.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation};
use presence_domain::error::{Error, FieldErrors};

use super::check;
use super::wire::{KeyBody, KeyListBody};
use crate::App;
use crate::wire::user_id;

pub(crate) struct ListKeys;

impl Operation for ListKeys {
    type App = App;
    type Outcome = Answer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        let (owner, now) = (user_id(request)?, app.clock.now());
        let check = |user: &_| check(request)(user).and_then(|()| errors.clone().into_result());
        let records = app.users.list_keys_of(request.principal.scope_of_user(owner), owner, check).await?;
        let newest_first = records.iter().rev().filter(|record| record.is_listed(now));
        Ok(Answer::ok(&KeyListBody { keys: newest_first.map(KeyBody::new).collect() }))
    }
}
