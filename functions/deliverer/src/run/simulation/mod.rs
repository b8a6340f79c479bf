//! Simulation of deliverers of one webhook, over a hostile table and hostile receivers, in a time of its own.
//!
//! Calls fail before or after they have done their work, or take longer than a claim. Deliverers die at any point, and work beside one
//! another. Receivers fail by event, by object and by time, and lose answers. Judged: each event is delivered at least once, or the log
//! says that it was given up; and for each object in their order.

mod calm;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use presence_domain::event::{EventData, EventKind};
use presence_domain::feed::{EventFilter, EventPattern, FeedCursor, FeedPage, FeedStart, format_at};
use presence_domain::ids::OrgId;
use presence_domain::webhook::progress::{Progress, WebhookState};
use presence_domain::webhook::signature::WebhookSecret;
use presence_domain::webhook::{SigningSecrets, WebhookReach, WebhookUrl};
use tokio::time::Instant;

use super::*;

/// Number of simulated lives of a webhook.
const LIVES: u64 = 150;
/// Number of events of a life.
const EVENTS: u64 = 60;
/// Calls after which a life counts as one that does not end. A long one makes some thousands.
const MAX_CALLS: u64 = 200_000;

/// Fault that is planted to show that the judge sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planted {
    Nothing,
    /// The stored progress has no parked events.
    ForgetsParked,
    /// The stored cursor is one too far.
    SkipsEvents,
    /// The log of attempts is empty.
    LosesLog,
    /// The sender says that an event was delivered which failed.
    BelievesEverything,
}

struct State {
    rng: fastrand::Rng,
    webhook: Webhook,
    events: Vec<FeedEvent>,
    /// Number of the oldest event that the feed still has.
    oldest: u64,
    log: Vec<Attempt>,
    /// Numbers of events in the order of their first delivery, or of their end.
    settled: Vec<u64>,
    /// Numbers of events, as they were sent.
    sent: Vec<u64>,
    /// Time of each call if none fails.
    calm_pause: Option<Duration>,
    planted: Planted,
    calls: u64,
}

#[derive(Clone)]
struct World(Arc<Mutex<State>>);

pub(super) struct WorldClock(pub(super) Instant);

impl Clock for WorldClock {
    fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.0.elapsed()).expect("a short life");
        Timestamp::from_second(1_800_000_000).expect("an instant") + elapsed
    }
}

impl World {
    fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        work(&mut self.0.lock().expect("no panic"))
    }

    /// Waits as a call does. Returns an error if the call is to fail.
    async fn wait(&self) -> Result<(), Error> {
        let (pause, fails) = self.with(|state| {
            state.calls += 1;
            if let Some(pause) = state.calm_pause {
                return (pause, false);
            }
            let pause = if state.rng.u32(..400) == 0 { 90_000 } else { state.rng.u64(1..30) };
            (Duration::from_millis(pause), state.rng.u32(..60) == 0)
        });
        tokio::time::sleep(pause).await;
        if fails { Err(Error::Unavailable("simulated".into())) } else { Ok(()) }
    }

    fn end(&self, number: u64) {
        self.with(|state| {
            if !state.settled.contains(&number) {
                state.settled.push(number);
            }
        });
    }
}

impl Tables for World {
    async fn webhook(&self, _: WebhookId) -> Result<Option<Webhook>, Error> {
        self.wait().await?;
        Ok(Some(self.with(|state| state.webhook.clone())))
    }

    async fn webhooks_of(&self, _: OrgId) -> Result<Vec<Result<Webhook, Error>>, Error> {
        self.wait().await?;
        Ok(vec![Ok(self.with(|state| state.webhook.clone()))])
    }

    async fn events(&self, org_id: OrgId, start: FeedStart, limit: usize, _: Timestamp) -> Result<FeedPage, Error> {
        self.wait().await?;
        self.with(|state| {
            let end = state.events.len();
            let FeedStart::After(after) = start else {
                return Ok(FeedPage { events: Vec::new(), last: end as u64, has_more: false });
            };
            if after + 1 < state.oldest || after > end as u64 {
                let oldest = FeedCursor { org_id: Some(org_id), number: state.oldest - 1 };
                return Err(Error::Gone { oldest: oldest.to_string() });
            }
            // The end of the feed may not be visible yet.
            let visible = end - usize::from(end > 0 && state.rng.u32(..10) == 0);
            let events: Vec<_> = state.events[..visible]
                .iter()
                .skip(usize::try_from(after).expect("few"))
                .take(limit)
                .cloned()
                .collect();
            let last = events.last().map_or(after, |event| event.number);
            Ok(FeedPage { events, last, has_more: last < end as u64 })
        })
    }

    async fn write(&self, before: &Webhook, after: &Webhook, _: Timestamp) -> Result<bool, Error> {
        self.wait().await?;
        let is_written = self.with(|state| {
            if state.webhook.version != before.version {
                return false;
            }
            state.webhook = after.clone();
            let mut progress = serde_json::to_value(&after.progress).expect("JSON");
            match state.planted {
                Planted::ForgetsParked => progress["parked"] = serde_json::json!([]),
                Planted::SkipsEvents => progress["cursor"] = (after.progress.cursor + 1).min(EVENTS).into(),
                _ => {}
            }
            state.webhook.progress = serde_json::from_value(progress).expect("a progress");
            true
        });
        // The reply may be lost.
        self.wait().await?;
        Ok(is_written && self.with(|state| state.calm_pause.is_some() || state.rng.u32(..40) > 0))
    }

    async fn last_attempt(&self, _: WebhookId, number: u64, _: Timestamp) -> Result<Option<Attempt>, Error> {
        self.wait().await?;
        Ok(self.with(|state| state.log.iter().rfind(|attempt| attempt.number == number).cloned()))
    }

    async fn record_attempt(&self, _: WebhookId, attempt: &Attempt) -> Result<(), Error> {
        self.wait().await?;
        if self.with(|state| state.planted) != Planted::LosesLog {
            self.with(|state| state.log.push(attempt.clone()));
            if attempt.state == DeliveryState::GivenUp {
                self.end(attempt.number);
            }
        }
        self.wait().await
    }
}

impl Sender for World {
    async fn send(&self, message: &Message) -> Answer {
        let number: u64 = message.id.parse().expect("a number");
        let (pause, is_calm) = self.with(|state| {
            state.sent.push(number);
            (state.rng.u64(1..=15_000), state.calm_pause.is_some())
        });
        tokio::time::sleep(Duration::from_millis(pause)).await;
        if is_calm {
            return Answer { status: Some(204), ..Answer::default() };
        }
        let (is_poison, is_bad_time, is_lost) = self.with(|state| {
            let object = state.events[usize::try_from(number).expect("few") - 1].object();
            let is_poison = number % 17 == 5 || (object == "review/0" && number.is_multiple_of(3));
            (is_poison, state.rng.u32(..4) == 0, state.rng.u32(..10) == 0)
        });
        if is_poison || is_bad_time {
            let believed = self.with(|state| state.planted) == Planted::BelievesEverything;
            return Answer { status: Some(if believed { 200 } else { 500 }), ..Answer::default() };
        }
        self.end(number);
        if is_lost { Answer::none("lost") } else { Answer { status: Some(204), ..Answer::default() } }
    }
}

pub(super) fn webhook(org_id: u64, place: u8) -> Webhook {
    let url = "https://example.com/";
    Webhook {
        id: WebhookId::random(OrgId::new(org_id).expect("an id"), place),
        url: WebhookUrl::parse(url, WebhookReach::Public).expect("an address"),
        types: EventFilter::default(),
        label: None,
        secrets: SigningSecrets::new(WebhookSecret::generate()),
        created_at: Timestamp::UNIX_EPOCH,
        progress: Progress::default(),
        version: 1,
    }
}

impl State {
    fn new(seed: u64, planted: Planted) -> Self {
        let mut rng = fastrand::Rng::with_seed(seed);
        let webhook = webhook(42, rng.u8(..10));
        Self {
            webhook,
            events: Vec::new(),
            oldest: 1,
            log: Vec::new(),
            settled: Vec::new(),
            sent: Vec::new(),
            calm_pause: None,
            planted,
            calls: 0,
            rng,
        }
    }
}

/// Returns the world of a state, and a deliverer in it.
fn world(state: State) -> (World, Deliverer<World, World>) {
    let world = World(Arc::new(Mutex::new(state)));
    let clock = Arc::new(WorldClock(Instant::now()));
    (world.clone(), Deliverer { tables: world.clone(), sender: Arc::new(world), clock })
}

fn event(number: u64, rng: &mut fastrand::Rng) -> FeedEvent {
    let at = Timestamp::UNIX_EPOCH;
    let data = EventData { id: Some(rng.u32(..7).to_string()), at: format_at(at), ..EventData::default() };
    FeedEvent { number, id: number.to_string(), kind: EventKind::ReviewUpdated, at, data }
}

/// Lives a life, and returns what is wrong with it; `None` if all is well.
async fn live(seed: u64, planted: Planted) -> Option<String> {
    let (world, deliverer) = world(State::new(seed, planted));
    let (id, clock) = (world.with(|state| state.webhook.id), Arc::clone(&deliverer.clock));
    for _ in 0..3_000 {
        let (is_done, due_at, pause) = world.with(|state| {
            let next = state.events.len() as u64 + 1;
            let has_new = next <= EVENTS && state.rng.u32(..3) > 0;
            if has_new {
                let last = (next + state.rng.u64(..9)).min(EVENTS);
                let events: Vec<_> = (next..=last).map(|number| event(number, &mut state.rng)).collect();
                state.events.extend(events);
            }
            // An operator enables what took nothing for five days.
            if state.webhook.progress.state() == WebhookState::Disabled {
                state.webhook.progress = state.webhook.progress.clone().enabled(clock.now());
                state.webhook.version += 1;
            }
            let progress = &state.webhook.progress;
            let is_behind = progress.cursor < EVENTS || progress.due_at().is_some();
            let due_at = (!has_new).then(|| progress.due_at()).flatten();
            let is_done = next > EVENTS && !is_behind;
            (is_done || state.calls > MAX_CALLS, due_at, state.rng.u64(..20_000))
        });
        if is_done {
            break;
        }
        // A life ends at any moment.
        let deliverer = deliverer.clone();
        let (life, time) = world.with(|state| (state.rng.u64(..120_000), state.rng.u64(..90_000)));
        let started = Instant::now();
        let life = if life < 60_000 { life } else { u64::MAX / 2_000_000 };
        tokio::spawn(tokio::time::timeout(Duration::from_millis(life), async move {
            let _ = deliverer.run(id, &|| started.elapsed() < Duration::from_millis(time)).await;
        }));
        let until_due = due_at.map_or(Duration::ZERO, |due_at| {
            Duration::try_from(due_at.duration_since(clock.now())).unwrap_or_default()
        });
        tokio::time::sleep(until_due + Duration::from_millis(pause)).await;
    }
    world.with(|state| judge(state))
}

fn judge(state: &State) -> Option<String> {
    if state.settled.len() != state.events.len() || state.events.len() as u64 != EVENTS {
        return Some(format!("{} of {} events came to an end", state.settled.len(), state.events.len()));
    }
    for object in state.events.iter().map(FeedEvent::object) {
        let is_about = |number: &&u64| state.events[usize::try_from(**number).expect("few") - 1].object() == object;
        if !state.settled.iter().filter(is_about).is_sorted() {
            return Some(format!("the events of {object} came in another order"));
        }
    }
    None
}

/// Returns the first error that the judge finds in these lives.
fn first_wrong(lives: u64, planted: Planted) -> Option<String> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    (0..lives).find_map(|seed| runtime.block_on(live(seed, planted)).map(|wrong| format!("life {seed}: {wrong}")))
}

#[test]
fn every_event_is_delivered_or_given_up_in_the_order_of_its_object() {
    assert_eq!(first_wrong(LIVES, Planted::Nothing), None);
}

#[test]
fn planted_faults_are_seen() {
    for planted in [Planted::ForgetsParked, Planted::SkipsEvents, Planted::LosesLog, Planted::BelievesEverything] {
        assert!(first_wrong(20, planted).is_some(), "{planted:?}");
    }
}
