//! PUT `/api/v2/reviews/{review_id}`: sets the state of a review.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation, read};
use presence_domain::access::Action;
use presence_domain::audit::AuditAction;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::review::ReviewState;

use crate::App;
use crate::act::Act;
use crate::wire::ReviewBody;

/// State to be set; `None` after a mistake.
pub(crate) struct SetState(Option<ReviewState>);

impl Operation for SetState {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self(fields.required("state", |raw| {
            read::choice(raw, &[ReviewState::Treated, ReviewState::NotTreated], ReviewState::as_str)
        }))
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        let act = Act { right: Action::SetReviewState, recorded: AuditAction::SetReviewState };
        let show = |review: &_| Answer::ok(&ReviewBody::new(review));
        act.run(app, request, errors, |review, at| self.0.map_or(Ok(None), |state| review.set_state(state, at)), show)
            .await
    }
}
