//! GET /api/v2/user/stats

use presence_api::app::App;
use presence_api::{Answer, AuthenticatedRequest};
use presence_domain::error::Error;

use crate::wire::StatsBody;

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    request.query().finish()?;
    let roster = app.store.count_users(request.principal.scope()).await?;
    let body = StatsBody { count: roster.count(), invited_count: roster.invited, activate_count: roster.active };
    Ok(Answer::ok(&body))
}
