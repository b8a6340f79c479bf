//! Thousands of random steps of clients, time, streams, sweeps and deaths, on a clock that stands still in between.

use std::sync::Arc;

use fastrand::Rng as Dice;
use jiff::{SignedDuration, Timestamp};
use presence::clock::Clock as _;
use presence::domain::invitation::LinkStanding;
use presence::domain::user::Status;
use presence::store::MailState;
use presence_mailer::handle;
use presence_tests::{Cast, World, address, dice};
use serde_json::{Value, json};

use super::axe::Moment;
use super::office::{Fate, Office, Worker, deadline, record, sweep};

/// Steps of one run; there are four runs.
const STEPS: usize = 5_000;
/// People at a time.
const GUESTS: usize = 6;
/// Addresses that people have in turn: some more than people, so that each is soon another's.
const ADDRESSES: u8 = 8;
/// Steps between two looks at everything.
const AUDIT_EVERY: usize = 1_000;
/// Records that the stream still has.
const RECORDS: usize = 40;

/// A person, as the test knows it.
struct Guest {
    id: String,
    address: String,
    status: Status,
    /// Since when a mail is owed; none where nobody asked for one, or it was called off.
    owed_since: Option<Timestamp>,
}

struct Run {
    world: World,
    cast: Cast,
    dice: Dice,
    office: Arc<Office>,
    workers: [Worker; 2],
    guests: Vec<Guest>,
    records: Vec<Value>,
    sequence: usize,
}

impl Run {
    async fn start(world: World, number: u64) -> Self {
        let cast = Cast::enter(&world).await;
        let office = Office::new(&world);
        let workers = [Worker::new(&world, &office), Worker::new(&world, &office)];
        let mut dice = dice("random mail");
        dice.seed(dice.get_seed() ^ (number << 32));
        let (guests, records) = (Vec::new(), Vec::new());
        Self { world, cast, dice, office, workers, guests, records, sequence: 0 }
    }

    /// An address that nobody has: most often one that somebody had before, since a few are all there are.
    fn free_address(&mut self) -> String {
        loop {
            let address = address(&format!("guest-{}", self.dice.u8(..ADDRESSES)));
            if self.guests.iter().all(|guest| guest.address != address) {
                return address;
            }
        }
    }

    async fn step(&mut self) {
        match self.dice.u8(..100) {
            0..10 => self.create().await,
            10..28 => self.change().await,
            28..45 => self.pass_time(),
            45..70 => self.stream().await,
            70..92 => self.sweep().await,
            _ => Box::pin(self.both()).await,
        }
    }

    async fn create(&mut self) {
        if self.guests.len() >= GUESTS {
            return;
        }
        let address = self.free_address();
        let invited = self.dice.u8(..4) > 0;
        let status = if invited { "invited" } else { "active" };
        let body = json!({ "email": address, "first_name": "Zoë", "last_name": "Roy", "status": status });
        let created = self.world.post("/user", &self.cast.admin_1.key, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        let id = created.json()["id"].as_str().expect("an id").to_owned();
        let status = if invited { Status::Invited } else { Status::Active };
        self.guests.push(Guest { id, address, status, owed_since: invited.then(|| self.world.clock.now()) });
        self.note(self.guests.len() - 1).await;
    }

    /// The stream learns of the mail of a guest.
    async fn note(&mut self, guest: usize) {
        let stored = self.world.stored(&self.guests[guest].id).await;
        for row in stored.iter().flat_map(|stored| &stored.mails) {
            self.sequence += 1;
            self.records.push(record(row, self.sequence));
        }
        let forgotten = self.records.len().saturating_sub(RECORDS);
        self.records.drain(..forgotten);
    }

    async fn change(&mut self) {
        if self.guests.is_empty() {
            return;
        }
        let which = self.dice.usize(..self.guests.len());
        match self.dice.u8(..12) {
            0..5 => self.invite(which).await,
            5..7 => self.readdress(which).await,
            7..9 => self.deactivate(which).await,
            9 => self.activate(which).await,
            10 => self.rename(which).await,
            _ => self.delete(which).await,
        }
    }

    async fn invite(&mut self, which: usize) {
        let guest = &mut self.guests[which];
        let answer = self.world.invite(&guest.id, &self.cast.admin_1.key).await;
        let allowed: &[u16] = if guest.status == Status::Invited { &[200, 429] } else { &[400] };
        assert!(allowed.contains(&answer.status), "{}", answer.text);
        if answer.status == 429 {
            let seconds: i64 = answer.header("retry-after").parse().expect("seconds");
            assert!((1..=300).contains(&seconds), "{seconds} s");
        }
        if answer.status == 200 {
            guest.owed_since = Some(self.world.clock.now());
            self.note(which).await;
        }
    }

    async fn readdress(&mut self, which: usize) {
        let address = self.free_address();
        let path = format!("/user/{}", self.guests[which].id);
        let answer = self.world.post(&path, &self.cast.admin_1.key, &json!({ "email": address })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.guests[which].address = address;
        self.guests[which].owed_since = None;
    }

    async fn deactivate(&mut self, which: usize) {
        let path = format!("/user/{}", self.guests[which].id);
        let answer = self.world.post(&path, &self.cast.admin_1.key, &json!({ "status": "invited" })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        if self.guests[which].status == Status::Active {
            self.guests[which].status = Status::Invited;
            self.guests[which].owed_since = Some(self.world.clock.now());
            self.note(which).await;
        }
    }

    /// Calls the mail off that waits.
    async fn activate(&mut self, which: usize) {
        if self.guests[which].status == Status::Active {
            return;
        }
        let path = format!("/user/{}", self.guests[which].id);
        let body = json!({ "status": "active", "password": "canary-pass-1" });
        let answer = self.world.post(&path, &self.cast.admin_1.key, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.guests[which].status = Status::Active;
        self.guests[which].owed_since = None;
    }

    async fn rename(&mut self, which: usize) {
        let path = format!("/user/{}", self.guests[which].id);
        let phone = self.dice.u32(..).to_string();
        let answer = self.world.post(&path, &self.cast.admin_1.key, &json!({ "phone": phone })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    async fn delete(&mut self, which: usize) {
        let guest = self.guests.swap_remove(which);
        let answer = self.world.delete(&format!("/user/{}", guest.id), &self.cast.admin_1.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    fn pass_time(&mut self) {
        let seconds = [0, 1, 20, 59, 60, 150, 299, 300, 301, 600][self.dice.usize(..10)];
        self.world.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// When the mailer dies of a call, or that it does not.
    fn death(&mut self) -> Option<(u64, Moment)> {
        let moment = if self.dice.bool() { Moment::Before } else { Moment::After };
        (self.dice.u8(..4) == 0).then(|| (self.dice.u64(1..8), moment))
    }

    fn weather(&mut self) {
        let fate = if self.dice.u8(..3) > 0 { Fate::Sent } else { Fate::ALL[self.dice.usize(..Fate::ALL.len())] };
        self.office.set_fate(fate);
    }

    /// A batch of the stream, in any order, with repeats, however old.
    fn batch(&mut self) -> Value {
        let count = self.dice.usize(..4);
        let pick = |dice: &mut Dice, records: &[Value]| records[dice.usize(..records.len())].clone();
        let some = if self.records.is_empty() { 0 } else { count };
        let records: Vec<_> = (0..some).map(|_| pick(&mut self.dice, &self.records)).collect();
        json!({ "Records": records })
    }

    async fn stream(&mut self) {
        let event = self.batch();
        self.invoke(&event).await;
    }

    async fn sweep(&mut self) {
        self.invoke(&sweep()).await;
    }

    async fn invoke(&mut self, event: &Value) {
        let (death, which) = (self.death(), self.dice.usize(..2));
        self.weather();
        let worker = &self.workers[which];
        let answer = worker.axe.run(death, handle(&worker.outbox, event, deadline())).await;
        assert!(answer.is_none_or(|answer| answer.is_ok_and(|answer| answer.failures.is_empty())));
    }

    /// The stream and the sweep at the same time.
    async fn both(&mut self) {
        let (event, deaths) = (self.batch(), [self.death(), self.death()]);
        self.weather();
        let [one, other] = &self.workers;
        let swept = sweep();
        let streaming = one.axe.run(deaths[0], handle(&one.outbox, &event, deadline()));
        let sweeping = other.axe.run(deaths[1], handle(&other.outbox, &swept, deadline()));
        let _ = futures::join!(streaming, sweeping);
    }

    /// What must hold at any time.
    async fn look(&self, step: usize) {
        assert_eq!(self.office.too_soon(), Vec::<String>::new(), "by step {step}");
        assert_eq!(self.world.audit().await, [], "by step {step}");
    }

    /// In fine weather, everything that is owed arrives.
    async fn settle(&mut self) {
        for worker in &self.workers {
            // The index may still show as given up what the worker before has retried.
            self.world.caught_up().await;
            for row in worker.outbox.store.outbox().await.expect("the store answers") {
                if row.state == MailState::Failed {
                    let now = self.world.clock.now();
                    assert!(worker.outbox.store.retry_mail(row.id(), now).await.expect("the store answers"));
                }
            }
        }
        self.office.set_fate(Fate::Sent);
        // The longest rest is an hour, and a window or two may follow.
        for _ in 0..80 {
            self.world.clock.advance(SignedDuration::from_mins(1));
            self.world.caught_up().await;
            let worker = &self.workers[0];
            let answer = worker.axe.run(None, handle(&worker.outbox, &sweep(), deadline())).await;
            assert!(matches!(answer, Some(Ok(_))), "{answer:?}");
        }
        assert_eq!(self.world.store().outbox().await.expect("the store answers"), [], "everything was sent");
        for guest in &self.guests {
            self.has_what_is_owed(guest).await;
        }
    }

    async fn has_what_is_owed(&self, guest: &Guest) {
        let taken = self.office.taken(&guest.address);
        let Some(owed_since) = guest.owed_since else { return };
        let last = taken.last().filter(|last| last.at >= owed_since && last.user_id == guest.id);
        let last = last.unwrap_or_else(|| panic!("user {} is owed a mail since {owed_since}", guest.id));
        let stored = self.world.stored(&guest.id).await.expect("the guest");
        let standing = stored.user.links.standing(last.token, self.world.clock.now());
        let in_time = self.world.clock.now() < last.at + SignedDuration::from_hours(72);
        let expected = if in_time { LinkStanding::Open } else { LinkStanding::Expired };
        assert_eq!(standing, expected, "user {}", guest.id);
    }
}

/// Takes so many random steps in a world.
pub(crate) async fn play(world: World, number: u64, steps: usize) -> World {
    let mut run = Run::start(world, number).await;
    for step in 0..steps {
        Box::pin(run.step()).await;
        if step % AUDIT_EVERY == 0 {
            run.look(step).await;
        }
    }
    run.settle().await;
    run.look(steps).await;
    run.world
}

#[rstest::rstest]
#[tokio::test(flavor = "multi_thread")]
async fn no_mail_is_lost_and_no_two_are_sent_in_five_minutes_in_5000_random_steps(#[values(1, 2, 3, 4)] number: u64) {
    Box::pin(play(World::start().await, number, STEPS)).await;
}
