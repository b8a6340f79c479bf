//! Random steps of clients, clock, stream, sweep and crashes. The clock stands still between steps.

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
///
/// The loop only repeats the same mix of steps. 700 of them meet most combinations of step, outcome and crash, and every seed of a nightly
/// run adds others.
const STEPS: usize = 700;
/// Maximum number of invited users.
const GUESTS: usize = 6;
/// Number of addresses: few more than users, so that an address soon gets another owner.
const ADDRESSES: u8 = 8;
/// Steps between two audits.
const AUDIT_EVERY: usize = 1_000;
/// Records that the stream keeps.
const RECORDS: usize = 40;

/// User, as the test expects it.
struct Guest {
    id: String,
    address: String,
    status: Status,
    /// Instant from which a mail is due. `None` if none was requested, or the request was cancelled.
    mail_due_since: Option<Timestamp>,
}

/// State of a run: the stack, two mailer processes, and the expected users.
struct Run {
    stack: TestStack,
    fixtures: Fixtures,
    rng: Rng,
    fake_mailer: Arc<FakeMailer>,
    processes: [MailerProcess; 2],
    guests: Vec<Guest>,
    records: Vec<Value>,
    sequence: usize,
}

impl Run {
    async fn start(stack: TestStack, number: u64) -> Self {
        let fixtures = Fixtures::create(&stack).await;
        let fake_mailer = FakeMailer::new(&stack);
        let processes = [MailerProcess::new(&stack, &fake_mailer), MailerProcess::new(&stack, &fake_mailer)];
        let mut rng = rng("random mail");
        rng.seed(rng.get_seed() ^ (number << 32));
        let (guests, records) = (Vec::new(), Vec::new());
        Self { stack, fixtures, rng, fake_mailer, processes, guests, records, sequence: 0 }
    }

    /// Returns an address without an owner. Since there are few, it mostly had an owner before.
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
            45..70 => {
                let event = self.batch();
                self.invoke(&event).await;
            }
            70..92 => self.invoke(&sweep()).await,
            _ => Box::pin(self.stream_and_sweep()).await,
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
        self.guests.push(Guest { id, address, status, mail_due_since: invited.then(|| self.stack.clock.now()) });
        self.record_mails(self.guests.len() - 1).await;
    }

    /// Adds the waiting mails of a guest to the records of the stream.
    async fn record_mails(&mut self, guest: usize) {
        let stored = self.stack.stored(&self.guests[guest].id).await;
        for row in stored.iter().flat_map(|stored| &stored.mails) {
            self.sequence += 1;
            self.records.push(record(row, self.sequence));
        }
        let expired = self.records.len().saturating_sub(RECORDS);
        self.records.drain(..expired);
    }

    async fn change(&mut self) {
        if self.guests.is_empty() {
            return;
        }
        let which = self.rng.usize(..self.guests.len());
        match self.rng.u8(..12) {
            0..5 => self.invite(which).await,
            5..7 => self.change_address(which).await,
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
            guest.mail_due_since = Some(self.stack.clock.now());
            self.record_mails(which).await;
        }
    }

    async fn change_address(&mut self, which: usize) {
        let address = self.free_address();
        let path = format!("/user/{}", self.guests[which].id);
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &json!({ "email": address })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.guests[which].address = address;
        self.guests[which].mail_due_since = None;
    }

    async fn deactivate(&mut self, which: usize) {
        let path = format!("/user/{}", self.guests[which].id);
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &json!({ "status": "invited" })).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        if self.guests[which].status == Status::Active {
            self.guests[which].status = Status::Invited;
            self.guests[which].mail_due_since = Some(self.stack.clock.now());
            self.record_mails(which).await;
        }
    }

    /// Activates the guest, which cancels its waiting mail.
    async fn activate(&mut self, which: usize) {
        if self.guests[which].status == Status::Active {
            return;
        }
        let path = format!("/user/{}", self.guests[which].id);
        let body = json!({ "status": "active", "password": "canary-pass-1" });
        let answer = self.stack.post(&path, &self.fixtures.admin_1.key, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        self.guests[which].status = Status::Active;
        self.guests[which].mail_due_since = None;
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

    /// Returns the call at which the mailer dies, if it does.
    fn pick_crash(&mut self) -> Option<(u64, CrashPoint)> {
        let moment = if self.rng.bool() { CrashPoint::Before } else { CrashPoint::After };
        (self.rng.u8(..4) == 0).then(|| (self.rng.u64(1..8), moment))
    }

    /// Sets a random outcome of the next sends.
    fn set_random_outcome(&mut self) {
        let outcome = if self.rng.u8(..3) > 0 {
            SendOutcome::Sent
        } else {
            SendOutcome::ALL[self.rng.usize(..SendOutcome::ALL.len())]
        };
        self.fake_mailer.set_outcome(outcome);
    }

    /// Returns a batch of the stream: old or new records, in any order, with repeats.
    fn batch(&mut self) -> Value {
        let count = self.rng.usize(..4);
        let pick = |rng: &mut Rng, records: &[Value]| records[rng.usize(..records.len())].clone();
        let size = if self.records.is_empty() { 0 } else { count };
        let records: Vec<_> = (0..size).map(|_| pick(&mut self.rng, &self.records)).collect();
        json!({ "Records": records })
    }

    async fn invoke(&mut self, event: &Value) {
        let (crash, which) = (self.pick_crash(), self.rng.usize(..2));
        self.set_random_outcome();
        let process = &self.processes[which];
        let answer = process.crashes.run(crash, handle(&process.outbox, event, deadline())).await;
        let failures = answer.map_or(Ok(Vec::new()), |answer| answer.map(|answer| answer.failures));
        assert_eq!(failures.expect("an answer"), []);
    }

    /// Runs the stream and the sweep at the same time, in two processes.
    async fn stream_and_sweep(&mut self) {
        let (event, crashes_at) = (self.batch(), [self.pick_crash(), self.pick_crash()]);
        self.set_random_outcome();
        let [one, other] = &self.processes;
        let swept = sweep();
        let streaming = one.crashes.run(crashes_at[0], handle(&one.outbox, &event, deadline()));
        let sweeping = other.crashes.run(crashes_at[1], handle(&other.outbox, &swept, deadline()));
        let _ = futures::join!(streaming, sweeping);
    }

    /// Asserts what must hold after any step.
    async fn assert_consistent(&self, step: usize) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new(), "by step {step}");
        assert_eq!(self.stack.audit().await, [], "by step {step}");
    }

    /// Asserts that every due mail arrives once SES accepts all mails.
    async fn deliver_all(&mut self) {
        for process in &self.processes {
            // The index may lag, and still show mails as given up that the other process has retried.
            self.stack.wait_for_indexes().await;
            for row in process.outbox.outbox.list().await.expect("the store answers") {
                if row.state == MessageState::Failed {
                    let now = self.stack.clock.now();
                    assert!(process.outbox.users.retry_mail(&row.id, now).await.expect("the store answers"));
                }
            }
        }
        self.fake_mailer.set_outcome(SendOutcome::Sent);
        // The longest pause is an hour, and one or two windows of five minutes may follow.
        for _ in 0..80 {
            self.stack.clock.advance(SignedDuration::from_mins(1));
            self.stack.wait_for_indexes().await;
            let process = &self.processes[0];
            let answer = process.crashes.run(None, handle(&process.outbox, &sweep(), deadline())).await;
            assert!(matches!(answer, Some(Ok(_))), "{answer:?}");
        }
        assert_eq!(self.stack.stores().outbox.list().await.expect("the store answers"), [], "every mail was sent");
        for guest in &self.guests {
            self.assert_due_mail_arrived(guest).await;
        }
    }

    async fn assert_due_mail_arrived(&self, guest: &Guest) {
        let accepted = self.fake_mailer.accepted(&guest.address);
        let Some(mail_due_since) = guest.mail_due_since else { return };
        let last = accepted.last().filter(|last| last.at >= mail_due_since && last.user_id == guest.id);
        let last = last.unwrap_or_else(|| panic!("user {} has waited for a mail since {mail_due_since}", guest.id));
        let stored = self.stack.stored(&guest.id).await.expect("the guest");
        let status = stored.user.links.status_at(last.token, self.stack.clock.now());
        let in_time = self.stack.clock.now() < last.at + SignedDuration::from_hours(72);
        let expected = if in_time { LinkStatus::Open } else { LinkStatus::Expired };
        assert_eq!(status, expected, "user {}", guest.id);
    }
}

/// Runs so many random steps in a stack, and returns it.
pub(crate) async fn run(stack: TestStack, number: u64, steps: usize) -> TestStack {
    let mut run = Run::start(stack, number).await;
    for step in 0..steps {
        Box::pin(run.step()).await;
        if step % AUDIT_EVERY == 0 {
            run.assert_consistent(step).await;
        }
    }
    run.deliver_all().await;
    run.assert_consistent(steps).await;
    run.stack
}

#[rstest::rstest]
#[tokio::test(flavor = "multi_thread")]
async fn random_steps_lose_no_mail_and_send_no_two_in_five_minutes(#[values(1, 2, 3, 4)] number: u64) {
    Box::pin(run(TestStack::start().await, number, STEPS)).await;
}
