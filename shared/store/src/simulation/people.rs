//! Acts of people and connectors beside rows and moves: each write of a review is the step of its process upon the write before it.
//!
//! The domain makes the steps; its own tests hold them against a model.

use std::collections::BTreeMap;

use fastrand::Rng;
use jiff::Timestamp;

use super::names;
use crate::{ReviewDecision, ReviewStore};
use presence_domain::access::Scope;
use presence_domain::audit::{Actor, AuditAction, AuditRecord};
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::review::{OutcomeReport, ReplyOutcome, ReplyText, Review, ReviewId, ReviewState, SeenAt};
use presence_ledger::ReviewNumber;

/// Second at which a run begins, for acts and for the stamps of rows.
const FIRST_SECOND: i64 = 1_772_323_200;
/// Seconds over which stamps are spread: an act is done each second.
const SECONDS: i64 = 60;
const TEXTS: [&str; 3] = ["A", "B", "X"];

/// Act of a person or a connector.
#[derive(Clone, Copy, Debug)]
enum Act {
    Set(ReviewState),
    Reply(&'static str),
    Remove,
    /// Outcome of a request that was so many before the next one.
    Report(u64, ReplyOutcome),
}

/// Act about a review, at an instant.
#[derive(Clone, Debug)]
pub(super) struct ActOnReview {
    id: ReviewId,
    act: Act,
    at: Timestamp,
}

/// Writes of reviews that a process is to make.
#[derive(Clone, Debug)]
pub(super) enum Intent {
    Rows(Vec<Review>),
    Act(ActOnReview),
}

/// Reviews as they were written, one write after the other.
#[derive(Debug, Default)]
pub(super) struct Histories {
    reviews: BTreeMap<ReviewNumber, Review>,
    intents: BTreeMap<u64, Intent>,
    /// Number of acts of each process that were written.
    acts: BTreeMap<u64, usize>,
}

/// Returns a row as it meets people: with a stamp or without, with the text of a reply, and sometimes of an author who wrote again.
pub(super) fn among_people(row: Review, rng: &mut Rng) -> Review {
    let second = FIRST_SECOND + rng.i64(0..SECONDS);
    let seen_at = rng.bool().then(|| SeenAt::at(second * 1_000_000));
    let update_date = rng.bool().then_some(second);
    let text = [None, Some(TEXTS[0]), Some(TEXTS[1]), Some(TEXTS[2])][rng.usize(..4)];
    let reply_comment = if rng.bool() { text.map(str::to_owned) } else { row.reply_comment };
    let state = if rng.u8(..8) == 0 { ReviewState::Deleted } else { row.state };
    Review { seen_at, update_date, reply_comment, state, ..row }
}

impl ActOnReview {
    /// Returns a random act of a process with this number.
    pub(super) fn random(number: u64, rng: &mut Rng) -> Self {
        let act = match rng.u8(..6) {
            0 => Act::Set([ReviewState::Treated, ReviewState::NotTreated][rng.usize(..2)]),
            1 | 2 => Act::Reply(TEXTS[rng.usize(..2)]),
            3 => Act::Remove,
            _ => Act::Report(rng.u64(..3), ReplyOutcome::ALL[rng.usize(..3)]),
        };
        let second = FIRST_SECOND + i64::try_from(number).expect("few processes");
        Self { id: names::random_review(rng).id, act, at: Timestamp::from_second(second).expect("an instant") }
    }

    /// Returns the review after the act; `None` if nothing changes.
    fn apply(&self, review: &Review) -> Result<Option<Review>, Error> {
        let (by, at) = (UserId::parse("7").expect("an id"), self.at);
        match self.act {
            Act::Set(state) => review.set_state(state, at),
            Act::Reply(text) => review.reply_with(ReplyText::parse(text).expect("a text"), by, at).map(Some),
            Act::Remove => review.remove_reply(by, at),
            Act::Report(before_next, outcome) => {
                let next = review.reply.as_ref().map_or(0, |reply| reply.version) + 1;
                let version = next.saturating_sub(before_next).max(1);
                review.record_outcome(OutcomeReport { version, outcome, reason: None }, at)
            }
        }
    }

    /// Does the act. Returns the number of changes, none if the review does not take it.
    #[expect(clippy::disallowed_methods, reason = "there is no caller")]
    pub(super) async fn run(self, store: ReviewStore) -> Result<usize, Error> {
        let decide = |review: &Review, ()| {
            let after = self.apply(review)?;
            let changes = usize::from(after.is_some());
            let change = after.map(|after| {
                let (actor, action) = (Actor::Service, AuditAction::Reply);
                let record = AuditRecord::of_review(review, &after, actor, action, self.at);
                (after, record)
            });
            Ok(ReviewDecision { change, answer: changes })
        };
        let read = || std::future::ready(Ok(()));
        match store.update_review(Scope::for_operator(), &self.id, read, decide, |_| None).await {
            Err(Error::NotFound | Error::Invalid(_)) => Ok(0),
            outcome => outcome,
        }
    }
}

impl Histories {
    /// Notes what a process is to do.
    pub(super) fn expect(&mut self, process: u64, intent: Intent) {
        self.intents.insert(process, intent);
    }

    /// Returns the number of acts that were written.
    pub(super) fn acts(&self) -> usize {
        self.acts.values().sum()
    }

    /// Returns the number of acts of a process that were written.
    pub(super) fn acts_of(&self, process: u64) -> usize {
        self.acts.get(&process).copied().unwrap_or_default()
    }

    /// Notes a write of a review with so many records of changes. Returns an error if the process was not to write it.
    pub(super) fn note(&mut self, process: u64, written: &Review, records: usize) -> Result<(), String> {
        let before = self.reviews.insert(ReviewNumber::of(&written.id), written.clone());
        let is_written = |review: &Review| {
            let located = Review { org_id: written.org_id, city_key: written.city_key.clone(), ..review.clone() };
            written.content_eq(&located) && written.seen_at == located.seen_at
        };
        if let Some(Intent::Act(act)) = self.intents.get(&process).filter(|_| records == 1) {
            let after = before.as_ref().filter(|review| review.id == act.id).map(|review| act.apply(review));
            let acts = self.acts.entry(process).or_default();
            *acts += 1;
            let is_act = matches!(&after, Some(Ok(Some(after))) if is_written(after)) && *acts == 1;
            return is_act
                .then_some(())
                .ok_or_else(|| format!("{act:?} upon {before:?} wrote {written:?}, {acts} times"));
        }
        let rows = match self.intents.get(&process) {
            Some(Intent::Rows(rows)) => &rows[..],
            _ => &[],
        };
        let mut rows = rows.iter().filter(|row| row.id == written.id);
        let is_row = rows.any(|row| is_written(&Review::accept(before.as_ref(), row).review));
        let is_right = records == 0 && (is_row || before.as_ref().is_some_and(is_written));
        is_right.then_some(()).ok_or_else(|| format!("neither a row nor a move, upon {before:?}: {written:?}"))
    }
}
