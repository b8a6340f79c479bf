//! DELETE /`api/v2/user/{user_id`}

use crate::App;
use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::error::Error;
use presence_domain::user::Role;
use presence_store::{MailChange, Refused, UserChange};

use crate::wire::{SuccessBody, WRITE_ATTEMPTS, user_id};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let id = user_id(request)?;
    for _ in 0..WRITE_ATTEMPTS {
        let record = app.users.get_record(request.principal.scope(), id).await?.ok_or(Error::NotFound)?;
        authorize(&request.principal, Action::DeleteUser, Target::from(&record.user))?;
        request.query().finish()?;
        let change = UserChange {
            before: Some(&record),
            after: None,
            mail: MailChange::Cancel,
            keep_an_admin: request.principal.role != Role::Provider,
            now: app.clock.now(),
        };
        match app.users.write(change).await {
            Ok(()) => return Ok(Answer::ok(&SuccessBody::of(id))),
            Err(Refused::LastAdmin) => {
                return Err(Error::invalid("this is the last active ORG_ADMIN of its organisation"));
            }
            Err(Refused::Failed(error)) => return Err(error),
            Err(Refused::Stale | Refused::EmailTaken) => {}
        }
    }
    Err(Error::Conflict)
}
