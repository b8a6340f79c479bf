//! GET /api/v2/user/stats

use crate::App;
use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::error::Error;

use crate::wire::StatsBody;

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    request.query().finish()?;
    let roster = app.users.count(request.principal.scope()).await?;
    let body = StatsBody { count: roster.count(), invited_count: roster.invited, activate_count: roster.active };
    Ok(Answer::ok(&body))
}
