//! Statistics of reviews: `GET /api/v2/reviews/stats`.

use crate::filter::read_filter;
use crate::wire::StatsBody;
use crate::{App, authorize_reading};
use presence_api::{Answer, AuthenticatedRequest, RawValue, read};
use presence_domain::error::{Error, FieldError};
use presence_domain::review_stats::GroupBy;
use presence_store::StatsError;

/// Name of the parameter of the groups.
const GROUP_BY: &str = "group_by";

pub(crate) async fn run(app: &App, request: &AuthenticatedRequest) -> Result<Answer, Error> {
    let caller = &request.principal;
    authorize_reading(caller, caller.org_id)?;
    let mut fields = request.query();
    let filter = read_filter(&mut fields);
    let group_by = fields.optional(GROUP_BY, read_group_by);
    fields.finish()?;
    let stats = app.reviews.review_stats(caller.scope(), &filter, group_by).await.map_err(to_error)?;
    Ok(Answer::ok(&StatsBody::new(&stats)))
}

fn to_error(error: StatsError) -> Error {
    match error {
        StatsError::TooManyGroups(error) => Error::invalid_field(GROUP_BY, error.to_string()),
        StatsError::Failed(error) => error,
    }
}

fn read_group_by(raw: RawValue<'_>) -> Result<GroupBy, FieldError> {
    read::choice(raw, &GroupBy::ALL, GroupBy::as_str)
}
