//! Bounces and complaints: the address is marked, invitations to it are refused with the reason, and no mail is sent to it.

use jiff::{SignedDuration, Timestamp};
use presence_domain::email::EmailAddress;
use presence_domain::ids::UserId;
use presence_domain::invitation::{AddressMark, MarkReason, MessageState, WINDOW};
use presence_local::{Options, SesMode};
use presence_mailer::{DeliveryOutcome, handle};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Clock as _;
use presence_tests::logs::{self, ADDRESS_CANARY};
use presence_tests::{Fixtures, Reply, TestStack, address, long_timeouts};
use serde_json::{Value, json};

use super::fake_mailer::{deadline, sweep};

/// Stack whose mailer a test invokes step by step.
struct FeedbackFixture {
    stack: TestStack,
    fixtures: Fixtures,
}

/// Returns an address of SES's mailbox simulator, with a label that no log may contain.
fn simulator(name: &str) -> String {
    format!("{name}+{ADDRESS_CANARY}-1@simulator.amazonses.com")
}

fn key(address: &str) -> String {
    EmailAddress::parse(address).expect("an address").key().to_owned()
}

impl FeedbackFixture {
    async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        Self { stack, fixtures }
    }

    async fn create(&self, email: &str, status: &str) -> Reply {
        let body = json!({ "email": email, "first_name": "Zoë", "last_name": "Roy", "status": status });
        self.stack.post("/user", &self.fixtures.admin_1.key, &body).await
    }

    /// Creates an invited user and returns its id.
    async fn create_invited(&self, email: &str) -> String {
        self.create(email, "invited").await.json()["id"].as_str().expect("an id").to_owned()
    }

    async fn invite(&self, id: &str) -> Reply {
        self.stack.invite(id, &self.fixtures.admin_1.key).await
    }

    async fn update(&self, id: &str, change: &Value) -> Reply {
        self.stack.post(&format!("/user/{id}"), &self.fixtures.admin_1.key, change).await
    }

    async fn deliver(&self, id: &str) -> DeliveryOutcome {
        let id = UserId::parse(id).expect("an id");
        Box::pin(self.stack.local.outbox().deliver(id)).await.expect("an outcome")
    }

    /// Hands an event to the mailer. Returns the names of the metrics that it logs.
    async fn receive(&self, event: &Value) -> Vec<String> {
        let handled = handle(self.stack.local.outbox(), event, deadline());
        let (answer, metrics) = logs::with_metrics(handled).await;
        assert_eq!(answer.expect("an answer"), BatchResponse::default());
        metrics.into_iter().map(|(name, _)| name).collect()
    }

    /// Sends the mail of a user, and hands SES's feedback to the mailer. Returns the event, if there is one.
    async fn deliver_with_feedback(&self, id: &str) -> Option<Value> {
        assert_eq!(self.deliver(id).await, DeliveryOutcome::Sent);
        let event = self.stack.local.mailbox().take_feedback();
        if let Some(event) = &event {
            let metrics = self.receive(event).await;
            let address = event["detail"]["mail"]["destination"][0].as_str().expect("an address");
            let mark = self.mark(address).await;
            let expected = mark.map(|mark| format!("mails_{}", mark.reason.as_str()));
            assert_eq!(metrics, Vec::from_iter(expected), "{event}");
        }
        event
    }

    async fn mark(&self, email: &str) -> Option<AddressMark> {
        self.stack.stores().users.address_mark(&key(email)).await.expect("an answer")
    }

    async fn clear_mark(&self, email: &str, at: Timestamp) -> bool {
        self.stack.stores().users.clear_address_mark(&key(email), at).await.expect("an answer")
    }
}

/// Asserts that a request was refused because of the mark of the address.
#[track_caller]
fn assert_refused(what: &str, reply: &Reply, mark: AddressMark) {
    let expected = json!({ "errors": { "json": { "email": mark.text() } } });
    assert_eq!((reply.status, reply.json()), (400, expected), "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bounced_or_complained_address_is_invited_no_more_until_it_is_corrected() {
    let fixture = FeedbackFixture::new().await;
    for (name, reason, text) in [
        ("bounce", MarkReason::Bounced, "mail to this address bounced on "),
        ("suppressionlist", MarkReason::Bounced, "mail to this address bounced on "),
        ("complaint", MarkReason::Complained, "mail to this address was reported as spam on "),
    ] {
        let id = fixture.create_invited(&simulator(name)).await;
        assert!(fixture.deliver_with_feedback(&id).await.is_some(), "{name}");
        let mark = fixture.mark(&simulator(name)).await.expect("a mark");
        assert_eq!(mark.reason, reason, "{name}");
        assert!(mark.text().starts_with(text), "{name}: {}", mark.text());
        assert_refused("within five minutes", &fixture.invite(&id).await, mark);
        fixture.stack.clock.advance(WINDOW);
        let before = fixture.stack.snapshot().await;
        assert_refused("after five minutes", &fixture.invite(&id).await, mark);
        assert_eq!(fixture.stack.snapshot().await, before, "{name}: nothing was written");

        let corrected = address(&format!("corrected-{name}"));
        assert_eq!(fixture.update(&id, &json!({ "email": corrected })).await.status, 200, "{name}");
        assert_eq!(fixture.invite(&id).await.status, 200, "{name}");
        assert_eq!(fixture.deliver_with_feedback(&id).await, None, "{name}");
        assert_eq!(fixture.stack.local.mailbox().mails().last().map(|mail| mail.to.clone()), Some(corrected));
    }
    assert_eq!(fixture.stack.audit().await, []);
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn only_requests_that_send_a_mail_are_refused_for_a_marked_address() {
    let fixture = FeedbackFixture::new().await;
    let bounced = simulator("bounce");
    let id = fixture.create_invited(&bounced).await;
    fixture.deliver_with_feedback(&id).await;
    let mark = fixture.mark(&bounced).await.expect("a mark");
    assert_eq!(fixture.stack.delete(&format!("/user/{id}"), &fixture.fixtures.admin_1.key).await.status, 200);
    fixture.stack.clock.advance(WINDOW);
    assert_refused("created as invited", &fixture.create(&bounced, "invited").await, mark);

    let active = fixture.create(&bounced.to_uppercase(), "active").await;
    assert_eq!(active.status, 200, "an active user is sent no mail: {}", active.text);
    let id = active.json()["id"].as_str().expect("an id").to_owned();
    assert_refused("becomes invited", &fixture.update(&id, &json!({ "status": "invited" })).await, mark);
    assert_eq!(fixture.update(&id, &json!({ "last_name": "King" })).await.status, 200);
    let moved = json!({ "status": "invited", "email": address("corrected") });
    assert_eq!(fixture.update(&id, &moved).await.status, 200, "with another address");
    assert_eq!(fixture.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn arrived_mails_and_transient_bounces_change_nothing() {
    let fixture = FeedbackFixture::new().await;
    for (name, is_reported) in [("success", false), ("ooto", true)] {
        let id = fixture.create_invited(&simulator(name)).await;
        assert_eq!(fixture.deliver_with_feedback(&id).await.is_some(), is_reported, "{name}");
        assert_eq!(fixture.mark(&simulator(name)).await, None, "{name}");
        fixture.stack.clock.advance(WINDOW);
        assert_eq!(fixture.invite(&id).await.status, 200, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_and_late_feedback_changes_nothing_and_a_new_bounce_marks_again() {
    let fixture = FeedbackFixture::new().await;
    let bounced = simulator("bounce");
    let id = fixture.create_invited(&bounced).await;
    let event = fixture.deliver_with_feedback(&id).await.expect("an event");
    let mark = fixture.mark(&bounced).await.expect("a mark");

    let mut earlier = event.clone();
    earlier["detail"]["bounce"]["timestamp"] = json!("2026-01-01T00:00:00.000Z");
    for repeated in [&event, &earlier] {
        let before = fixture.stack.snapshot().await;
        assert_eq!(fixture.receive(repeated).await, Vec::<String>::new(), "nothing is counted twice");
        assert_eq!(fixture.stack.snapshot().await, before);
    }
    assert!(fixture.clear_mark(&bounced, mark.at + SignedDuration::from_secs(60)).await);
    assert!(!fixture.clear_mark(&bounced, mark.at + SignedDuration::from_secs(90)).await, "it is cleared already");
    assert_eq!(fixture.receive(&event).await, Vec::<String>::new());
    assert_eq!(fixture.mark(&bounced).await, None, "a late copy of the old event");
    fixture.stack.clock.advance(WINDOW);
    assert_eq!(fixture.invite(&id).await.status, 200);

    let mut later = event;
    later["detail"]["bounce"]["timestamp"] = json!("2099-01-01T00:00:00.000Z");
    assert_eq!(fixture.receive(&later).await, ["mails_bounced"]);
    assert_eq!(fixture.mark(&bounced).await.map(|mark| mark.text().contains("2099-01-01")), Some(true));
    assert_eq!(fixture.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_feedback_changes_nothing_and_is_logged_without_its_content() {
    let fixture = FeedbackFixture::new().await;
    let before = fixture.stack.snapshot().await;
    let bounce = |recipients: Value, timestamp: &str| json!({ "bounceType": "Permanent", "bouncedRecipients": recipients, "timestamp": timestamp });
    for detail in [
        Value::Null,
        json!("canary-mail"),
        json!({}),
        json!({ "bounce": { "bounceType": "Permanent" } }),
        json!({ "bounce": bounce(json!([{ "emailAddress": address("guest") }]), "yesterday at canary-mail") }),
        json!({ "bounce": bounce(json!([{ "emailAddress": format!("{} <no>", address("guest")) }]), "2026-03-01T12:00:00Z") }),
        json!({ "bounce": bounce(json!({ "emailAddress": address("guest") }), "2026-03-01T12:00:00Z") }),
        json!({ "complaint": { "complainedRecipients": [], "timestamp": "2026-03-01T12:00:00Z" } }),
    ] {
        let event = json!({ "source": "aws.ses", "detail-type": "Email Bounced", "detail": detail });
        assert_eq!(fixture.receive(&event).await, Vec::<String>::new(), "{event}");
        assert_eq!(fixture.stack.snapshot().await, before, "{event}");
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_mail_to_a_marked_address_is_given_up_and_sent_once_the_mark_is_cleared() {
    let fixture = FeedbackFixture::new().await;
    let guest = address("guest");
    let id = fixture.create_invited(&guest).await;
    fixture.stack.local.mailbox().set_ses_mode(SesMode::Throttle);
    assert_eq!(fixture.deliver(&id).await, DeliveryOutcome::Refused);
    let refused = fixture.stack.stored(&id).await.expect("the guest").mails.remove(0);
    assert_eq!(refused.last_refusal.as_deref(), Some("TooManyRequestsException"));

    fixture.stack.local.mailbox().set_ses_mode(SesMode::Accept);
    let mark = AddressMark { reason: MarkReason::Bounced, at: fixture.stack.clock.now() };
    assert!(fixture.stack.stores().users.mark_address(&key(&guest), mark).await.expect("an answer"));
    fixture.stack.clock.advance(SignedDuration::from_secs(60));
    let (_, metrics) = logs::with_metrics(handle(fixture.stack.local.outbox(), &sweep(), deadline())).await;
    assert!(metrics.iter().any(|(name, value)| name == "mails_failed" && *value > 0.0), "{metrics:?}");
    let given_up = fixture.stack.stored(&id).await.expect("the guest").mails.remove(0);
    assert_eq!((given_up.state, given_up.last_refusal.as_deref()), (MessageState::Failed, Some("AddressBounced")));

    let users = &fixture.stack.stores().users;
    assert!(users.retry_mail(&given_up.id, fixture.stack.clock.now()).await.expect("an answer"));
    assert_eq!(fixture.deliver(&id).await, DeliveryOutcome::GivenUp, "the mark is still there");
    assert_eq!(fixture.stack.local.mailbox().mails().len(), 0);
    assert!(fixture.clear_mark(&guest, fixture.stack.clock.now()).await);
    assert!(users.retry_mail(&given_up.id, fixture.stack.clock.now()).await.expect("an answer"));
    assert_eq!(fixture.deliver(&id).await, DeliveryOutcome::Sent);
    assert_eq!(fixture.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn local_stack_hands_feedback_to_the_mailer_by_itself() {
    let stack = TestStack::with(Options { mailer: true, ..long_timeouts() }).await;
    let fixture = FeedbackFixture { fixtures: Fixtures::create(&stack).await, stack };
    let id = fixture.create_invited(&simulator("complaint")).await;
    let mark = loop {
        if let Some(mark) = fixture.mark(&simulator("complaint")).await {
            break mark;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    assert_refused("invited again", &fixture.invite(&id).await, mark);
}
