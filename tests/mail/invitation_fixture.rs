//! Fixture with one invited user whose mail waits in the outbox.

use std::sync::Arc;

use jiff::SignedDuration;
use presence_domain::invitation::LinkStatus;
use presence_mailer::handle;
use presence_tests::{Fixtures, TestStack, address};
use serde_json::{Value, json};

use super::fake_mailer::{FakeMailer, MailerProcess, deadline, record, sweep};
use presence_tests::CrashPoint;

/// Stack with one invited user, whose mail waits.
pub(super) struct InvitationFixture {
    pub(super) stack: TestStack,
    pub(super) fixtures: Fixtures,
    pub(super) fake_mailer: Arc<FakeMailer>,
    pub(super) process: MailerProcess,
    pub(super) id: String,
    /// Stream record of the mail.
    pub(super) record: Value,
}

impl InvitationFixture {
    pub(super) async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        let body = json!({ "email": address("guest"), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let created = stack.post("/user", &fixtures.admin_1.key, &body).await;
        let id = created.json()["id"].as_str().expect("an id").to_owned();
        let stored = stack.stored(&id).await.expect("the guest");
        let fake_mailer = FakeMailer::new(&stack);
        let process = MailerProcess::new(&stack, &fake_mailer);
        Self { record: record(&stored.mails[0], 1), stack, fixtures, fake_mailer, process, id }
    }

    /// Invokes the mailer, which dies at the call if one is given.
    pub(super) async fn invoke(&self, event: &Value, crashes_at: Option<(u64, CrashPoint)>) {
        let invoked = handle(&self.process.outbox, event, deadline());
        if let Some(answer) = self.process.crashes.run(crashes_at, invoked).await {
            assert!(answer.is_ok_and(|answer| answer.failures.is_empty()));
        }
    }

    /// Advances the clock in steps, and invokes the mailer after each: by the record of the stream, or by the sweep.
    pub(super) async fn advance_time(&self, with_stream: bool, time: SignedDuration) {
        let step = SignedDuration::from_secs(20);
        let mut remaining = time;
        while remaining > SignedDuration::ZERO {
            self.stack.clock.advance(step.min(remaining));
            remaining -= step;
            let event = if with_stream { json!({ "Records": [self.record] }) } else { sweep() };
            self.invoke(&event, None).await;
        }
    }

    /// Returns the number of mails accepted for the guest.
    pub(super) fn mails(&self) -> usize {
        self.fake_mailer.accepted(&address("guest")).len()
    }

    /// Asserts that the last mail was sent in time, has an open link, and remaining nothing in the outbox.
    pub(super) async fn assert_consistent(&self, what: &str) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new(), "{what}");
        assert_eq!(self.stack.audit().await, [], "{what}");
        let stored = self.stack.stored(&self.id).await.expect("the guest");
        assert_eq!(stored.mails, [], "{what}");
        let last = self.fake_mailer.accepted(&address("guest")).last().expect("a mail").token;
        let now = presence_runtime::clock::Clock::now(self.stack.clock.as_ref());
        assert_eq!(stored.user.links.status_at(last, now), LinkStatus::Open, "{what}");
    }
}
