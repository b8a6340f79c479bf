//! Judge of refusals: each one has a reason in a state since its request.

use jiff::{SignedDuration, Timestamp};
use presence_domain::review::ReviewState;
use presence_domain::user::Status;
use serde_json::Value;

use super::clients::Client;
use super::history::{Moment, Seen, State};
use super::processes::{PAGE, Request};
use super::review_searches::is_seen;

impl Client {
    /// Judges a refusal of a request with the key of this client, which always is an administrator's.
    pub(crate) fn judge_refusal(&self, since: Moment, request: &Request, (status, body): &(u16, Value)) {
        let is_judged = request.key == self.key && !request.path.starts_with(PAGE);
        let has_limit = self.key == self.simulation.fixtures.other_admin_1.key || request.path.ends_with("/invite");
        // By a clock that is ahead, the end of a key is over.
        let end = request.body["expires_at"].as_str().map(|end| end.parse::<Timestamp>().expect("an instant"));
        let error = SignedDuration::from_millis(self.simulation.clock_error);
        let may_be_over = end.is_some_and(|end| end <= self.simulation.now() + error);
        if may_be_over && body["errors"]["json"]["expires_at"].is_string() {
            return;
        }
        // Others may win each try.
        if is_judged && !matches!(status, 200 | 409 | 500..) && !(has_limit && *status == 429) {
            let what = || format!("{status} {body} to {} {} {}", request.method, request.path, request.body);
            let explains = |state: &State| explains(state, self.org, request, *status, &body["errors"]["json"]);
            self.simulation.history().judge(since, what, explains);
        }
    }
}

/// True if a state is a reason for a refusal of somebody who sees this organisation, or all.
fn explains(state: &State, org: Option<u64>, request: &Request, status: u16, errors: &Value) -> bool {
    let (path, _) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let mut parts = path.split('/').skip(1);
    let (resource, id) = (parts.next(), parts.next().unwrap_or_default());
    match (resource, id) {
        (_, "" | "me" | "search" | "stats") if request.body.is_null() => false,
        (Some("user"), id) => {
            let is_seen = state.users.get(id).is_some_and(|user| user.is_seen_by(org));
            (status == 404 && !is_seen && !id.is_empty()) || explains_of_user(state, id, request, status, errors)
        }
        (Some("reviews"), id) => {
            let review = state.reviews.get(id).filter(|review| is_seen(review, org));
            explains_of_review(review.map(|review| review.state), org, request, status, errors)
        }
        _ => false,
    }
}

fn explains_of_user(state: &State, id: &str, request: &Request, status: u16, errors: &Value) -> bool {
    let user = state.users.get(id);
    let is_taken = |email: &Value| state.users.iter().any(|(other, user)| other != id && *email == user.email);
    let has_status = |status| user.is_some_and(|user: &Seen| user.status == status);
    let of_keys = request.path.ends_with("/keys") || request.path.ends_with("/rotate");
    match status {
        400 if errors["email"].is_string() => is_taken(&request.body["email"]),
        // A text for too many keys, of which answers that were lost may have made some.
        400 if request.path.ends_with("/keys") && errors.is_string() => has_status(Status::Active),
        // A key that has ended, or of an owner who has.
        400 if request.path.ends_with("/rotate") && errors.is_string() => user.is_some(),
        400 if of_keys => errors["status"].is_string() && has_status(Status::Invited),
        400 if request.path.ends_with("/invite") => errors["status"].is_string() && has_status(Status::Active),
        _ => false,
    }
}

/// True if the state of a review, or that the caller does not see it, is a reason. The history does not know versions of replies.
fn explains_of_review(
    review: Option<ReviewState>,
    org: Option<u64>,
    request: &Request,
    status: u16,
    errors: &Value,
) -> bool {
    let is_outcome = request.path.ends_with("/outcome");
    match status {
        404 => review.is_none() || is_outcome || request.method == http::Method::DELETE,
        403 => is_outcome && org.is_some(),
        400 if is_outcome => errors["version"].is_string() || errors["outcome"].is_string(),
        400 => (errors["state"].is_string() || errors["content"].is_string()) && review == Some(ReviewState::Deleted),
        _ => false,
    }
}
