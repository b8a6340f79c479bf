//! One invited person, and what may happen to its mail.

use std::sync::Arc;

use jiff::SignedDuration;
use presence_domain::invitation::LinkStatus;
use presence_mailer::handle;
use presence_tests::{Fixtures, TestStack, address};
use serde_json::{Value, json};

use super::fake_mailer::{FakeMailer, MailerProcess, deadline, record, sweep};
use presence_tests::CrashPoint;

/// A stack with one invited person, whose mail waits.
pub(super) struct InvitationFixture {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
    pub(super) fake_mailer: Arc<FakeMailer>,
    pub(super) process: MailerProcess,
    pub(super) id: String,
    /// The record of the stream for its mail.
    pub(super) record: Value,
}

impl InvitationFixture {
    pub(super) async fn new() -> Self {
        let stack = TestStack::start().await;
        let fixtures = Fixtures::create(&stack).await;
        let body = json!({ "email": address("guest"), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let created = stack.post("/user", &fixtures.admin_1.key, &body).await;
        let id = created.json()["id"].as_str().expect("an id").to_owned();
        let stored = stack.stored(&id).await.expect("the guest");
        let fake_mailer = FakeMailer::new(&stack);
        let process = MailerProcess::new(&stack, &fake_mailer);
        Self { record: record(&stored.mails[0], 1), stack, fixtures, fake_mailer, process, id }
    }

    pub(super) async fn invoke(&self, event: &Value, crashes_at: Option<(u64, CrashPoint)>) {
        let invoked = handle(&self.process.outbox, event, deadline());
        if let Some(answer) = self.process.crashes.run(crashes_at, invoked).await {
            assert!(answer.is_ok_and(|answer| answer.failures.is_empty()));
        }
    }

    /// The stream hands the record over again and again, or the sweep comes by each minute, until the time is over.
    pub(super) async fn advance_time(&self, with_stream: bool, time: SignedDuration) {
        let step = SignedDuration::from_secs(20);
        let mut left = time;
        while left > SignedDuration::ZERO {
            self.stack.clock.advance(step.min(left));
            left -= step;
            let event = if with_stream { json!({ "Records": [self.record] }) } else { sweep() };
            self.invoke(&event, None).await;
        }
    }

    pub(super) fn mails(&self) -> usize {
        self.fake_mailer.taken(&address("guest")).len()
    }

    pub(super) async fn assert_consistent(&self, tale: &str) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new(), "{tale}");
        assert_eq!(self.stack.audit().await, [], "{tale}");
        let stored = self.stack.stored(&self.id).await.expect("the guest");
        assert_eq!(stored.mails, [], "{tale}");
        let last = self.fake_mailer.taken(&address("guest")).last().expect("a mail").token;
        let now = presence_runtime::clock::Clock::now(self.stack.clock.as_ref());
        assert_eq!(stored.user.links.status_at(last, now), LinkStatus::Open, "{tale}");
    }
}
