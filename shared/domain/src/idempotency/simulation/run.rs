//! One run: clients, their requests, and what became of them.

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};

use super::PlantedFault;
use super::database::{Database, Effect};
use super::function::{Answer, Function};
use crate::idempotency::{IdempotencyKey, IdempotentRequest, KEPT};
use crate::ids::UserId;

/// Number of steps in which something may fail, and of all steps of a day.
const HOSTILE_STEPS: u32 = 60;
const MAX_STEPS: u32 = 4_000;
/// Requests that a client sends at the same time at the most.
const MAX_IN_FLIGHT: usize = 5;

/// Client with a body, and the final answer that it got.
#[derive(Debug)]
struct Client {
    body: &'static str,
    answer: Option<Answer>,
}

/// Run of two days.
#[derive(Debug)]
pub(super) struct Run {
    rng: Rng,
    db: Database,
    now: Timestamp,
    day_began_at: Timestamp,
    clients: Vec<Client>,
    functions: Vec<Function>,
    requests: u32,
    /// Bodies of the requests, by the number of their effect.
    bodies: Vec<&'static str>,
    pub(super) replayed: usize,
    pub(super) in_progress: usize,
    days: Vec<Day>,
}

/// Clients at the end of a day, and the effects of the day.
#[derive(Debug)]
struct Day {
    clients: Vec<Client>,
    effects: Vec<Effect>,
}

impl Run {
    pub(super) fn new(seed: u64, fault: Option<PlantedFault>) -> Self {
        let mut rng = Rng::with_seed(seed);
        let now = Timestamp::from_second(1_700_000_000).expect("an instant");
        let db = Database::new(rng.bool(), fault);
        Self {
            rng,
            db,
            now,
            day_began_at: now,
            clients: Vec::new(),
            functions: Vec::new(),
            requests: 0,
            bodies: Vec::new(),
            replayed: 0,
            in_progress: 0,
            days: Vec::new(),
        }
    }

    /// Runs both days.
    pub(super) fn finish(mut self) -> Self {
        for _ in 0..2 {
            self.day_began_at = self.now;
            let others = self.rng.usize(..=1);
            let same = 1 + self.rng.usize(..3);
            let clients =
                (0..same + others).map(|number| Client { body: if number < same { "a" } else { "b" }, answer: None });
            self.clients = clients.collect();
            for step in 0..MAX_STEPS {
                self.step(step >= HOSTILE_STEPS);
            }
            let effects = self.db.effects().iter().filter(|effect| effect.at >= self.day_began_at).copied().collect();
            self.days.push(Day { clients: std::mem::take(&mut self.clients), effects });
            self.functions.clear();
            self.now += KEPT;
        }
        self
    }

    fn step(&mut self, is_kind: bool) {
        self.now += SignedDuration::from_millis(1);
        match self.rng.u8(..10) {
            0 | 1 => self.db.advance(&mut self.rng),
            2 => self.send(),
            3 if !is_kind && self.rng.u8(..3) == 0 => self.crash(),
            _ => self.serve(is_kind),
        }
    }

    /// Sends a request of a client without a final answer. It may have others under way: it did not want to wait.
    fn send(&mut self) {
        let waiting: Vec<usize> =
            (0..self.clients.len()).filter(|client| self.clients[*client].answer.is_none()).collect();
        let Some(client) = self.rng.choice(waiting) else { return };
        if self.functions.len() < MAX_IN_FLIGHT {
            let body = self.clients[client].body;
            self.functions.push(Function::new(client, request(body), self.requests, self.now));
            self.requests += 1;
            self.bodies.push(body);
        }
    }

    /// Ends a function at once. What it sent to the database goes on.
    fn crash(&mut self) {
        if !self.functions.is_empty() {
            let function = self.rng.usize(..self.functions.len());
            self.functions.swap_remove(function);
        }
    }

    fn serve(&mut self, is_kind: bool) {
        if self.functions.is_empty() {
            return;
        }
        let position = self.rng.usize(..self.functions.len());
        let function = &mut self.functions[position];
        let Some(answer) = function.step(&mut self.db, self.day_began_at, is_kind, &mut self.rng) else { return };
        let client = function.client;
        self.functions.swap_remove(position);
        self.replayed += usize::from(matches!(answer, Answer::Success { replayed: true, .. }));
        self.in_progress += usize::from(answer == Answer::InProgress);
        let is_final = !matches!(answer, Answer::InProgress | Answer::Unavailable);
        // The answer may be lost on its way to the client.
        if is_final && (is_kind || self.rng.u8(..10) > 1) {
            self.clients[client].answer.get_or_insert(answer);
        }
    }

    /// Returns the body of the request that had an effect. Attempts that were sent again have numbers of their own.
    fn body_of(&self, effect: u32) -> &'static str {
        self.bodies[usize::try_from(effect % 1_000_000).expect("small")]
    }
}

fn request(body: &str) -> IdempotentRequest {
    let key = IdempotencyKey::parse("k").expect("a key");
    let body = [("body".to_owned(), body.into())];
    IdempotentRequest::new(&key, UserId::parse("7").expect("an id"), "POST", "/user", &body)
}

/// Returns what a run breaks.
pub(super) fn violation(run: &Run) -> Option<String> {
    run.days.iter().find_map(|day| violation_of(run, day))
}

fn violation_of(run: &Run, day: &Day) -> Option<String> {
    let [effect] = day.effects[..] else { return Some(format!("{} effects in a day", day.effects.len())) };
    let body = run.body_of(effect.number);
    day.clients.iter().find_map(|client| {
        let is_same = client.body == body;
        match &client.answer {
            None => Some("a client has no answer".to_owned()),
            Some(Answer::Success { effect: told, .. }) if *told != effect.number || !is_same => {
                Some(format!("a client with {} hears of {told}, and the effect is {effect:?}", client.body))
            }
            Some(Answer::Refused) if is_same => Some("a client is refused for its own effect".to_owned()),
            Some(Answer::OtherBody) if is_same => Some("a client is told that it sent another body".to_owned()),
            Some(_) => None,
        }
    })
}
