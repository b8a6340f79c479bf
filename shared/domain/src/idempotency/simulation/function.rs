//! Function that serves one request of a run, step by step.

use fastrand::Rng;
use jiff::Timestamp;

use super::PlantedFault;
use super::database::{Database, Outcome, Write};
use crate::idempotency::{IdempotentRequest, KeptAnswer, LookupResult};

/// Number of attempts of a call that conflicts, before the function gives up.
const ATTEMPTS: u32 = 3;

/// Answer of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// 200 with the number of the effect; `replayed` if it is the answer of an earlier request.
    Success { effect: u32, replayed: bool },
    /// 400 or 404: the change has happened already.
    Refused,
    /// 422.
    OtherBody,
    /// 409: the first request is under way.
    InProgress,
    /// 503.
    Unavailable,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    FirstLookup,
    Decision,
    Transaction,
    /// Call of the transaction was sent, and its outcome is on its way.
    Reply(Outcome),
    PutAnswer,
    SecondLookup,
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) client: usize,
    request: IdempotentRequest,
    write: Write,
    step: Step,
    attempts: u32,
    /// Answer that stands if the second lookup finds none.
    failure: Answer,
}

impl Function {
    /// Starts to serve a request. `number` is that of its effect, and the token of its transaction.
    pub(super) fn new(client: usize, request: IdempotentRequest, number: u32, now: Timestamp) -> Self {
        let answer = KeptAnswer { request, status: 200, body: number.to_string(), at: now };
        let write = Write { effect: number, answer, token: number };
        Self { client, request, write, step: Step::FirstLookup, attempts: 0, failure: Answer::Refused }
    }

    /// Does the next step. Returns the answer, if it is the last one. `is_kind` is true once nothing fails any more.
    pub(super) fn step(&mut self, db: &mut Database, since: Timestamp, is_kind: bool, rng: &mut Rng) -> Option<Answer> {
        match self.step {
            Step::FirstLookup => match self.look_up(db, db.read_answer()) {
                LookupResult::NotFound => self.go(Step::Decision),
                found => Some(answer_of(&found)),
            },
            Step::Decision if db.is_exclusive && db.shows_effect_since(since) => self.fail(Answer::Refused, db),
            Step::Decision => self.go(Step::Transaction),
            Step::Transaction => {
                let outcome = db.begin(self.write.clone(), since);
                self.go(Step::Reply(outcome))
            }
            Step::Reply(_) if !is_kind && rng.u8(..100) < 20 => self.lose_reply(db, rng),
            // The function has its reply when all items are written.
            Step::Reply(Outcome::Written) if db.is_busy() => None,
            Step::Reply(Outcome::Written) if db.fault == Some(PlantedFault::AnswerAfterwards) => {
                self.go(Step::PutAnswer)
            }
            Step::Reply(Outcome::Written) => Some(Answer::Success { effect: self.write.effect, replayed: false }),
            Step::Reply(Outcome::ConditionFailed) => self.fail(Answer::Refused, db),
            Step::Reply(Outcome::Conflict) if db.read_answer().is_some() && rng.bool() => {
                self.fail(Answer::InProgress, db)
            }
            Step::Reply(Outcome::Conflict) => self.retry(Step::Transaction, Answer::Unavailable, db),
            Step::PutAnswer => {
                db.put_answer(self.write.answer.clone());
                Some(Answer::Success { effect: self.write.effect, replayed: false })
            }
            Step::SecondLookup if !is_kind && rng.u8(..100) < 15 => Some(match db.fault {
                Some(PlantedFault::FailedLookupIsIgnored) => self.failure.clone(),
                _ => Answer::Unavailable,
            }),
            Step::SecondLookup => self.look_up_again(db),
        }
    }

    fn go(&mut self, step: Step) -> Option<Answer> {
        self.step = step;
        None
    }

    /// Sends the transaction again, with its token or as a new one, or gives up.
    fn lose_reply(&mut self, db: &Database, rng: &mut Rng) -> Option<Answer> {
        if db.fault == Some(PlantedFault::LostReplyIsFinal) {
            return Some(Answer::Refused);
        }
        match rng.u8(..3) {
            0 => self.fail(Answer::Unavailable, db),
            // The effect of another attempt is another one.
            1 => {
                let number = self.write.effect + 1_000_000 * (1 + self.attempts);
                self.write.answer.body = number.to_string();
                self.write = Write { effect: number, token: number, ..self.write.clone() };
                self.retry(Step::Decision, Answer::Unavailable, db)
            }
            _ => self.retry(Step::Transaction, Answer::Unavailable, db),
        }
    }

    fn retry(&mut self, step: Step, failure: Answer, db: &Database) -> Option<Answer> {
        self.attempts += 1;
        if self.attempts < ATTEMPTS { self.go(step) } else { self.fail(failure, db) }
    }

    fn fail(&mut self, failure: Answer, db: &Database) -> Option<Answer> {
        if db.fault == Some(PlantedFault::NoSecondLookup) {
            return Some(failure);
        }
        (self.failure, self.attempts) = (failure, 0);
        self.go(Step::SecondLookup)
    }

    fn look_up_again(&mut self, db: &Database) -> Option<Answer> {
        let found = match db.fault {
            Some(PlantedFault::PlainSecondLookup) => Ok(db.read_answer()),
            _ => db.read_answer_in_transaction(),
        };
        let Ok(found) = found else {
            self.attempts += 1;
            return (self.attempts >= ATTEMPTS).then_some(Answer::InProgress);
        };
        Some(match self.look_up(db, found) {
            LookupResult::NotFound => self.failure.clone(),
            found => answer_of(&found),
        })
    }

    fn look_up(&self, db: &Database, found: Option<KeptAnswer>) -> LookupResult {
        match (db.fault, found) {
            (Some(PlantedFault::ExpiredAnswers), Some(answer)) => LookupResult::Found(answer),
            (Some(PlantedFault::NoFingerprint), Some(answer)) => {
                let request = answer.request;
                LookupResult::of(&request, Some(answer), self.write.answer.at)
            }
            (_, found) => LookupResult::of(&self.request, found, self.write.answer.at),
        }
    }
}

fn answer_of(found: &LookupResult) -> Answer {
    match found {
        LookupResult::Found(answer) => {
            Answer::Success { effect: answer.body.parse().unwrap_or_default(), replayed: true }
        }
        _ => Answer::OtherBody,
    }
}
