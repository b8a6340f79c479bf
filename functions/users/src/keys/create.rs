//! POST `/api/v2/user/{user_id}/keys`: creates a key, which the answer shows this once.

use presence_api::{AuthenticatedRequest, ChangeAnswer, Fields, Operation};
use presence_domain::audit::Actor;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::key_rights::AskedRights;
use presence_store::{KeyChange, NewApiKey};

use super::{check, issue, wire};
use crate::App;
use crate::wire::user_id;

pub(crate) struct CreateKey {
    label: Option<String>,
    requested: AskedRights,
}

impl Operation for CreateKey {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self { label: fields.required("label", wire::label), requested: wire::asked_rights(fields) }
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let (owner, now, own_rights) = (user_id(request)?, app.clock.now(), request.key_rights()?);
        let (by, check) = (Actor::Key(request.key_id), check(request));
        let scope = Some(request.principal.scope_of_user(owner));
        let change = KeyChange { owner, scope, check: &check, by: &by, now };
        let decide = |_: Option<&_>| {
            let rights = own_rights.of_new_key(self.requested.clone(), errors.clone(), now)?;
            Ok(NewApiKey { label: self.label.clone(), rights })
        };
        issue(app, request, change, None, decide).await
    }
}
