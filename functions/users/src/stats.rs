//! GET `/api/v2/user/stats`: counts users by status.

use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::error::Error;

use crate::App;
use crate::wire::StatsBody;

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    request.query().finish()?;
    let head = app.users.count(request.principal.scope()).await?;
    let body = StatsBody { count: head.count(), invited_count: head.invited, activate_count: head.active };
    Ok(Answer::ok(&body))
}
