//! Deliveries to webhooks, as `cargo run` makes them: in order for each object, signed, tried again, and disabled.

mod expired;
mod receiver;
mod wakes;

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use presence_domain::webhook::signature::WebhookSecret;
use presence_local::{DynamoDb, Options};
use presence_tests::{TestStack, logs, long_timeouts, send};
use serde_json::{Value, json};

/// Longest wait for a delivery: a busy machine must not fail a test.
const PATIENCE: Duration = Duration::from_mins(2);

/// Stack with the sample, and a webhook of its organisation at the built-in receiver.
struct Hooked {
    stack: TestStack,
    key: String,
    id: String,
    secret: WebhookSecret,
    reviews: Vec<String>,
}

impl Hooked {
    /// Starts a stack whose webhook gets this answer.
    async fn start(answer: &str) -> Self {
        let stack = TestStack::with(Options { sample: true, publisher: true, mailer: true, ..long_timeouts() }).await;
        let key = stack.local.keys()["ORG_ADMIN"].clone();
        let page = stack.get("/reviews?state=not_treated&per_page=3", &key).await.json();
        let reviews = page["reviews"].as_array().expect("reviews").iter();
        let reviews = reviews.map(|review| review["id"].as_str().expect("an id").to_owned()).collect();
        let body = json!({ "url": url(&stack, answer), "types": ["review.*", "webhook.*"] });
        let made = stack.post("/webhooks", &key, &body).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let secret = WebhookSecret::parse(made.json()["secret"].as_str().expect("a secret")).expect("a secret");
        let id = made.json()["id"].as_str().expect("an id").to_owned();
        Self { stack, key, id, secret, reviews }
    }

    /// Changes the state of a review back and forth, so many times.
    async fn change(&self, review: &str, times: usize) {
        for state in ["treated", "not_treated"].into_iter().cycle().take(times) {
            let url = format!("{}/reviews/{review}", self.stack.local.base_url());
            let request = self.stack.request_at("PUT", &url).bearer_auth(&self.key).json(&json!({ "state": state }));
            assert_eq!(send(request).await.status, 200);
        }
    }

    /// Makes the built-in receiver answer in another way.
    async fn answer(&self, answer: &str) {
        self.move_to(&url(&self.stack, answer)).await;
    }

    /// Gives the webhook another URL.
    async fn move_to(&self, url: &str) {
        let path = format!("/webhooks/{}", self.id);
        let changed = self.stack.post(&path, &self.key, &json!({ "url": url })).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
    }

    /// Waits until the receiver has so many messages, and returns them.
    async fn wait_for(&self, count: usize) -> Vec<Value> {
        until(async || Some(messages_at(&self.stack).await).filter(|messages| messages.len() >= count)).await
    }

    async fn webhook(&self) -> Value {
        self.stack.get(&format!("/webhooks/{}", self.id), &self.key).await.json()
    }

    async fn wait_for_state(&self, state: &str) -> Value {
        until(async || Some(self.webhook().await).filter(|webhook| webhook["state"] == state)).await
    }

    async fn deliveries(&self) -> Vec<Value> {
        let page = self.stack.get(&format!("/webhooks/{}/deliveries?limit=100", self.id), &self.key).await.json();
        page["deliveries"].as_array().expect("deliveries").clone()
    }

    async fn post(&self, operation: &str, body: &Value) {
        let path = format!("/webhooks/{}/{operation}", self.id);
        let answer = self.stack.post(&path, &self.key, body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
}

/// Returns the messages that the built-in receiver of a stack got.
async fn messages_at(stack: &TestStack) -> Vec<Value> {
    let list = send(stack.request_at("GET", &format!("{}webhook-receiver.json", stack.local.home_url())));
    serde_json::from_str(&list.await.text).expect("JSON")
}

fn url(stack: &TestStack, answer: &str) -> String {
    format!("{}webhook-receiver/{answer}", stack.local.home_url())
}

async fn until<T>(look: impl AsyncFn() -> Option<T>) -> T {
    let found = async {
        loop {
            match look().await {
                Some(found) => return found,
                None => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("it comes")
}

fn assert_signed(message: &Value, secret: &WebhookSecret) {
    let text = |name: &str| message[name].as_str().expect("a header");
    let timestamp = text("webhook-timestamp").parse().expect("seconds");
    assert_eq!(text("webhook-signature"), secret.sign(text("webhook-id"), timestamp, text("body").as_bytes()));
}

fn body(message: &Value) -> Value {
    serde_json::from_str(message["body"].as_str().expect("a text")).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_signed_and_in_the_order_of_their_object() {
    let hooked = Hooked::start("ok").await;
    for review in &hooked.reviews {
        hooked.change(review, 5).await;
    }
    let messages = hooked.wait_for(15).await;
    let mut versions: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for message in &messages {
        assert_signed(message, &hooked.secret);
        let body = body(message);
        assert_eq!((&body["type"], &body["data"]["org_id"].is_u64()), (&json!("review.updated"), &true));
        assert_eq!(body["timestamp"], body["data"]["at"]);
        let review = body["data"]["id"].as_str().expect("an id").to_owned();
        versions.entry(review).or_default().push(body["data"]["version"].as_u64().expect("a version"));
    }
    assert_eq!(versions.len(), 3);
    for (review, versions) in versions {
        assert!(versions.len() == 5 && versions.is_sorted_by(|one, next| one < next), "{review}: {versions:?}");
    }
    let deliveries = until(async || Some(hooked.deliveries().await).filter(|list| list.len() == 15)).await;
    assert!(deliveries.iter().all(|delivery| delivery["state"] == "delivered"), "{deliveries:?}");
    assert!(deliveries.iter().all(|delivery| delivery["attempts"][0]["status"] == 204));
    let page = hooked.stack.get("/events?type__in=review.*&limit=100", &hooked.key).await.json();
    let fed: Vec<_> = page["events"].as_array().expect("events").iter().map(|event| &event["id"]).collect();
    assert!(messages.iter().all(|message| fed.contains(&&message["webhook-id"])), "the ids are those of the feed");
    // All of it again, from the beginning.
    let next = page["next"].as_str().expect("a cursor");
    let org = next.split('-').next().expect("an organisation");
    hooked.post("replay", &json!({ "after": format!("{org}-0") })).await;
    let again = hooked.wait_for(30).await;
    assert_eq!(again[15..].iter().filter(|message| fed.contains(&&message["webhook-id"])).count(), 15);
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_fails_is_tried_by_the_schedule_and_delays_no_other_object() {
    let hooked = Hooked::start("500").await;
    let [first, second, _] = &hooked.reviews[..] else { panic!("three reviews") };
    hooked.change(first, 2).await;
    hooked.wait_for(1).await;
    let failing = hooked.wait_for_state("failing").await;
    assert!(failing["failing_since"].is_string());
    hooked.stack.clock.advance(SignedDuration::from_secs(4));
    hooked.answer("503").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(messages_at(&hooked.stack).await.len(), 1, "the pause is five seconds");
    hooked.stack.clock.advance(SignedDuration::from_secs(1));
    hooked.wait_for(2).await;
    // The second event of the first review waits. That of another review does not.
    hooked.answer("ok").await;
    hooked.change(second, 1).await;
    let messages = hooked.wait_for(3).await;
    assert_eq!(body(&messages[2])["data"]["id"], **second);
    hooked.stack.clock.advance(SignedDuration::from_mins(5));
    let messages = hooked.wait_for(5).await;
    let answers: Vec<_> = messages.iter().map(|message| message["answer"].as_str().expect("a text")).collect();
    assert_eq!(answers, ["500", "503", "ok", "ok", "ok"]);
    assert_eq!(messages[0]["webhook-id"], messages[3]["webhook-id"]);
    assert!(body(&messages[3])["data"]["version"].as_u64() < body(&messages[4])["data"]["version"].as_u64());
    hooked.wait_for_state("enabled").await;
    let tried = |delivery: &&Value| delivery["attempts"].as_array().is_some_and(|attempts| attempts.len() == 3);
    let deliveries = hooked.deliveries().await;
    let delivery = deliveries.iter().find(tried).expect("three attempts");
    let statuses: Vec<_> =
        delivery["attempts"].as_array().expect("attempts").iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [&json!(500), &json!(503), &json!(204)]);
    assert_eq!(delivery["attempts"][0]["error"], "status 500");
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_gone_is_disabled_with_an_event_and_goes_on_where_it_stopped() {
    let hooked = Hooked::start("410").await;
    hooked.change(&hooked.reviews[0], 2).await;
    hooked.wait_for_state("disabled").await;
    assert_eq!(messages_at(&hooked.stack).await.len(), 1);
    let event = until(async || {
        let page = hooked.stack.get("/events?type__in=webhook.*", &hooked.key).await.json();
        page["events"].as_array().and_then(|events| events.first().cloned())
    });
    let event = event.await;
    assert_eq!((&event["type"], &event["data"]["id"]), (&json!("webhook.disabled"), &json!(hooked.id)));
    hooked.answer("ok").await;
    hooked.post("enable", &json!({})).await;
    let messages = hooked.wait_for(4).await;
    // The event of the webhook itself is of another object, and comes at any place.
    let is_review = |message: &&Value| body(message)["type"] == "review.updated";
    let reviews: Vec<_> = messages.iter().filter(is_review).map(|message| &message["webhook-id"]).collect();
    assert!(reviews.len() == 3 && reviews[0] == reviews[1] && reviews[1] != reviews[2], "{messages:?}");
    hooked.wait_for_state("enabled").await;
    assert_admins_are_told(&hooked).await;
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

/// Asserts that each active administrator of the organisation, and nobody else, gets one mail with the host of the webhook and no secret.
async fn assert_admins_are_told(hooked: &Hooked) {
    let admins = ["camille.bernard", "etienne.lefevre"].map(|name| format!("{name}@maison-verte.example"));
    let mailbox = format!("{}mailbox.json", hooked.stack.local.home_url());
    let mails = until(async || {
        let list = send(hooked.stack.request_at("GET", &mailbox)).await;
        serde_json::from_str::<Vec<Value>>(&list.text).ok().filter(|mails| mails.len() >= admins.len())
    });
    let mut mails = mails.await;
    mails.sort_unstable_by_key(|mail| mail["to"].to_string());
    assert_eq!(mails.iter().map(|mail| &mail["to"]).collect::<Vec<_>>(), admins.each_ref());
    let call = format!("POST /api/v2/webhooks/{}/enable", hooked.id);
    for form in mails.iter().flat_map(|mail| [&mail["html"], &mail["text"]]) {
        let form = form.as_str().expect("text");
        assert!(form.contains("127.0.0.1") && form.contains(&call), "{form}");
        assert!(!form.contains(hooked.secret.expose().as_str()) && !form.contains("webhook-receiver"), "{form}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forwarded_events_go_to_one_webhook_whose_secret_is_told_at_the_first_start() {
    let receiver = TestStack::start().await;
    let (folder, url) = (tempfile::tempdir().expect("a folder"), url(&receiver, "ok"));
    let options = || {
        let dynamodb = DynamoDb::Embedded { port: 0, data: Some(folder.path().to_owned()) };
        Options { sample: true, publisher: true, forward_events: Some(url.clone()), dynamodb, ..long_timeouts() }
    };
    let stack = TestStack::with(options()).await;
    let secret = stack.local.forwarding_secret().and_then(WebhookSecret::parse).expect("a secret");
    let key = stack.local.keys()["ORG_ADMIN"].clone();
    let review = stack.get("/reviews?state=not_treated&per_page=1", &key).await.json()["reviews"][0]["id"].take();
    let path = format!("{}/reviews/{}", stack.local.base_url(), review.as_str().expect("an id"));
    let change = stack.request_at("PUT", &path).bearer_auth(&key).json(&json!({ "state": "treated" }));
    assert_eq!(send(change).await.status, 200);
    let is_about = |message: &Value| body(message)["data"]["id"] == review;
    let message = until(async || messages_at(&receiver).await.into_iter().find(is_about)).await;
    assert_eq!(body(&message)["type"], "review.updated");
    assert_signed(&message, &secret);
    drop(stack);
    let stack = TestStack::with(options()).await;
    assert_eq!(stack.local.forwarding_secret(), None);
    let list = stack.get("/webhooks", &key).await.json();
    let urls = list["webhooks"].as_array().expect("webhooks").iter().filter(|webhook| webhook["url"] == *url).count();
    assert_eq!(urls, 1, "{list}");
    assert_eq!(logs::leaks(), Vec::<String>::new());
}
