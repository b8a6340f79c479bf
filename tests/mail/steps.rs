//! Each step of a delivery on its own: the instants at which it may happen, and what a batch is answered.

use std::sync::Arc;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use jiff::{SignedDuration, Timestamp};
use presence::clock::{Clock, ManualClock, deadline_in};
use presence::domain::invitation::{LinkStanding, WINDOW};
use presence::store::schema;
use presence_mailer::{Delivered, Mail, Mailer, Outcome, handle};
use presence_tests::{address, sdk_config, send};
use serde_json::{Value, json};

use super::office::{Fate, LEASE, Worker, deadline, record, sweep};
use super::scene::Scene;

/// How long SES may take to answer, by the client's own limit.
const SES_TIME: SignedDuration = SignedDuration::from_secs(8);

/// A clock of a process that is held up: each look at it takes as long as this.
struct Slow(Arc<ManualClock>, SignedDuration);

impl Clock for Slow {
    fn now(&self) -> Timestamp {
        self.0.advance(self.1);
        self.0.now()
    }
}

type Event = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// Sends, and something else happens meanwhile.
struct Meanwhile {
    event: Event,
    inner: Arc<dyn Mailer>,
}

impl Mailer for Meanwhile {
    fn send<'a>(&'a self, mail: &'a Mail) -> BoxFuture<'a, Outcome> {
        let event = (self.event)();
        async move {
            event.await;
            self.inner.send(mail).await
        }
        .boxed()
    }
}

impl Scene {
    /// Invites once more, and gives the record of the stream.
    async fn invite_again(&self) -> Value {
        assert_eq!(self.world.invite(&self.id, &self.cast.admin_1.key).await.status, 200);
        let stored = self.world.stored(&self.id).await.expect("the guest");
        record(&stored.mails[0], 2)
    }

    /// Delivers once, and this happens while the mail is sent.
    async fn deliver_while(&mut self, event: Event) {
        let inner = Arc::clone(&self.worker.outbox.mailer);
        self.worker.outbox.mailer = Arc::new(Meanwhile { event, inner: Arc::clone(&inner) });
        let id = presence::domain::ids::UserId::parse(&self.id).expect("an id");
        assert!(self.worker.outbox.deliver(id).await.is_ok());
        self.worker.outbox.mailer = inner;
    }

    /// A call of the API by the guest's administrator.
    fn call(&self, path: &str, body: &Value) -> Event {
        let asked = self.world.request("POST", path).header("x-api-key", &self.cast.admin_1.key).json(body);
        Box::new(move || {
            let asked = send(asked.try_clone().expect("no body that is a stream"));
            async move { assert_eq!(asked.await.status, 200) }.boxed()
        })
    }

    /// Makes what is stored of the guest a thing that nobody can read.
    async fn spoil(&self) {
        let client = aws_sdk_dynamodb::Client::from_conf(sdk_config(self.world.stack.database_url()));
        let text = |text: String| AttributeValue::S(text);
        let spoil = client.update_item().table_name(self.world.store().name(&schema::USERS));
        let spoil = spoil.key("pk", text(format!("USER#{}", self.id))).key("sk", text("USER".to_owned()));
        let spoil =
            spoil.update_expression("SET email = :none").expression_attribute_values(":none", text(String::new()));
        spoil.send().await.expect("DynamoDB answers");
    }

    async fn standing(&self, mail: usize) -> LinkStanding {
        let stored = self.world.stored(&self.id).await.expect("the guest");
        let token = self.office.taken(&address("guest"))[mail].token;
        stored.user.links.standing(token, self.world.clock.now())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_five_minutes_after_a_mail_the_next_is_sent_at_once_and_replaces_its_link() {
    let scene = Scene::set().await;
    scene.invoke(&json!({ "Records": [scene.record] }), None).await;
    assert_eq!(scene.standing(0).await, LinkStanding::Open);
    scene.world.clock.advance(WINDOW);
    let again = scene.invite_again().await;
    scene.invoke(&json!({ "Records": [again] }), None).await;
    assert_eq!(scene.mails(), 2);
    assert_eq!((scene.standing(0).await, scene.standing(1).await), (LinkStanding::Replaced, LinkStanding::Open));
    scene.nothing_is_wrong("five minutes later").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mailer_that_is_held_up_sends_only_while_its_claim_keeps_the_next_five_minutes_away() {
    let mut sent = 0;
    for seconds in [0, 3, 5, 6, 9, 20] {
        let mut scene = Scene::set().await;
        let id = presence::domain::ids::UserId::parse(&scene.id).expect("an id");
        scene.worker.outbox.clock = Arc::new(Slow(Arc::clone(&scene.world.clock), SignedDuration::from_secs(seconds)));
        scene.office.set_fate(Fate::Lost);
        assert_eq!(scene.worker.outbox.deliver(id).await.ok(), Some(Delivered::Unknown));
        let quiet_until = scene.world.stored(&scene.id).await.and_then(|stored| stored.user.quiet_until);
        for mail in scene.office.taken(&address("guest")) {
            let quiet = quiet_until.expect("a claim").duration_since(mail.at);
            assert!(quiet >= WINDOW + SES_TIME, "{seconds} s a look: another mail after {quiet:?}");
            sent += 1;
        }
    }
    assert!((1..6).contains(&sent), "{sent}: the quick ones send, the slow ones do not");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_whose_delivery_fails_is_named_in_the_answer_and_no_other() {
    let scene = Scene::set().await;
    let body = json!({ "email": address("other"), "first_name": "Ada", "last_name": "Roy", "status": "invited" });
    let created = scene.world.post("/user", &scene.cast.admin_1.key, &body).await.json();
    let other = scene.world.stored(created["id"].as_str().expect("an id")).await.expect("the other guest");
    scene.spoil().await;
    let event = json!({ "Records": [scene.record, record(&other.mails[0], 2)] });
    let answer = handle(&scene.worker.outbox, &event, deadline()).await.expect("an answer");
    let id = &scene.record["dynamodb"]["SequenceNumber"];
    assert_eq!(json!(answer), json!({ "batchItemFailures": [{ "itemIdentifier": id }] }), "as Lambda reads it");
    assert_eq!((scene.mails(), scene.office.taken(&address("other")).len()), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_there_is_no_time_for_is_not_begun_and_comes_again() {
    let scene = Scene::set().await;
    let soon = || deadline_in(Duration::ZERO);
    let event = json!({ "Records": [scene.record] });
    let answer = handle(&scene.worker.outbox, &event, soon()).await.expect("an answer");
    assert_eq!(answer.failures.len(), 1);
    let swept = handle(&scene.worker.outbox, &sweep(), soon()).await.expect("an answer");
    assert_eq!((swept.failures.len(), scene.mails()), (0, 0));
    scene.invoke(&event, None).await;
    assert_eq!(scene.mails(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_that_was_refused_leaves_no_link_behind() {
    let scene = Scene::set().await;
    scene.office.set_fate(Fate::Refused);
    scene.invoke(&json!({ "Records": [scene.record] }), None).await;
    assert_eq!(scene.world.stored(&scene.id).await.expect("the guest").user.links.as_slice(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_asked_for_while_an_older_one_is_sent_is_sent_too_however_that_ends() {
    for (fate, first) in [(Fate::Sent, 1), (Fate::Refused, 0)] {
        let mut scene = Scene::set().await;
        scene.office.set_fate(Fate::Refused);
        scene.invoke(&json!({ "Records": [scene.record] }), None).await;
        scene.world.clock.advance(WINDOW);
        scene.office.set_fate(fate);
        scene.deliver_while(scene.call(&format!("/user/{}/invite", scene.id), &json!({}))).await;
        let waiting = scene.world.stored(&scene.id).await.expect("the guest").mails;
        assert_eq!((scene.mails(), waiting.len(), waiting[0].attempts), (first, 1, 0), "{fate:?}");

        scene.office.set_fate(Fate::Sent);
        scene.go_on(false, WINDOW).await;
        assert_eq!(scene.mails(), first + 1, "{fate:?}");
        scene.nothing_is_wrong(&format!("{fate:?}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_changed_while_a_mail_is_sent_to_the_old_one_may_be_sent_a_mail_at_once() {
    for fate in [Fate::Sent, Fate::Refused] {
        let mut scene = Scene::set().await;
        scene.office.set_fate(fate);
        let moved = json!({ "email": address("moved") });
        scene.deliver_while(scene.call(&format!("/user/{}", scene.id), &moved)).await;
        scene.office.set_fate(Fate::Sent);
        let again = scene.invite_again().await;
        scene.invoke(&json!({ "Records": [again] }), None).await;
        assert_eq!(scene.office.taken(&address("moved")).len(), 1, "{fate:?}");
        assert_eq!(scene.world.audit().await, [], "{fate:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_whose_owner_is_deleted_while_its_mail_is_refused_is_free_for_the_next_owners_mail() {
    for fate in [Fate::Refused, Fate::Malformed, Fate::Sent, Fate::Lost] {
        let mut scene = Scene::set().await;
        scene.office.set_fate(fate);
        let path = format!("/user/{}", scene.id);
        let delete = scene.world.request("DELETE", &path).header("x-api-key", &scene.cast.admin_1.key);
        scene
            .deliver_while(Box::new(move || {
                let asked = send(delete.try_clone().expect("no body that is a stream"));
                async move { assert_eq!(asked.await.status, 200) }.boxed()
            }))
            .await;
        scene.office.set_fate(Fate::Sent);
        let body = json!({ "email": address("guest"), "first_name": "Ada", "last_name": "Roy", "status": "invited" });
        assert_eq!(scene.world.post("/user", &scene.cast.admin_1.key, &body).await.status, 200);
        scene.invoke(&sweep(), None).await;
        assert_eq!(scene.mails(), 1, "the next owner's at once, unless the first one's was sent: {fate:?}");
        // What was sent keeps the address quiet for five minutes, and what may have been until the claim ends.
        scene.world.clock.advance(if fate == Fate::Lost { LEASE } else { WINDOW });
        scene.invoke(&sweep(), None).await;
        let all = if matches!(fate, Fate::Sent | Fate::Lost) { 2 } else { 1 };
        assert_eq!((scene.mails(), scene.office.too_soon()), (all, Vec::new()), "{fate:?}");
        assert_eq!(scene.world.audit().await, [], "{fate:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_that_comes_after_another_mailers_claim_leaves_that_claim_alone() {
    let mut scene = Scene::set().await;
    let id = presence::domain::ids::UserId::parse(&scene.id).expect("an id");
    let (clock, office) = (Arc::clone(&scene.world.clock), Arc::clone(&scene.office));
    let other = Worker::new(&scene.world, &scene.office).outbox;
    let late: Event = Box::new(move || {
        let (clock, office, other) = (Arc::clone(&clock), Arc::clone(&office), other.clone());
        async move {
            clock.advance(LEASE);
            office.set_fate(Fate::Lost);
            assert_eq!(other.deliver(id).await.ok(), Some(Delivered::Unknown));
            office.set_fate(Fate::Refused);
        }
        .boxed()
    });
    scene.deliver_while(late).await;
    assert_eq!(scene.mails(), 1);
    scene.office.set_fate(Fate::Sent);
    scene.go_on(false, LEASE + WINDOW).await;
    scene.nothing_is_wrong("a late refusal").await;
}
