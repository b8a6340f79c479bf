//! Way of every change of a review: who may make it, the review after it, its record, and the answer.

use jiff::Timestamp;
use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::audit::{Actor, AuditAction, AuditRecord};
use presence_domain::error::{Error, FieldErrors};
use presence_domain::ids::BusinessId;
use presence_domain::review::Review;
use presence_domain::user::Role;
use presence_store::ReviewDecision;

use crate::App;
use crate::wire::review_id;

/// Change of a review: the right that it needs, and its name in the audit trail.
#[derive(Clone, Copy)]
pub(crate) struct Act {
    pub(crate) right: Action,
    pub(crate) recorded: AuditAction,
}

impl Act {
    /// Changes the review in the path as `apply` says, and answers as `show` says. `apply` returns `None` if nothing changes.
    pub(crate) async fn run(
        self,
        app: &App,
        request: &AuthenticatedRequest,
        errors: FieldErrors,
        apply: impl Fn(&Review, Timestamp) -> Result<Option<Review>, Error>,
        show: impl Fn(&Review) -> Answer,
    ) -> Result<ChangeAnswer, Error> {
        let caller = &request.principal;
        let decide = |review: &Review, business_ids: Vec<BusinessId>| {
            authorize(caller, self.right, Target::of_review(caller, review, &business_ids))?;
            errors.clone().into_result()?;
            let at = app.clock.now();
            let after = apply(review, at)?;
            let answer = request.answer(show(after.as_ref().unwrap_or(review)), at);
            let change = after.map(|after| {
                let actor = Actor::Key(request.key_id);
                let record = AuditRecord::of_review(review, &after, actor, self.recorded, at);
                (after, record)
            });
            Ok(ReviewDecision { change, answer })
        };
        let read = || app.writable_businesses(caller);
        app.reviews.update_review(caller.scope(), &review_id(request)?, read, decide, ChangeAnswer::kept).await
    }
}

impl App {
    /// Returns the businesses that the policy asks about: those of a `BUSINESS_MANAGER`, by a strong read, since they may have changed.
    async fn writable_businesses(&self, caller: &Principal) -> Result<Vec<BusinessId>, Error> {
        if caller.role != Role::BusinessManager {
            return Ok(Vec::new());
        }
        self.users.get_businesses_of(caller.user_id).await
    }

    /// Returns an error if replies are not set up.
    pub(crate) fn require_replies(&self) -> Result<(), Error> {
        if self.has_replies { Ok(()) } else { Err(Error::invalid("replies are not set up")) }
    }
}
