//! Statistics of reviews: `GET /api/v2/reviews/stats`.

use crate::filter::read_filter;
use crate::wire::StatsBody;
use crate::{App, authorize_reading};
use presence_api::{Answer, AuthenticatedRequest, Fields, Operation, read};
use presence_domain::access::Principal;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::review_stats::GroupBy;
use presence_store::{ReviewFilter, StatsError};

/// Name of the parameter of the groups.
const GROUP_BY: &str = "group_by";

pub(crate) struct Stats {
    filter: ReviewFilter,
    group_by: Option<GroupBy>,
}

impl Operation for Stats {
    type App = App;
    type Outcome = Answer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            filter: read_filter(fields),
            group_by: fields.optional(GROUP_BY, |raw| read::choice(raw, &GroupBy::ALL, GroupBy::as_str)),
        }
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize_reading(caller, caller.org_id)
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        errors.into_result()?;
        let stats = app.reviews.review_stats(request.principal.scope(), &self.filter, self.group_by).await;
        Ok(Answer::ok(&StatsBody::new(&stats.map_err(to_error)?)))
    }
}

fn to_error(error: StatsError) -> Error {
    match error {
        StatsError::TooManyGroups(error) => Error::invalid_field(GROUP_BY, error.to_string()),
        StatsError::Failed(error) => error,
    }
}
