//! Replies and states: what people do, what connectors report, what rows say, and all of these in every order.

mod acts;
mod histories;
mod rows;

use jiff::Timestamp;

use super::acts::OutcomeReport;
use super::{OutcomeReason, ReplyOutcome, ReplyText};
use crate::error::{Error, ValidationError};
use crate::ids::UserId;
use crate::review::{Review, ReviewState, SeenAt, fixture};

/// Act or row of a test. Texts of rows are those of the partner; `-` is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Step {
    /// Set the state.
    Set(ReviewState),
    /// Reply with this text.
    Put(&'static str),
    /// Take the reply back.
    Delete,
    /// Report the outcome of a version.
    Report(u64, ReplyOutcome),
    /// Row with this state, text and instant of its last change.
    Row(ReviewState, &'static str, Option<i64>),
    /// The same, without a stamp.
    Unstamped(ReviewState, &'static str),
}

/// Instant at a number of seconds since 1970.
pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).expect("an instant")
}

/// Review that a row of second 1 made: not treated, without a reply.
pub(super) fn stored() -> Review {
    let seen_at = Some(SeenAt::at(1_000_000));
    Review { state: ReviewState::NotTreated, seen_at, ..fixture::review("x") }
}

/// Returns the row that a step means, seen at this second.
pub(super) fn row(state: ReviewState, text: &str, update_date: Option<i64>, second: Option<i64>) -> Review {
    let reply_comment = (text != "-").then(|| text.to_owned());
    let seen_at = second.map(|second| SeenAt::at(second * 1_000_000));
    Review { version: 0, state, reply_comment, update_date, seen_at, ..fixture::review("x") }
}

/// Returns the review after a step at this second. An error names the field, or is `not found`.
pub(super) fn step(review: &Review, step: Step, second: i64) -> Result<Review, String> {
    let by = UserId::parse("7").expect("an id");
    let text = |text| ReplyText::parse(text).expect("a text");
    let reason = OutcomeReason::parse("because").expect("a reason");
    let changed = match step {
        Step::Set(state) => review.set_state(state, at(second)),
        Step::Put(content) => review.reply_with(text(content), by, at(second)).map(Some),
        Step::Delete => review.remove_reply(by, at(second)),
        Step::Report(version, outcome) => review.record_outcome(OutcomeReport { version, outcome, reason }, at(second)),
        Step::Row(state, text, update_date) => {
            Ok(Some(Review::accept(Some(review), &row(state, text, update_date, Some(second))).review))
        }
        Step::Unstamped(state, text) => Ok(Some(Review::accept(Some(review), &row(state, text, None, None)).review)),
    };
    changed.map(|changed| changed.unwrap_or_else(|| review.clone())).map_err(name)
}

fn name(error: Error) -> String {
    match error {
        Error::NotFound => "not found".to_owned(),
        Error::Invalid(ValidationError::Fields(errors)) => {
            errors.iter().map(|(field, _)| field).collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    }
}

/// Returns the review after steps, each ten seconds after the one before it.
pub(super) fn after(steps: &[Step]) -> Review {
    let steps = steps.iter().zip((10..).step_by(10));
    steps.fold(stored(), |review, (next, second)| step(&review, *next, second).expect("a step that is allowed"))
}

/// Returns state, `reply_comment`, and state, version and text of the reply in one line.
pub(super) fn summary(review: &Review) -> String {
    let comment = review.reply_comment.as_deref().unwrap_or("-");
    let reply = review.shown_reply().map_or_else(String::new, |reply| {
        let version = reply.request.map_or_else(String::new, |request| request.version.to_string());
        format!(" | {}{version} {}", reply.state.as_str(), reply.content.unwrap_or("-"))
    });
    format!("{} {comment}{reply}", review.state.as_str())
}

#[test]
fn texts_of_a_reply_count_as_those_of_its_review() {
    use Step::{Put, Report, Row};
    let on_its_way = after(&[Row(ReviewState::Treated, "old", Some(5)), Put("longer")]);
    let bytes = |text: &str| stored().text_bytes() + text.len();
    assert_eq!(on_its_way.text_bytes(), bytes("old") + "longer".len(), "what the partner has, and what it is to have");
    let rejected = after(&[Put("longer"), Report(1, ReplyOutcome::Rejected)]);
    assert_eq!(rejected.text_bytes(), bytes("longer") + "because".len());
}
