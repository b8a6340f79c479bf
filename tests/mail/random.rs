//! Thousands of random steps of clients, time, streams, sweeps and deaths, on a clock that stands still in between.

use std::sync::Arc;

use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};
use presence_domain::invitation::LinkStatus;
use presence_domain::invitation::MessageState;
use presence_domain::user::Status;
use presence_mailer::handle;
use presence_runtime::clock::Clock as _;
use presence_tests::{Fixtures, TestStack, address, rng};
use serde_json::{Value, json};

use super::fake_mailer::{FakeMailer, MailerProcess, SendOutcome, deadline, record, sweep};
use presence_tests::CrashPoint;

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
    stack: TestStack,
    fixtures: Fixtures,
    rng: Rng,
    fake_mailer: Arc<FakeMailer>,
    workers: [MailerProcess; 2],
    guests: Vec<Guest>,
    records: Vec<Value>,
    sequence: usize,
}

impl Run {
    async fn start(stack: TestStack, number: u64) -> Self {
        let fixtures = Fixtures::create(&stack).await;
        let fake_mailer = FakeMailer::new(&stack);
        let workers = [MailerProcess::new(&stack, &fake_mailer), MailerProcess::new(&stack, &fake_mailer)];
        let mut rng = rng("random mail");
        rng.seed(rng.get_seed() ^ (number << 32));
        let (guests, records) = (Vec::new(), Vec::new());
        Self { stack, fixtures, rng, fake_mailer, workers, guests, records, sequence: 0 }
    }

    /// An address that nobody has: most often one that somebody had before, since a few are all there are.
    fn free_address(&mut self) -> String {
        loop {
            let address = address(&format!("guest-{}", self.rng.u8(..ADDRESSES)));
            if self.guests.iter().all(|guest| guest.address != address) {
                return address;
            }
        }
    }

    async fn step(&mut self) {
        match self.rng.u8(..100) {
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
        let invited = self.rng.u8(..4) > 0;
        let status = if invited { "invited" } else { "active" };
        let body = json!({ "email": address, "first_name": "Zoë", "last_name": "Roy", "status": status });
        let created = self.stack.post("/user", &self.fixtures.admin_1.key, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        let id = created.json()["id"].as_str().expect("an id").to_owned();
        let status = if invited { Status::Invited } else { Status::Active };
        self.guests.push(Guest { id, address, status, owed_since: invited.then(|| self.stack.clock.now()) });
        self.note(self.guests.len() - 1).await;
    }

    /// The stream learns of the mail of a guest.
    async fn note(&mut self, guest: usize) {
        let stored = self.stack.stored(&self.guests[guest].id).await;
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
        let which = self.rng.usize(..self.guests.len());
        match self.rng.u8(..12) {
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
        let answer = self.stack.invite(&guest.id, &self.fixtures.admin_1.key).await;
        let allowed: &[u16] = if guest.status == Status::Invited { &[200, 429] } else { &[400] };
        assert!(allowed.contains(&answer.status), "{}", answer.text);
        if answer.status == 429 {
            let seconds: i64 = answer.header("retry-after").parse().expect("seconds");
            assert!((1..=300).contains(&seconds), "{seconds} s");
        }
        if answer.status == 200 {
            guest.owed_since = Some(self.stack.clock.now());
            self.note(which).await;
        }
    }

    async fn readdress(&mut self, which: usize) {
        let address = self.free_address();
        let path = format!("/user/{}", self.guests[which].id);
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &json!({ "email": address })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.guests[which].address = address;
        self.guests[which].owed_since = None;
    }

    async fn deactivate(&mut self, which: usize) {
        let path = format!("/user/{}", self.guests[which].id);
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &json!({ "status": "invited" })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        if self.guests[which].status == Status::Active {
            self.guests[which].status = Status::Invited;
            self.guests[which].owed_since = Some(self.stack.clock.now());
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
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.guests[which].status = Status::Active;
        self.guests[which].owed_since = None;
    }

    async fn rename(&mut self, which: usize) {
        let path = format!("/user/{}", self.guests[which].id);
        let phone = self.rng.u32(..).to_string();
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &json!({ "phone": phone })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    async fn delete(&mut self, which: usize) {
        let guest = self.guests.swap_remove(which);
        let answer = self.stack.delete(&format!("/user/{}", guest.id), &self.fixtures.admin_1.key).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }

    fn pass_time(&mut self) {
        let seconds = [0, 1, 20, 59, 60, 150, 299, 300, 301, 600][self.rng.usize(..10)];
        self.stack.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// When the mailer dies of a call, or that it does not.
    fn death(&mut self) -> Option<(u64, CrashPoint)> {
        let moment = if self.rng.bool() { CrashPoint::Before } else { CrashPoint::After };
        (self.rng.u8(..4) == 0).then(|| (self.rng.u64(1..8), moment))
    }

    fn weather(&mut self) {
        let fate = if self.rng.u8(..3) > 0 {
            SendOutcome::Sent
        } else {
            SendOutcome::ALL[self.rng.usize(..SendOutcome::ALL.len())]
        };
        self.fake_mailer.set_outcome(fate);
    }

    /// A batch of the stream, in any order, with repeats, however old.
    fn batch(&mut self) -> Value {
        let count = self.rng.usize(..4);
        let pick = |rng: &mut Rng, records: &[Value]| records[rng.usize(..records.len())].clone();
        let some = if self.records.is_empty() { 0 } else { count };
        let records: Vec<_> = (0..some).map(|_| pick(&mut self.rng, &self.records)).collect();
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
        let (death, which) = (self.death(), self.rng.usize(..2));
        self.weather();
        let process = &self.workers[which];
        let answer = process.crashes.run(death, handle(&process.outbox, event, deadline())).await;
        assert!(answer.is_none_or(|answer| answer.is_ok_and(|answer| answer.failures.is_empty())));
    }

    /// The stream and the sweep at the same time.
    async fn both(&mut self) {
        let (event, deaths) = (self.batch(), [self.death(), self.death()]);
        self.weather();
        let [one, other] = &self.workers;
        let swept = sweep();
        let streaming = one.crashes.run(deaths[0], handle(&one.outbox, &event, deadline()));
        let sweeping = other.crashes.run(deaths[1], handle(&other.outbox, &swept, deadline()));
        let _ = futures::join!(streaming, sweeping);
    }

    /// What must hold at any time.
    async fn look(&self, step: usize) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new(), "by step {step}");
        assert_eq!(self.stack.audit().await, [], "by step {step}");
    }

    /// In fine weather, everything that is owed arrives.
    async fn settle(&mut self) {
        for process in &self.workers {
            // The index may still show as given up what the process before has retried.
            self.stack.wait_for_indexes().await;
            for row in process.outbox.outbox.list().await.expect("the store answers") {
                if row.state == MessageState::Failed {
                    let now = self.stack.clock.now();
                    assert!(process.outbox.users.retry_mail(&row.id, now).await.expect("the store answers"));
                }
            }
        }
        self.fake_mailer.set_outcome(SendOutcome::Sent);
        // The longest rest is an hour, and a window or two may follow.
        for _ in 0..80 {
            self.stack.clock.advance(SignedDuration::from_mins(1));
            self.stack.wait_for_indexes().await;
            let process = &self.workers[0];
            let answer = process.crashes.run(None, handle(&process.outbox, &sweep(), deadline())).await;
            assert!(matches!(answer, Some(Ok(_))), "{answer:?}");
        }
        assert_eq!(self.stack.stores().outbox.list().await.expect("the store answers"), [], "everything was sent");
        for guest in &self.guests {
            self.has_what_is_owed(guest).await;
        }
    }

    async fn has_what_is_owed(&self, guest: &Guest) {
        let taken = self.fake_mailer.taken(&guest.address);
        let Some(owed_since) = guest.owed_since else { return };
        let last = taken.last().filter(|last| last.at >= owed_since && last.user_id == guest.id);
        let last = last.unwrap_or_else(|| panic!("user {} is owed a mail since {owed_since}", guest.id));
        let stored = self.stack.stored(&guest.id).await.expect("the guest");
        let standing = stored.user.links.status_at(last.token, self.stack.clock.now());
        let in_time = self.stack.clock.now() < last.at + SignedDuration::from_hours(72);
        let expected = if in_time { LinkStatus::Open } else { LinkStatus::Expired };
        assert_eq!(standing, expected, "user {}", guest.id);
    }
}

/// Takes so many random steps in a stack.
pub(crate) async fn run(stack: TestStack, number: u64, steps: usize) -> TestStack {
    let mut run = Run::start(stack, number).await;
    for step in 0..steps {
        Box::pin(run.step()).await;
        if step % AUDIT_EVERY == 0 {
            run.look(step).await;
        }
    }
    run.settle().await;
    run.look(steps).await;
    run.stack
}

#[rstest::rstest]
#[tokio::test(flavor = "multi_thread")]
async fn no_mail_is_lost_and_no_two_are_sent_in_five_minutes_in_5000_random_steps(#[values(1, 2, 3, 4)] number: u64) {
    Box::pin(run(TestStack::start().await, number, STEPS)).await;
}
