//! GET `/api/v2/user/stats`: counts users by status.

use presence_api::{Answer, AuthenticatedRequest, Fields, Operation};
use presence_domain::error::{Error, FieldErrors};

use crate::App;
use crate::wire::StatsBody;

pub(crate) struct Stats;

impl Operation for Stats {
    type App = App;
    type Outcome = Answer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        errors.into_result()?;
        let head = app.users.count(request.principal.scope()).await?;
        let body = StatsBody { count: head.count(), invited_count: head.invited, activate_count: head.active };
        Ok(Answer::ok(&body))
    }
}
