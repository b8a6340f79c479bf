//! GET /api/v2/user/me

use presence_api::app::App;
use presence_api::{Answer, Call};
use presence_domain::error::Error;

use crate::wire::{UserBody, display_business_ids};

pub(crate) async fn run(app: &App, call: &Call) -> Result<Answer, Error> {
    let mut fields = call.query();
    let with_business_ids = display_business_ids(&mut fields);
    fields.finish()?;
    // Deleted since its key was read: the key gives no access any more.
    let user = app.store.user(call.principal.scope(), call.principal.user_id).await?.ok_or(Error::Unauthenticated)?;
    Ok(Answer::ok(&UserBody::new(&user, with_business_ids)))
}
