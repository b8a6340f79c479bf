//! `/api/v2/reviews/{review_id}/reply`: reads the reply to a review, creates or replaces it, takes it back, and records its outcome.

use presence_api::{Answer, AuthenticatedRequest, ChangeAnswer, Fields, Operation, read};
use presence_domain::access::{Action, Principal, Target, authorize};
use presence_domain::audit::AuditAction;
use presence_domain::error::{Error, FieldErrors};
use presence_domain::review::{OutcomeReason, OutcomeReport, ReplyText, Review};

use crate::act::Act;
use crate::wire::{ReplyBody, SuccessBody, outcome, reply_version, review_id};
use crate::{App, authorize_reading};

pub(crate) struct GetReply;

/// Text of the reply; `None` after a mistake.
pub(crate) struct PutReply(Option<ReplyText>);

pub(crate) struct DeleteReply;

/// Report of a connector; `None` after a mistake.
pub(crate) struct ReportOutcome(Option<OutcomeReport>);

impl Operation for GetReply {
    type App = App;
    type Outcome = Answer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<Answer, Error> {
        app.require_replies()?;
        let caller = &request.principal;
        let review = app.reviews.get_review(caller.scope(), &review_id(request)?).await?.ok_or(Error::NotFound)?;
        authorize_reading(caller, Some(review.org_id))?;
        errors.into_result()?;
        ReplyBody::of(&review).map(|reply| Answer::ok(&reply)).ok_or(Error::NotFound)
    }
}

impl Operation for PutReply {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        Self(fields.required("content", |raw| ReplyText::parse(read::any_text(raw)?).map_err(Into::into)))
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        app.require_replies()?;
        let act = Act { right: Action::ReplyToReview, recorded: AuditAction::Reply };
        let by = request.principal.user_id;
        let reply = |review: &Review, at| self.0.clone().map(|text| review.reply_with(text, by, at)).transpose();
        act.run(app, request, errors, reply, show_reply).await
    }
}

impl Operation for DeleteReply {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(_: &mut Fields<'_>) -> Self {
        Self
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        app.require_replies()?;
        let act = Act { right: Action::ReplyToReview, recorded: AuditAction::RemoveReply };
        let by = request.principal.user_id;
        let remove = |review: &Review, at| review.remove_reply(by, at);
        act.run(app, request, errors, remove, |review| Answer::ok(&SuccessBody::of(&review.id))).await
    }
}

impl Operation for ReportOutcome {
    type App = App;
    type Outcome = ChangeAnswer;

    fn read(fields: &mut Fields<'_>) -> Self {
        let version = fields.required("version", reply_version);
        let outcome = fields.required("outcome", outcome);
        let reason =
            fields.optional("reason", |raw| OutcomeReason::parse(read::any_text(raw)?).map_err(Into::into)).flatten();
        Self(version.zip(outcome).map(|(version, outcome)| OutcomeReport { version, outcome, reason }))
    }

    fn authorize(&self, caller: &Principal) -> Result<(), Error> {
        authorize(caller, Action::ReportReplyOutcome, Target::in_org(caller.org_id, caller.role))
    }

    async fn run(self, app: &App, request: &AuthenticatedRequest, errors: FieldErrors) -> Result<ChangeAnswer, Error> {
        app.require_replies()?;
        let act = Act { right: Action::ReportReplyOutcome, recorded: AuditAction::ReplyOutcome };
        let record = |review: &Review, at| self.0.clone().map_or(Ok(None), |report| review.record_outcome(report, at));
        act.run(app, request, errors, record, show_reply).await
    }
}

/// Returns the reply as the answer, or a success without a body of its own if the reply is gone.
fn show_reply(review: &Review) -> Answer {
    ReplyBody::of(review).map_or_else(|| Answer::ok(&SuccessBody::of(&review.id)), |reply| Answer::ok(&reply))
}
