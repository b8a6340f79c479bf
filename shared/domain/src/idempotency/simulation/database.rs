//! Database of a run: the kept answer of one key, the effects of its requests, and a transaction that holds both.

use fastrand::Rng;
use jiff::Timestamp;

use super::PlantedFault;
use crate::idempotency::KeptAnswer;

/// Change and its answer, written together.
#[derive(Clone, Debug)]
pub(super) struct Write {
    /// Number of the effect, which the body of the answer has.
    pub(super) effect: u32,
    pub(super) answer: KeptAnswer,
    /// Token of the call. The same token again is the same write.
    pub(super) token: u32,
}

/// Outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The transaction was carried out, or is carried out now.
    Written,
    /// Another transaction holds an item.
    Conflict,
    /// A condition failed.
    ConditionFailed,
}

/// Effect of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    pub(super) number: u32,
    pub(super) at: Timestamp,
}

/// Transaction that holds its items. Each flag tells that an item is written.
#[derive(Debug)]
struct Held {
    write: Write,
    has_effect: bool,
    has_answer: bool,
}

#[derive(Debug, Default)]
pub(super) struct Database {
    answer: Option<KeptAnswer>,
    effects: Vec<Effect>,
    held: Option<Held>,
    tokens: Vec<u32>,
    /// True if the change itself refuses to happen twice, as the creation of an address does.
    pub(super) is_exclusive: bool,
    pub(super) fault: Option<PlantedFault>,
}

impl Database {
    pub(super) fn new(is_exclusive: bool, fault: Option<PlantedFault>) -> Self {
        Self { is_exclusive, fault, ..Self::default() }
    }

    pub(super) fn effects(&self) -> &[Effect] {
        &self.effects
    }

    pub(super) fn is_busy(&self) -> bool {
        self.held.is_some()
    }

    /// Returns the kept answer as a plain read sees it.
    pub(super) fn read_answer(&self) -> Option<KeptAnswer> {
        self.answer.clone()
    }

    /// Returns the kept answer as a transactional read sees it.
    pub(super) fn read_answer_in_transaction(&self) -> Result<Option<KeptAnswer>, Outcome> {
        if self.held.is_some() { Err(Outcome::Conflict) } else { Ok(self.answer.clone()) }
    }

    /// True if a plain read of the user shows that the change happened since an instant.
    pub(super) fn shows_effect_since(&self, since: Timestamp) -> bool {
        self.effects.iter().any(|effect| effect.at >= since)
    }

    /// Begins a transaction.
    pub(super) fn begin(&mut self, write: Write, since: Timestamp) -> Outcome {
        if self.tokens.contains(&write.token) {
            return Outcome::Written;
        }
        if self.held.is_some() {
            return Outcome::Conflict;
        }
        let kept = self.answer.as_ref();
        let is_blocked = match self.fault {
            Some(PlantedFault::NoCondition | PlantedFault::AnswerAfterwards) => false,
            Some(PlantedFault::ExpiredAnswerBlocks) => kept.is_some(),
            _ => kept.is_some_and(|answer| write.answer.at < answer.expires_at()),
        };
        if is_blocked || (self.is_exclusive && self.shows_effect_since(since)) {
            return Outcome::ConditionFailed;
        }
        self.tokens.push(write.token);
        let has_answer = self.fault == Some(PlantedFault::AnswerAfterwards);
        self.held = Some(Held { write, has_effect: false, has_answer });
        Outcome::Written
    }

    /// Writes the next item of the transaction that holds its items, or lets them go.
    pub(super) fn advance(&mut self, rng: &mut Rng) {
        let Some(held) = &mut self.held else { return };
        if !held.has_effect && (held.has_answer || rng.bool()) {
            held.has_effect = true;
            self.effects.push(Effect { number: held.write.effect, at: held.write.answer.at });
        } else if !held.has_answer {
            held.has_answer = true;
            self.answer = Some(held.write.answer.clone());
        } else {
            self.held = None;
        }
    }

    /// Writes an answer by a write of its own: a planted fault.
    pub(super) fn put_answer(&mut self, answer: KeptAnswer) {
        self.answer = Some(answer);
    }
}
