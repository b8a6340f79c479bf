//! Single steps of a delivery: the instants at which they may happen, and the answer to a batch.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use presence_domain::invitation::{LinkStatus, WINDOW};
use presence_mailer::{DeliveryOutcome, Mail, Mailer, SendResult, handle};
use presence_runtime::clock::{Clock, Deadline, ManualClock};
use presence_store::schema;
use presence_tests::{address, send};
use serde_json::{Value, json};

use super::fake_mailer::{LEASE, MailerProcess, SendOutcome, deadline, record, sweep};
use super::invitation_fixture::InvitationFixture;

/// Timeout of the SES client.
const SES_TIMEOUT: SignedDuration = SignedDuration::from_secs(8);

/// Clock of a delayed process: it advances by this time at each reading.
struct DelayedClock(Arc<ManualClock>, SignedDuration);

impl Clock for DelayedClock {
    fn now(&self) -> Timestamp {
        self.0.advance(self.1);
        self.0.now()
    }
}

type Event = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Mailer that lets an event happen before each send.
struct InterleavingMailer {
    event: Event,
    inner: Arc<dyn Mailer>,
}

impl Mailer for InterleavingMailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, SendResult> {
        let event = (self.event)();
        async move {
            event.await;
            self.inner.send(mail).await
        }
        .boxed()
    }
}

impl InvitationFixture {
    /// Invites the guest again, and returns the stream record of the mail.
    async fn invite_again(&self) -> Value {
        assert_eq!(self.stack.invite(&self.id, &self.fixtures.admin_1.key).await.status, 200);
        let stored = self.stack.stored(&self.id).await.expect("the guest");
        record(&stored.mails[0], 2)
    }

    /// Delivers the mail, and lets the event happen while it is sent.
    async fn deliver_while(&mut self, event: Event) {
        let inner = Arc::clone(&self.process.outbox.mailer);
        self.process.outbox.mailer = Arc::new(InterleavingMailer { event, inner: Arc::clone(&inner) });
        let id = presence_domain::ids::UserId::parse(&self.id).expect("an id");
        assert!(self.process.outbox.deliver(id).await.is_ok());
        self.process.outbox.mailer = inner;
    }

    /// Returns an API call of the guest's administrator as an event.
    fn call(&self, path: &str, body: &Value) -> Event {
        let request = self.stack.request("POST", path).header("x-api-key", &self.fixtures.admin_1.key).json(body);
        Box::new(move || {
            let request = send(request.try_clone().expect("a body that is no stream"));
            async move { assert_eq!(request.await.status, 200) }.boxed()
        })
    }

    /// Makes the stored guest unreadable.
    async fn corrupt(&self) {
        let client = self.stack.dynamodb_client();
        let text = |text: String| AttributeValue::S(text);
        let corrupt = client.update_item().table_name(self.stack.stores().database.name(&schema::USERS));
        let corrupt = corrupt.key("pk", text(format!("USER#{}", self.id))).key("sk", text("USER".to_owned()));
        let corrupt =
            corrupt.update_expression("SET email = :none").expression_attribute_values(":none", text(String::new()));
        corrupt.send().await.expect("DynamoDB answers");
    }

    /// Returns the status of the link in a mail, by its number.
    async fn link_status(&self, mail: usize) -> LinkStatus {
        let stored = self.stack.stored(&self.id).await.expect("the guest");
        let token = self.fake_mailer.accepted(&address("guest"))[mail].token;
        stored.user.links.status_at(token, self.stack.clock.now())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_five_minutes_after_a_mail_the_next_is_sent_at_once_and_replaces_its_link() {
    let fixture = InvitationFixture::new().await;
    fixture.invoke(&json!({ "Records": [fixture.record] }), None).await;
    assert_eq!(fixture.link_status(0).await, LinkStatus::Open);
    fixture.stack.clock.advance(WINDOW);
    let again = fixture.invite_again().await;
    fixture.invoke(&json!({ "Records": [again] }), None).await;
    assert_eq!(fixture.mails(), 2);
    assert_eq!((fixture.link_status(0).await, fixture.link_status(1).await), (LinkStatus::Replaced, LinkStatus::Open));
    fixture.assert_consistent("five minutes later").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn delayed_mailer_sends_only_while_its_claim_covers_the_window_of_the_mail() {
    let mut sent = 0;
    for seconds in [0, 3, 5, 6, 9, 20] {
        let mut fixture = InvitationFixture::new().await;
        let id = presence_domain::ids::UserId::parse(&fixture.id).expect("an id");
        fixture.process.outbox.clock =
            Arc::new(DelayedClock(Arc::clone(&fixture.stack.clock), SignedDuration::from_secs(seconds)));
        fixture.fake_mailer.set_outcome(SendOutcome::Lost);
        assert_eq!(fixture.process.outbox.deliver(id).await.ok(), Some(DeliveryOutcome::Unknown));
        let quiet_until = fixture.stack.stored(&fixture.id).await.and_then(|stored| stored.user.quiet_until);
        for mail in fixture.fake_mailer.accepted(&address("guest")) {
            let quiet = quiet_until.expect("a claim").duration_since(mail.at);
            assert!(quiet >= WINDOW + SES_TIMEOUT, "{seconds} s a reading: another mail after {quiet:?}");
            sent += 1;
        }
    }
    assert!((1..6).contains(&sent), "{sent}: only quick mailers send");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_record_whose_delivery_fails_is_in_the_answer() {
    let fixture = InvitationFixture::new().await;
    let body = json!({ "email": address("other"), "first_name": "Ada", "last_name": "Roy", "status": "invited" });
    let created = fixture.stack.post("/user", &fixture.fixtures.admin_1.key, &body).await.json();
    let other = fixture.stack.stored(created["id"].as_str().expect("an id")).await.expect("the other guest");
    fixture.corrupt().await;
    let event = json!({ "Records": [fixture.record, record(&other.mails[0], 2)] });
    let answer = handle(&fixture.process.outbox, &event, deadline()).await.expect("an answer");
    let id = &fixture.record["dynamodb"]["SequenceNumber"];
    assert_eq!(json!(answer), json!({ "batchItemFailures": [{ "itemIdentifier": id }] }), "as Lambda reads it");
    assert_eq!((fixture.mails(), fixture.fake_mailer.accepted(&address("other")).len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn delivery_without_time_is_not_started_and_comes_again() {
    let fixture = InvitationFixture::new().await;
    let soon = || Deadline::after(Duration::ZERO);
    let event = json!({ "Records": [fixture.record] });
    let answer = handle(&fixture.process.outbox, &event, soon()).await.expect("an answer");
    assert_eq!(answer.failures.len(), 1);
    let swept = handle(&fixture.process.outbox, &sweep(), soon()).await.expect("an answer");
    assert_eq!((swept.failures.len(), fixture.mails()), (0, 0));
    fixture.invoke(&event, None).await;
    assert_eq!(fixture.mails(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_mail_leaves_no_link() {
    let fixture = InvitationFixture::new().await;
    fixture.fake_mailer.set_outcome(SendOutcome::Refused);
    fixture.invoke(&json!({ "Records": [fixture.record] }), None).await;
    assert_eq!(fixture.stack.stored(&fixture.id).await.expect("the guest").user.links.as_slice(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn invitation_requested_while_an_older_one_is_sent_is_sent_too() {
    for (outcome, first) in [(SendOutcome::Sent, 1), (SendOutcome::Refused, 0)] {
        let mut fixture = InvitationFixture::new().await;
        fixture.fake_mailer.set_outcome(SendOutcome::Refused);
        fixture.invoke(&json!({ "Records": [fixture.record] }), None).await;
        fixture.stack.clock.advance(WINDOW);
        fixture.fake_mailer.set_outcome(outcome);
        fixture.deliver_while(fixture.call(&format!("/user/{}/invite", fixture.id), &json!({}))).await;
        let waiting = fixture.stack.stored(&fixture.id).await.expect("the guest").mails;
        assert_eq!((fixture.mails(), waiting.len(), waiting[0].attempts), (first, 1, 0), "{outcome:?}");

        fixture.fake_mailer.set_outcome(SendOutcome::Sent);
        fixture.advance_time(false, WINDOW).await;
        assert_eq!(fixture.mails(), first + 1, "{outcome:?}");
        fixture.assert_consistent(&format!("{outcome:?}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn address_changed_while_a_mail_is_sent_to_the_old_one_may_be_sent_a_mail_at_once() {
    for outcome in [SendOutcome::Sent, SendOutcome::Refused] {
        let mut fixture = InvitationFixture::new().await;
        fixture.fake_mailer.set_outcome(outcome);
        let moved = json!({ "email": address("moved") });
        fixture.deliver_while(fixture.call(&format!("/user/{}", fixture.id), &moved)).await;
        fixture.fake_mailer.set_outcome(SendOutcome::Sent);
        let again = fixture.invite_again().await;
        fixture.invoke(&json!({ "Records": [again] }), None).await;
        assert_eq!(fixture.fake_mailer.accepted(&address("moved")).len(), 1, "{outcome:?}");
        assert_eq!(fixture.stack.audit().await, [], "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn address_whose_owner_is_deleted_while_its_mail_is_refused_is_free_for_the_next_owner() {
    for outcome in [SendOutcome::Refused, SendOutcome::Malformed, SendOutcome::Sent, SendOutcome::Lost] {
        let mut fixture = InvitationFixture::new().await;
        fixture.fake_mailer.set_outcome(outcome);
        let path = format!("/user/{}", fixture.id);
        let delete = fixture.stack.request("DELETE", &path).header("x-api-key", &fixture.fixtures.admin_1.key);
        fixture
            .deliver_while(Box::new(move || {
                let request = send(delete.try_clone().expect("a body that is no stream"));
                async move { assert_eq!(request.await.status, 200) }.boxed()
            }))
            .await;
        fixture.fake_mailer.set_outcome(SendOutcome::Sent);
        let body = json!({ "email": address("guest"), "first_name": "Ada", "last_name": "Roy", "status": "invited" });
        assert_eq!(fixture.stack.post("/user", &fixture.fixtures.admin_1.key, &body).await.status, 200);
        fixture.invoke(&sweep(), None).await;
        assert_eq!(
            fixture.mails(),
            1,
            "the next owner is sent a mail at once, unless the first was sent one: {outcome:?}"
        );
        // A sent mail blocks the address for five minutes. A mail with an unknown outcome blocks it until the claim ends.
        fixture.stack.clock.advance(if outcome == SendOutcome::Lost { LEASE } else { WINDOW });
        fixture.invoke(&sweep(), None).await;
        let all = if matches!(outcome, SendOutcome::Sent | SendOutcome::Lost) { 2 } else { 1 };
        assert_eq!((fixture.mails(), fixture.fake_mailer.too_soon()), (all, Vec::new()), "{outcome:?}");
        assert_eq!(fixture.stack.audit().await, [], "{outcome:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refusal_that_comes_after_the_claim_of_another_mailer_keeps_that_claim() {
    let mut fixture = InvitationFixture::new().await;
    let id = presence_domain::ids::UserId::parse(&fixture.id).expect("an id");
    let (clock, fake_mailer) = (Arc::clone(&fixture.stack.clock), Arc::clone(&fixture.fake_mailer));
    let other = MailerProcess::new(&fixture.stack, &fixture.fake_mailer).outbox;
    let late: Event = Box::new(move || {
        let (clock, fake_mailer, other) = (Arc::clone(&clock), Arc::clone(&fake_mailer), other.clone());
        async move {
            clock.advance(LEASE);
            fake_mailer.set_outcome(SendOutcome::Lost);
            assert_eq!(other.deliver(id).await.ok(), Some(DeliveryOutcome::Unknown));
            fake_mailer.set_outcome(SendOutcome::Refused);
        }
        .boxed()
    });
    fixture.deliver_while(late).await;
    assert_eq!(fixture.mails(), 1);
    fixture.fake_mailer.set_outcome(SendOutcome::Sent);
    fixture.advance_time(false, LEASE + WINDOW).await;
    fixture.assert_consistent("a late refusal").await;
}
