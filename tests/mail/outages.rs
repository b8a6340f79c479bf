//! Outages of SES for hours, with the local SES and the real client.

use jiff::{SignedDuration, Timestamp};
use presence_local::SesMode;
use presence_mailer::handle;
use presence_runtime::clock::Clock as _;
use presence_tests::logs::with_metrics;
use presence_tests::{Fixtures, TestStack, address};
use serde_json::json;

use super::fake_mailer::{deadline, sweep};

/// Returns the pause between two simulated sweeps: a minute in the first hour, as scheduled, then five minutes. A refused mail
/// waits longer than that by then.
fn pause(since: SignedDuration) -> SignedDuration {
    if since < SignedDuration::from_hours(1) { SignedDuration::from_mins(1) } else { SignedDuration::from_mins(5) }
}

/// Stack with one waiting mail, whose SES refuses.
struct Outage {
    stack: TestStack,
    begun_at: Timestamp,
    /// Number of mails that were given up.
    failed: usize,
}

impl Outage {
    async fn begin() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        let body = json!({ "email": address("guest"), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        assert_eq!(stack.post("/user", &fixtures.admin_1.key, &body).await.status, 200);
        stack.local.mailbox().set_ses_mode(SesMode::Reject);
        Self { begun_at: stack.clock.now(), stack, failed: 0 }
    }

    /// Sweeps until so many hours after the start.
    async fn sweep_until(&mut self, hours: i64) {
        let end = self.begun_at + SignedDuration::from_hours(hours);
        while self.stack.clock.now() < end {
            let swept = Box::pin(with_metrics(handle(self.stack.local.outbox(), &sweep(), deadline()))).await;
            assert!(swept.0.is_ok());
            self.failed += swept.1.iter().filter(|(name, _)| name == "mails_failed").count();
            self.stack.clock.advance(pause(self.stack.clock.now().duration_since(self.begun_at)));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_ses_refuses_for_23_hours_is_sent_once_when_ses_accepts_it() {
    let mut outage = Outage::begin().await;
    outage.sweep_until(23).await;
    assert_eq!((outage.stack.local.mailbox().mails().len(), outage.failed), (0, 0));
    outage.stack.local.mailbox().set_ses_mode(SesMode::Accept);
    outage.sweep_until(26).await;
    assert_eq!((outage.stack.local.mailbox().mails().len(), outage.failed), (1, 0));
    assert_eq!(outage.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_ses_refuses_for_24_hours_is_given_up_then_and_not_before() {
    let mut outage = Outage::begin().await;
    outage.sweep_until(24).await;
    assert_eq!(outage.failed, 0, "not before");
    outage.sweep_until(25).await;
    assert_eq!((outage.stack.local.mailbox().mails().len(), outage.failed), (0, 1));
}
