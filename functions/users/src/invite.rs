//! POST /`api/v2/user/{user_id}/invite`

use crate::App;
use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::access::{Action, Target, authorize};
use presence_domain::error::Error;
use presence_domain::invitation::seconds_until;
use presence_domain::user::Status;
use presence_store::{MailChange, Refused, UserChange};

use crate::wire::{SuccessBody, WRITE_ATTEMPTS, user_id};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let id = user_id(request)?;
    for _ in 0..WRITE_ATTEMPTS {
        let record = app.users.get_record(request.principal.scope(), id).await?.ok_or(Error::NotFound)?;
        authorize(&request.principal, Action::InviteUser, Target::from(&record.user))?;
        request.query().finish()?;
        if record.user.status != Status::Invited {
            return Err(Error::invalid_field("status", "is not invited"));
        }
        let now = app.clock.now();
        let allowed_at = record.user.pace().allowed_at(now);
        if allowed_at > now {
            return Err(Error::TooSoon { retry_after_seconds: seconds_until(allowed_at, now) });
        }
        let mut after = record.user.clone();
        after.set_pace(after.pace().accept(now));
        let mail = MailChange::Send { due_at: now };
        let change = UserChange { before: Some(&record), after: Some(&after), mail, keep_an_admin: false, now };
        match app.users.write(change).await {
            Ok(()) => return Ok(Answer::ok(&SuccessBody::without_id())),
            Err(Refused::Failed(error)) => return Err(error),
            Err(Refused::Stale | Refused::EmailTaken | Refused::LastAdmin) => {}
        }
    }
    Err(Error::Conflict)
}
