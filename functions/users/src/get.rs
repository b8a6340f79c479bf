//! GET `/api/v2/user/{user_id}`: returns one user.

use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::error::Error;

use crate::App;
use crate::wire::{UserBody, display_business_ids, user_id};

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let user = app.users.get(request.principal.scope(), user_id(request)?).await?.ok_or(Error::NotFound)?;
    let mut fields = request.query();
    let with_business_ids = display_business_ids(&mut fields);
    fields.finish()?;
    Ok(Answer::ok(&UserBody::new(&user, with_business_ids)))
}
