//! Fixture of a stack whose streams a test hands to the publisher, and changes of every kind with canaries in every text.

use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::{ActivationToken, AddressMark, MarkReason};
use presence_domain::review::{Rating, Review, ReviewState};
use presence_local::TableStream;
use presence_mailer::DeliveryOutcome;
use presence_publisher::EventBridge;
use presence_publisher::handle;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Clock as _;
use presence_store::ReviewWrite;
use presence_store::schema::{AUDIT, REVIEWS, USERS};
use presence_tests::ConnectorLayer as _;
use presence_tests::logs::{NAME_CANARY, PHONE_CANARY};
use presence_tests::{CrashConnector, CrashPoint, Fixtures, SEEDED_WEBHOOK, TestStack, address, in_process_client};
use serde_json::{Value, json};

use crate::api::reviews::fixtures::{seeded_review, write_reviews};

/// Business of the reviews.
const BUSINESS: &str = "shop-1";

/// Stack, with the streams of its tables from the end of the set-up on.
pub(crate) struct EventFixture {
    pub(crate) stack: TestStack,
    pub(crate) fixtures: Fixtures,
    streams: Vec<TableStream>,
    pub(super) crashes: CrashConnector,
    bus: EventBridge,
}

/// Returns a deadline that no test reaches, even on a busy machine.
pub(super) fn deadline() -> presence_runtime::clock::Deadline {
    presence_runtime::clock::Deadline::after(std::time::Duration::from_mins(10))
}

/// Returns the part of a batch that Lambda hands over again; `None` if all is done.
pub(crate) fn remaining(batch: &Value, answer: &BatchResponse) -> Option<Value> {
    let failed = &answer.failures.first()?.id;
    let records = batch["Records"].as_array().expect("records");
    let first = records.iter().position(|record| record["dynamodb"]["SequenceNumber"] == failed.as_str());
    let mut rest = batch.clone();
    rest["Records"] = json!(records[first.expect("a record of the batch")..]);
    Some(rest)
}

impl EventFixture {
    pub(crate) async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        stack.create_business(1, BUSINESS, "Paris").await;
        let org = OrgId::new(1).expect("an id");
        stack.stores().reviews.register_org_with_reviews(org).await.expect("the store answers");
        let config = presence_local::sdk_config(stack.local.database_url());
        let mut streams = Vec::new();
        for table in [&AUDIT, &USERS, &REVIEWS] {
            let stream = TableStream::open(&config, &stack.stores().database.name(table)).await;
            streams.push(stream.expect("the database answers").expect("a stream"));
        }
        let crashes = CrashConnector::new();
        let config = presence_local::sdk_config(&stack.local.event_bridge_url()).into_builder();
        let config = config.http_client(SharedHttpClient::new(crashes.over(in_process_client()))).build();
        Self { stack, fixtures, streams, crashes, bus: EventBridge::new(&config, "presence".to_owned()) }
    }

    /// Returns the batches of all streams since the last call: those of the audit trail, of the users and of the reviews.
    pub(crate) async fn batches(&mut self) -> Vec<Value> {
        let mut batches = Vec::new();
        for stream in &mut self.streams {
            while let Some(batch) = stream.next_batch().await.expect("a stream") {
                batches.push(batch);
            }
        }
        batches
    }

    /// Invokes the publisher, which dies at the call if one is given. Returns its answer; `None` if it died.
    pub(super) async fn invoke(&self, batch: &Value, crashes_at: Option<(u64, CrashPoint)>) -> Option<BatchResponse> {
        self.crashes.run(crashes_at, handle(&self.bus, batch, deadline())).await
    }

    /// Hands all new batches over, and again what failed. Returns all events that the bus has taken so far.
    pub(super) async fn publish(&mut self) -> Vec<Value> {
        for batch in self.batches().await {
            let mut next = Some(batch);
            while let Some(batch) = next {
                let answer = self.invoke(&batch, None).await.expect("an answer");
                next = remaining(&batch, &answer);
            }
        }
        self.stack.local.events().events()
    }

    /// Creates an invited user with canaries by an `ORG_ADMIN`, and returns its id.
    pub(crate) async fn invite(&self, local: &str) -> String {
        let body = json!({
            "email": address(local), "first_name": format!("Ada {NAME_CANARY}"), "last_name": NAME_CANARY, "lang": "fr",
            "phone": format!("{PHONE_CANARY}1"), "status": "invited", "business_ids": ["b1-1"],
        });
        let created = self.stack.post("/user", &self.fixtures.admin_1.key, &body).await;
        created.json()["id"].as_str().expect("an id").to_owned()
    }

    pub(crate) async fn deliver(&self, id: &str) -> DeliveryOutcome {
        let id = UserId::parse(id).expect("an id");
        Box::pin(self.stack.local.outbox().deliver(id)).await.expect("an outcome")
    }

    /// Makes a change of each kind, and some that no event tells of. Returns the ids of the users.
    pub(crate) async fn change_everything(&self) -> [String; 2] {
        let first = self.invite("guest").await;
        assert_eq!(self.deliver(&first).await, DeliveryOutcome::Sent);
        let mails = self.stack.local.mailbox().mails();
        let token = mails.last().and_then(|mail| mail.links.first()?.rsplit_once("token=")).expect("a link").1;
        let token = ActivationToken::parse(token).expect("a token");
        assert_eq!(self.stack.accept(&first, &token, "canary-pass-1").await.status, 200);
        let (key, path) = (&self.fixtures.admin_1.key, format!("/user/{first}"));
        let keys = format!("{path}/keys");
        let issued = self.stack.post(&keys, key, &json!({ "label": NAME_CANARY })).await.json();
        let old = format!("{keys}/{}", issued["id"].as_str().expect("an id"));
        assert_eq!(self.stack.post(&format!("{old}/rotate"), key, &json!({})).await.status, 200);
        for _ in 0..2 {
            assert_eq!(self.stack.delete(&old, key).await.status, 200, "the second time changes nothing");
        }
        let change = json!({ "phone": format!("{PHONE_CANARY}2"), "first_name": format!("Zoë {NAME_CANARY}") });
        assert_eq!(self.stack.post(&path, key, &change).await.status, 200);
        assert_eq!(self.stack.post(&path, key, &change).await.status, 200, "no change");
        assert_eq!(self.stack.delete(&path, key).await.status, 200);
        let second = self.invite("bounced").await;
        let mark = AddressMark { reason: MarkReason::Bounced, at: self.stack.clock.now() };
        let email = EmailAddress::parse(&address("bounced")).expect("an address");
        self.stack.stores().users.mark_address(email.key(), mark).await.expect("an answer");
        assert_eq!(self.deliver(&second).await, DeliveryOutcome::GivenUp);
        self.stack.disable_webhook(SEEDED_WEBHOOK).await;
        self.change_review().await;
        self.reply_to_review().await;
        [first, second]
    }

    /// Stores another review, replies to it twice, and takes the reply back. The partner publishes the first reply and refuses the second.
    async fn reply_to_review(&self) {
        let business_id = BusinessId::parse(BUSINESS).expect("an id");
        let state = ReviewState::NotTreated;
        let new = Review {
            business_id,
            org_id: OrgId::new(1).expect("an id"),
            city_key: "paris".to_owned(),
            state,
            ..seeded_review("b")
        };
        let path = format!("/reviews/{}/reply", new.id.as_str());
        write_reviews(&self.stack, vec![ReviewWrite { old: None, new }]).await;
        let (admin, provider) = (&self.fixtures.admin_1.key, &self.fixtures.provider.key);
        let send = async |key: &str, method: &str, path: &str, body: Value| {
            let request = self.stack.request(method, path).header("x-api-key", key);
            let reply = presence_tests::send(if body.is_null() { request } else { request.json(&body) }).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
        };
        for (version, outcome) in [(1, "published"), (2, "rejected"), (3, "removed")] {
            match version {
                3 => send(admin, "DELETE", &path, Value::Null).await,
                _ => send(admin, "PUT", &path, json!({ "content": format!("{NAME_CANARY} {version}") })).await,
            }
            let report = json!({ "version": version, "outcome": outcome, "reason": NAME_CANARY });
            send(provider, "POST", &format!("{path}/outcome"), report).await;
        }
    }

    /// Stores a review with canaries, edits it, moves its city, and deletes it.
    async fn change_review(&self) {
        let canary = || Some(format!("{NAME_CANARY} of {}", address("author")));
        let business_id = BusinessId::parse(BUSINESS).expect("an id");
        let created = Review {
            business_id,
            org_id: OrgId::new(1).expect("an id"),
            key: NAME_CANARY.to_owned(),
            partner_id: NAME_CANARY.to_owned(),
            author_name: canary(),
            content: canary(),
            reply_comment: None,
            title: None,
            link: None,
            state: ReviewState::NotTreated,
            ..seeded_review("a")
        };
        let answered =
            Review { reply_comment: canary(), rating: Rating::ALL[0], state: ReviewState::Treated, ..created.clone() };
        let moved = Review { version: 2, city_key: "lyon".to_owned(), ..answered.clone() };
        let day = Some("2026-03-01".parse().expect("a day"));
        let deleted = Review { version: 3, state: ReviewState::Deleted, delete_date: day, ..moved.clone() };
        let answered = Review { version: 1, ..answered };
        let steps =
            [(None, &created), (Some(&created), &answered), (Some(&answered), &moved), (Some(&moved), &deleted)];
        for (number, (old, new)) in (0..).zip(steps) {
            let old = old.map(|old| Review { version: number, ..old.clone() });
            write_reviews(&self.stack, vec![ReviewWrite { old, new: new.clone() }]).await;
        }
    }
}
