//! Way of every change of a review: who may make it, the review after it, its record, and the answer.

use jiff::Timestamp;
use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::audit::{Actor, AuditAction, AuditRecord};
use presence_domain::error::{Error, FieldErrors};
use presence_domain::ids::BusinessId;
use presence_domain::review::Review;
use presence_domain::user::{Role, Status};
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
        let decide = |review: &Review, (caller, business_ids): (Principal, Vec<BusinessId>)| {
            if !caller.scope().covers(Some(review.org_id)) {
                return Err(Error::NotFound);
            }
            authorize(&caller, self.right, Target::of_review(&caller, review, &business_ids))?;
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
        let caller = &request.principal;
        let read = || app.find_caller_with_businesses(caller);
        app.reviews.update_review(caller.scope(), &review_id(request)?, read, decide, ChangeAnswer::kept).await
    }
}

impl App {
    /// Returns the caller with the businesses that the policy asks about: those of a `BUSINESS_MANAGER`. One strong read has both: the user may
    /// have changed since the key was read, and new businesses do not fit an old role.
    async fn find_caller_with_businesses(&self, caller: &Principal) -> Result<(Principal, Vec<BusinessId>), Error> {
        if caller.role != Role::BusinessManager {
            return Ok((*caller, Vec::new()));
        }
        let user = self.users.get(caller.scope_of_user(caller.user_id), caller.user_id).await?;
        let user = user.filter(|user| user.status == Status::Active).ok_or(Error::Unauthenticated)?;
        Ok((Principal { user_id: user.id, org_id: user.org_id, role: user.role }, user.business_ids))
    }

    /// Returns an error if replies are not set up.
    pub(crate) fn require_replies(&self) -> Result<(), Error> {
        if self.has_replies { Ok(()) } else { Err(Error::invalid("replies are not set up")) }
    }
}
