//! Scenarios of the operations that change a review.

use presence_domain::review::{ReplyState, Review, ReviewState};
use serde_json::{Value, json};

use super::fixture::{Fixture, Preparation, Scenario, StoredEffect, Target};
use super::writes::{invite, provider};

/// Returns the path of a scenario.
type Path = fn(&Fixture) -> String;

/// Returns changes of a review. Each request meets it as it was at first, or with a reply that is on its way.
pub(super) fn scenarios() -> Vec<Scenario> {
    use Preparation::{PendingReply, UnansweredReview};
    let with =
        |method, path: Path, body: Option<fn(&Fixture) -> Value>, scenario| Scenario { method, path, body, ..scenario };
    let of_review = |name, operation, before, done| Scenario {
        name,
        operation,
        by: provider,
        before,
        again: 200,
        ..invite("", Target::Nobody, 200, StoredEffect::Review(done))
    };
    let reply: Path = |_| format!("{}/reply", Fixture::review_path());
    let outcome: Path = |_| format!("{}/reply/outcome", Fixture::review_path());
    let set = of_review("set a state", "set_review_state", UnansweredReview, |it| it.state == ReviewState::Treated);
    let put = of_review("reply", "put_reply", UnansweredReview, |it| has_reply(it, ReplyState::Pending));
    let delete = of_review("take a reply back", "delete_reply", PendingReply, |it| has_reply(it, ReplyState::Removing));
    let report =
        of_review("report an outcome", "report_reply_outcome", PendingReply, |it| has_reply(it, ReplyState::Published));
    let changes = [
        with("PUT", |_| Fixture::review_path(), Some(|_| json!({"state": "treated"})), set),
        with("PUT", reply, Some(|_| json!({"content": "Merci"})), put),
        with("DELETE", reply, None, delete),
        with("POST", outcome, Some(|_| json!({"version": 1, "outcome": "published"})), report),
    ];
    changes.into_iter().flat_map(|scenario| [scenario.clone(), Scenario { is_keyed: true, ..scenario }]).collect()
}

fn has_reply(review: &Review, state: ReplyState) -> bool {
    review.shown_reply().is_some_and(|reply| reply.state == state)
}
