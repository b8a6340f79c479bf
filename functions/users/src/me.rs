//! GET `/api/v2/user/me`: returns the calling user.

use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::error::Error;

use crate::App;
use crate::wire::{UserBody, display_business_ids};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let mut fields = request.query();
    let with_business_ids = display_business_ids(&mut fields);
    fields.finish()?;
    // Deleted since its key was read: the key gives no access any more.
    let user =
        app.users.get(request.principal.scope(), request.principal.user_id).await?.ok_or(Error::Unauthenticated)?;
    Ok(Answer::ok(&UserBody::new(&user, with_business_ids)))
}
