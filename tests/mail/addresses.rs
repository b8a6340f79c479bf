//! Limit of one mail for each address in five minutes, also when the owner of the address changes.

use std::sync::Arc;

use jiff::SignedDuration;
use presence_domain::ids::UserId;
use presence_domain::invitation::WINDOW;
use presence_mailer::{DeliveryOutcome, handle};
use presence_tests::{Fixtures, TestStack, address};
use serde_json::json;

use super::fake_mailer::{FakeMailer, MailerProcess, SendOutcome, deadline, sweep};

/// Stack with the mailer, for users that take and give up addresses.
struct AddressFixture {
    stack: TestStack,
    fixtures: Fixtures,
    fake_mailer: Arc<FakeMailer>,
    process: MailerProcess,
}

impl AddressFixture {
    async fn start() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        let fake_mailer = FakeMailer::new(&stack);
        let process = MailerProcess::new(&stack, &fake_mailer);
        Self { stack, fixtures, fake_mailer, process }
    }

    async fn create(&self, local: &str) -> String {
        let body = json!({ "email": address(local), "first_name": "Zoë", "last_name": "Roy", "status": "invited" });
        let created = self.stack.post("/user", &self.fixtures.admin_1.key, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["id"].as_str().expect("an id").to_owned()
    }

    async fn delete(&self, id: &str) {
        assert_eq!(self.stack.delete(&format!("/user/{id}"), &self.fixtures.admin_1.key).await.status, 200);
    }

    /// Gives the user another address, and invites it there. The API accepts both at once.
    async fn change_address(&self, id: &str, local: &str) {
        let body = json!({ "email": address(local) });
        let moved = self.stack.post(&format!("/user/{id}"), &self.fixtures.admin_1.key, &body).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        assert_eq!(self.stack.invite(id, &self.fixtures.admin_1.key).await.status, 200);
    }

    async fn deliver(&self, id: &str) -> DeliveryOutcome {
        self.process.outbox.deliver(UserId::parse(id).expect("an id")).await.expect("a delivery")
    }

    fn advance_time(&self, time: SignedDuration) {
        self.stack.clock.advance(time);
    }

    async fn sweep(&self) {
        let swept = handle(&self.process.outbox, &sweep(), deadline()).await;
        assert!(swept.is_ok_and(|answer| answer.failures.is_empty()));
    }

    fn mails(&self, local: &str) -> usize {
        self.fake_mailer.accepted(&address(local)).len()
    }

    async fn assert_consistent(&self) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new());
        assert_eq!(self.stack.audit().await, []);
    }
}

/// Time between two steps of a test.
const STEP: SignedDuration = SignedDuration::from_millis(250);

#[tokio::test(flavor = "multi_thread")]
async fn address_whose_owner_is_deleted_and_created_again_twelve_times_is_sent_one_mail_in_five_minutes() {
    let fixture = AddressFixture::start().await;
    for _ in 0..12 {
        let id = fixture.create("guest").await;
        fixture.deliver(&id).await;
        fixture.delete(&id).await;
        fixture.advance_time(STEP);
    }
    let last = fixture.create("guest").await;
    assert_eq!(fixture.mails("guest"), 1);
    // The mail of the last owner waits until the window of the address ends, to the millisecond.
    fixture.deliver(&last).await;
    fixture.advance_time(WINDOW - STEP * 12 - SignedDuration::from_millis(1));
    fixture.sweep().await;
    assert_eq!(fixture.mails("guest"), 1);
    fixture.advance_time(SignedDuration::from_millis(1));
    fixture.sweep().await;
    assert_eq!(fixture.mails("guest"), 2);
    assert_eq!(fixture.fake_mailer.accepted(&address("guest"))[1].user_id, last);
    fixture.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn user_that_alternates_between_two_addresses_is_sent_one_mail_at_each_in_five_minutes() {
    let fixture = AddressFixture::start().await;
    let id = fixture.create("first").await;
    fixture.deliver(&id).await;
    for local in ["second", "first"].repeat(3) {
        fixture.change_address(&id, local).await;
        fixture.deliver(&id).await;
        fixture.advance_time(STEP);
    }
    assert_eq!((fixture.mails("first"), fixture.mails("second")), (1, 1));
    fixture.advance_time(WINDOW);
    fixture.sweep().await;
    assert_eq!((fixture.mails("first"), fixture.mails("second")), (2, 1), "the mail to the last address is sent");
    fixture.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_users_that_swap_addresses_are_sent_no_second_mail_there_in_five_minutes() {
    let fixture = AddressFixture::start().await;
    let (one, other) = (fixture.create("first").await, fixture.create("second").await);
    for id in [&one, &other] {
        assert_eq!(fixture.deliver(id).await, DeliveryOutcome::Sent);
    }
    fixture.change_address(&one, "between").await;
    fixture.change_address(&other, "first").await;
    fixture.change_address(&one, "second").await;
    for id in [&one, &other] {
        assert_eq!(fixture.deliver(id).await, DeliveryOutcome::Nothing);
    }
    fixture.advance_time(WINDOW);
    fixture.sweep().await;
    assert_eq!((fixture.mails("first"), fixture.mails("second"), fixture.mails("between")), (2, 2, 0));
    fixture.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn address_is_free_at_once_after_a_refused_mail_but_not_after_one_that_may_have_arrived() {
    for (outcome, delivered) in
        [(SendOutcome::Refused, DeliveryOutcome::Sent), (SendOutcome::Lost, DeliveryOutcome::Nothing)]
    {
        let fixture = AddressFixture::start().await;
        let id = fixture.create("guest").await;
        fixture.fake_mailer.set_outcome(outcome);
        fixture.deliver(&id).await;
        fixture.fake_mailer.set_outcome(SendOutcome::Sent);
        fixture.delete(&id).await;
        let next = fixture.create("guest").await;
        assert_eq!(fixture.deliver(&next).await, delivered, "{outcome:?}");
        fixture.assert_consistent().await;
    }
}
