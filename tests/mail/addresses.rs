//! One mail for each address in five minutes, whoever owns it in between.

use std::sync::Arc;

use jiff::SignedDuration;
use presence_domain::ids::UserId;
use presence_domain::invitation::WINDOW;
use presence_mailer::{DeliveryOutcome, handle};
use presence_tests::{Fixtures, TestStack, address};
use serde_json::json;

use super::fake_mailer::{FakeMailer, MailerProcess, SendOutcome, deadline, sweep};

/// Owners of addresses, and the mailer.
struct Town {
    stack: TestStack,
    fixtures: Fixtures,
    fake_mailer: Arc<FakeMailer>,
    process: MailerProcess,
}

impl Town {
    async fn start() -> Self {
        let stack = TestStack::start().await;
        let fixtures = Fixtures::create(&stack).await;
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

    /// Gives the user another address, and invites it there: the API accepts at once.
    async fn move_to(&self, id: &str, local: &str) {
        let body = json!({ "email": address(local) });
        let moved = self.stack.post(&format!("/user/{id}"), &self.fixtures.admin_1.key, &body).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        assert_eq!(self.stack.invite(id, &self.fixtures.admin_1.key).await.status, 200);
    }

    async fn deliver(&self, id: &str) -> DeliveryOutcome {
        self.process.outbox.deliver(UserId::parse(id).expect("an id")).await.expect("a delivery")
    }

    fn wait(&self, time: SignedDuration) {
        self.stack.clock.advance(time);
    }

    async fn sweep(&self) {
        let swept = handle(&self.process.outbox, &sweep(), deadline()).await;
        assert!(swept.is_ok_and(|answer| answer.failures.is_empty()));
    }

    fn mails(&self, local: &str) -> usize {
        self.fake_mailer.taken(&address(local)).len()
    }

    async fn assert_consistent(&self) {
        assert_eq!(self.fake_mailer.too_soon(), Vec::<String>::new());
        assert_eq!(self.stack.audit().await, []);
    }
}

const MOMENT: SignedDuration = SignedDuration::from_millis(250);

#[tokio::test(flavor = "multi_thread")]
async fn an_address_whose_owner_is_deleted_and_created_anew_twelve_times_is_sent_one_mail_in_five_minutes() {
    let town = Town::start().await;
    for _ in 0..12 {
        let id = town.create("guest").await;
        town.deliver(&id).await;
        town.delete(&id).await;
        town.wait(MOMENT);
    }
    let last = town.create("guest").await;
    assert_eq!(town.mails("guest"), 1);
    // The last owner's mail waits for the end of the address's window, and not a millisecond longer.
    town.deliver(&last).await;
    town.wait(WINDOW - MOMENT * 12 - SignedDuration::from_millis(1));
    town.sweep().await;
    assert_eq!(town.mails("guest"), 1);
    town.wait(SignedDuration::from_millis(1));
    town.sweep().await;
    assert_eq!(town.mails("guest"), 2);
    assert_eq!(town.fake_mailer.taken(&address("guest"))[1].user_id, last);
    town.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_who_goes_to_and_fro_between_two_addresses_is_sent_one_mail_at_each_in_five_minutes() {
    let town = Town::start().await;
    let id = town.create("first").await;
    town.deliver(&id).await;
    for local in ["second", "first"].repeat(3) {
        town.move_to(&id, local).await;
        town.deliver(&id).await;
        town.wait(MOMENT);
    }
    assert_eq!((town.mails("first"), town.mails("second")), (1, 1));
    town.wait(WINDOW);
    town.sweep().await;
    assert_eq!((town.mails("first"), town.mails("second")), (2, 1), "the last of them is owed");
    town.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_users_who_swap_addresses_are_sent_no_second_mail_there_in_five_minutes() {
    let town = Town::start().await;
    let (one, other) = (town.create("first").await, town.create("second").await);
    for id in [&one, &other] {
        assert_eq!(town.deliver(id).await, DeliveryOutcome::Sent);
    }
    town.move_to(&one, "between").await;
    town.move_to(&other, "first").await;
    town.move_to(&one, "second").await;
    for id in [&one, &other] {
        assert_eq!(town.deliver(id).await, DeliveryOutcome::Nothing);
    }
    town.wait(WINDOW);
    town.sweep().await;
    assert_eq!((town.mails("first"), town.mails("second"), town.mails("between")), (2, 2, 0));
    town.assert_consistent().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_whose_mail_was_refused_is_open_at_once_and_one_whose_mail_may_have_arrived_is_not() {
    for (fate, delivered) in
        [(SendOutcome::Refused, DeliveryOutcome::Sent), (SendOutcome::Lost, DeliveryOutcome::Nothing)]
    {
        let town = Town::start().await;
        let id = town.create("guest").await;
        town.fake_mailer.set_outcome(fate);
        town.deliver(&id).await;
        town.fake_mailer.set_outcome(SendOutcome::Sent);
        town.delete(&id).await;
        let next = town.create("guest").await;
        assert_eq!(town.deliver(&next).await, delivered, "{fate:?}");
        town.assert_consistent().await;
    }
}
