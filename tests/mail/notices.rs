//! Notices that a webhook was disabled: each `ORG_ADMIN` of its organisation gets one mail, whatever crashes.

use std::sync::Arc;

use jiff::SignedDuration;
use presence_domain::webhook::WebhookId;
use presence_mailer::{OutboxProcessor, handle};
use presence_tests::{
    ConnectorLayer as _, CrashPoint, Fixtures, LagConnector, SEEDED_WEBHOOK, TestStack, in_process_client,
    long_timeouts,
};
use serde_json::json;

use super::fake_mailer::{FakeMailer, MailerProcess, deadline, sweep};

/// Stack whose organisation 1 has two administrators and a webhook that was disabled.
struct NoticeFixture {
    stack: TestStack,
    fixtures: Fixtures,
    fake_mailer: Arc<FakeMailer>,
}

impl NoticeFixture {
    async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        stack.disable_webhook(SEEDED_WEBHOOK).await;
        Self { fake_mailer: FakeMailer::new(&stack), stack, fixtures }
    }

    /// Sweeps with a new process, which crashes at the call if one is given. Returns the number of its calls.
    async fn sweep(&self, crashes_at: Option<(u64, CrashPoint)>) -> u64 {
        let process = MailerProcess::new(&self.stack, &self.fake_mailer);
        let swept = process.crashes.run(crashes_at, handle(&process.outbox, &sweep(), deadline())).await;
        assert_eq!(swept.is_none(), crashes_at.is_some(), "{crashes_at:?}");
        process.crashes.calls()
    }

    /// Changes a user by the API.
    async fn change(&self, id: &str, body: serde_json::Value) {
        let changed = self.stack.post(&format!("/user/{id}"), &self.fixtures.provider.key, &body).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    }

    /// Sweeps once a minute for this number of minutes.
    async fn sweep_minutes(&self, minutes: u32) {
        for _ in 0..minutes {
            self.sweep(None).await;
            self.stack.clock.advance(SignedDuration::from_mins(1));
        }
    }

    /// Returns the numbers of mails to the two administrators, and to those of others.
    fn mails(&self) -> [usize; 3] {
        let Fixtures { admin_1, other_admin_1, admin_2, .. } = &self.fixtures;
        [admin_1, other_admin_1, admin_2].map(|user| self.fake_mailer.accepted(&user.email).len())
    }

    async fn assert_consistent(&self, what: &str) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new(), "{what}");
        assert_eq!(self.stack.audit().await, [], "{what}");
        let page = self.stack.stores().outbox.list_waiting(None).await.expect("an answer");
        assert_eq!((page.messages.len(), page.notices.len(), page.unreadable.len()), (0, 0, 0), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailer_killed_at_any_call_tells_each_admin_once() {
    let calls = NoticeFixture::new().await.sweep(None).await;
    assert!(calls > 8, "only {calls} calls");
    for call in 1..=calls {
        for moment in [CrashPoint::Before, CrashPoint::After] {
            let what = format!("killed {moment:?} call {call}");
            let fixture = NoticeFixture::new().await;
            fixture.sweep(Some((call, moment))).await;
            assert_eq!(fixture.mails(), [0; 3], "{what}: the mails are put, not sent");
            fixture.sweep_minutes(3).await;
            assert_eq!(fixture.mails(), [1, 1, 0], "{what}");
            fixture.assert_consistent(&what).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_notice_waits_for_the_first_and_for_the_end_of_the_five_minutes() {
    let fixture = NoticeFixture::new().await;
    fixture.stack.disable_webhook(SEEDED_WEBHOOK).await;
    assert_eq!(fixture.stack.audit().await, [], "two notices wait");
    fixture.sweep_minutes(1).await;
    assert_eq!(fixture.stack.audit().await, [], "mails of a notice wait");
    fixture.sweep_minutes(3).await;
    assert_eq!(fixture.mails(), [1, 1, 0]);
    fixture.sweep_minutes(4).await;
    assert_eq!(fixture.mails(), [2, 2, 0]);
    fixture.assert_consistent("two notices").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_former_admin_gets_no_mail_of_a_notice() {
    let fixture = NoticeFixture::new().await;
    fixture.sweep(None).await;
    fixture.change(&fixture.fixtures.admin_1.id, json!({ "role": "BUSINESS_MANAGER" })).await;
    assert_eq!(fixture.mails(), [0; 3], "its mail waits");
    fixture.sweep_minutes(3).await;
    assert_eq!(fixture.mails(), [0, 1, 0]);
    fixture.assert_consistent("a former admin").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_lists_a_former_admin_in_the_place_of_a_new_one_is_late() {
    let fixture = NoticeFixture::new().await;
    let (stack, lag) = (&fixture.stack, LagConnector::new(u64::MAX));
    let stores = stack.stores_through(lag.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let process = MailerProcess::new(stack, &fixture.fake_mailer);
    let outbox = OutboxProcessor { users: stores.users, outbox: stores.outbox, ..process.outbox };
    let webhook = WebhookId::parse(SEEDED_WEBHOOK).expect("an id");
    let admins = outbox.users.list_active_admins(webhook.org_id()).await.expect("an answer");
    assert_eq!(admins.map(|admins| admins.len()), Some(2));
    let Fixtures { other_admin_1, manager_1, .. } = &fixture.fixtures;
    fixture.change(&other_admin_1.id, json!({ "role": "BUSINESS_MANAGER" })).await;
    fixture.change(&manager_1.id, json!({ "role": "ORG_ADMIN" })).await;
    // From a write on, the connector gives the answer from before.
    outbox.outbox.remove_notice(webhook, "MAIL#none").await.expect("an answer");
    handle(&outbox, &sweep(), deadline()).await.expect("an answer");
    assert!(lag.stale_answers() > 0);
    fixture.sweep_minutes(3).await;
    assert_eq!(fixture.mails(), [1, 0, 0]);
    assert_eq!(fixture.fake_mailer.accepted(&manager_1.email).len(), 1);
    fixture.assert_consistent("a late index").await;
}
