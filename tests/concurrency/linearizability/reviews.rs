//! One review: its state, its reply, and the searches that show it.

use fastrand::Rng;
use presence_domain::review::{Partner, Review, ReviewState};
use presence_store::ReviewWrite;
use presence_tests::Reply;
use presence_tests::reviews::{pick, test_review, write_reviews};
use serde_json::{Value, json};

use super::{Call, Object, Outcome, Request, StackPair, is_linearizable, judge};

const STATES: [&str; 2] = ["not_treated", "treated"];

/// Review as clients see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Reviewed {
    is_treated: bool,
    /// Version and text of the last request for a reply; no text for a removal.
    reply: Option<(u64, Option<String>)>,
}

#[derive(Clone, Debug)]
enum Act {
    SetState(bool),
    Reply(String),
    TakeBack,
    Get,
    GetReply,
    /// Searches the reviews of its business in a state.
    Search(bool),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    /// State and `reply_comment`; `None` if a search does not find the review.
    Review(Option<(bool, Option<String>)>),
    /// Version and text.
    Reply(u64, Option<String>),
    Done,
    NotFound,
}

impl Reviewed {
    fn shown(&self) -> (bool, Option<String>) {
        (self.is_treated, self.reply.clone().and_then(|(_, text)| text))
    }

    /// Returns the review after another request to the partner.
    fn requested(&self, text: Option<String>, is_treated: bool) -> Self {
        let version = self.reply.as_ref().map_or(0, |(version, _)| *version) + 1;
        Self { is_treated, reply: Some((version, text)) }
    }

    fn shown_reply(&self) -> Answer {
        self.reply.clone().map_or(Answer::NotFound, |(version, text)| Answer::Reply(version, text))
    }
}

impl Object for Reviewed {
    type Act = Act;
    type Answer = Answer;

    fn after(&self, act: &Act) -> (Self, Answer) {
        match act {
            Act::SetState(is_treated) => {
                let after = Self { is_treated: *is_treated, ..self.clone() };
                let answer = Answer::Review(Some(after.shown()));
                (after, answer)
            }
            Act::Reply(text) => {
                let after = self.requested(Some(text.clone()), true);
                let answer = after.shown_reply();
                (after, answer)
            }
            Act::TakeBack => match &self.reply {
                None => (self.clone(), Answer::NotFound),
                Some((_, None)) => (self.clone(), Answer::Done),
                Some((_, Some(_))) => (self.requested(None, self.is_treated), Answer::Done),
            },
            Act::Get => (self.clone(), Answer::Review(Some(self.shown()))),
            Act::GetReply => (self.clone(), self.shown_reply()),
            Act::Search(is_treated) => {
                let found = (self.is_treated == *is_treated).then(|| self.shown());
                (self.clone(), Answer::Review(found))
            }
        }
    }
}

fn read(act: &Act, reply: &Reply) -> Answer {
    let body = reply.json();
    let text = |name: &str| body[name].as_str().map(str::to_owned);
    let shown = |review: &Value| (review["state"] == STATES[1], review["reply_comment"].as_str().map(str::to_owned));
    match (act, reply.status) {
        (_, 404) => Answer::NotFound,
        (Act::SetState(_) | Act::Get, 200) => Answer::Review(Some(shown(&body))),
        (Act::Reply(_) | Act::GetReply, 200) => {
            Answer::Reply(body["version"].as_u64().expect("a version"), text("content"))
        }
        (Act::TakeBack, 200) => Answer::Done,
        (Act::Search(_), 200) => {
            let reviews = body["reviews"].as_array().expect("reviews");
            assert_eq!(body["count"], reviews.len(), "{body}");
            Answer::Review(reviews.first().map(shown))
        }
        _ => panic!("{act:?}: {} {}", reply.status, reply.text),
    }
}

fn draw(rng: &mut Rng, review: &Review) -> (Act, Call) {
    let path = format!("/reviews/{}", review.id.as_str());
    let is_treated = rng.bool();
    let state = STATES[usize::from(is_treated)];
    match rng.u8(..8) {
        0 | 1 => (Act::SetState(is_treated), ("PUT", path, json!({ "state": state }))),
        2 | 3 => {
            let text = pick(rng, &["A", "B", "C", "D"]);
            (Act::Reply(text.to_owned()), ("PUT", path + "/reply", json!({ "content": text })))
        }
        4 => (Act::TakeBack, ("DELETE", path + "/reply", Value::Null)),
        5 => (Act::Get, ("GET", path, Value::Null)),
        6 => (Act::GetReply, ("GET", path + "/reply", Value::Null)),
        _ => {
            let path = format!("/reviews?business__in={}&state={state}", review.business_id.as_str());
            (Act::Search(is_treated), ("GET", path, Value::Null))
        }
    }
}

/// Records a history of a review of a business of its own, and judges it.
pub(super) async fn act_on_review(pair: &StackPair, rng: &mut Rng, round: usize) {
    let business = format!("busy-{round}");
    pair.stacks[0].create_business(1, &business, "Lyon").await;
    let review = test_review(Partner::ALL[0], "busy", (&business, 1, "lyon"));
    let review = Review { state: ReviewState::NotTreated, ..review };
    write_reviews(&pair.stacks[0].stores().reviews, &[ReviewWrite { old: None, new: review.clone() }]).await;
    let mut requests = pair.record::<Reviewed>(rng, |rng| draw(rng, &review), read).await;
    judge(&mut requests, &format!("review {round}"));
}

/// Request of a history that is written by hand: its act, its answer and its time.
fn request(act: Act, answer: Option<Answer>, sent: u64, answered: u64) -> Request<Reviewed> {
    Request { act, outcome: answer.map_or(Outcome::Unknown, Outcome::Answered), sent, answered }
}

#[test]
fn the_judge_refuses_stale_reads_and_lost_changes() {
    let shown = |is_treated| Some(Answer::Review(Some((is_treated, None))));
    let set = |answer| request(Act::SetState(true), answer, 0, 1);
    let get = |is_treated, sent| request(Act::Get, shown(is_treated), sent, sent + 1);
    let reply = |version, sent, answered| {
        let answer = Answer::Reply(version, Some("A".to_owned()));
        request(Act::Reply("A".to_owned()), Some(answer), sent, answered)
    };
    for (is_right, what, history) in [
        (true, "one after the other", vec![set(shown(true)), get(true, 2)]),
        (false, "a stale read", vec![set(shown(true)), get(false, 2)]),
        (true, "a request without an answer takes effect late", vec![set(None), get(false, 2), get(true, 4)]),
        (true, "or never", vec![set(None), get(false, 2), get(false, 4)]),
        (false, "but is not undone", vec![set(None), get(true, 2), get(false, 4)]),
        (true, "side by side", vec![reply(2, 0, 3), reply(1, 1, 2)]),
        (false, "in the wrong order", vec![reply(2, 0, 1), reply(1, 2, 3)]),
        (false, "a lost change", vec![reply(1, 0, 3), reply(1, 1, 2)]),
    ] {
        assert_eq!(is_linearizable(&history), is_right, "{what}");
    }
}
