//! Changes with an `Idempotency-Key`: the same request again gets the first answer, and changes nothing.

use jiff::SignedDuration;
use presence_domain::rate_limit::RateLimit;
use presence_local::Options;
use presence_store::schema::API_KEYS;
use presence_tests::{Fixtures, Reply, TestStack, address, logs, long_timeouts, send};
use serde_json::{Value, json};

/// Request of a change, without its idempotency key.
#[derive(Clone)]
struct Change {
    method: &'static str,
    path: String,
    key: String,
    body: Option<Value>,
}

impl Change {
    fn post(path: &str, key: &str, body: &Value) -> Self {
        Self { method: "POST", path: path.to_owned(), key: key.to_owned(), body: Some(body.clone()) }
    }

    fn without_body(method: &'static str, path: String, key: &str) -> Self {
        Self { method, path, key: key.to_owned(), body: None }
    }

    fn request(&self, stack: &TestStack) -> reqwest::RequestBuilder {
        let request = stack.request(self.method, &self.path).header("x-api-key", &self.key);
        match &self.body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        }
    }

    /// Sends the request with an idempotency key.
    async fn send(&self, stack: &TestStack, idempotency_key: &str) -> Reply {
        send(self.request(stack).header("idempotency-key", idempotency_key)).await
    }
}

fn new_user(local: &str) -> Value {
    json!({"email": address(local), "first_name": "Ada", "last_name": "Lovelace", "status": "invited"})
}

/// Returns a header value of any text.
fn value(text: &str) -> reqwest::header::HeaderValue {
    reqwest::header::HeaderValue::from_bytes(text.as_bytes()).expect("no control characters")
}

/// Returns every item but the kept answers.
async fn state(stack: &TestStack) -> Vec<String> {
    let mut items = stack.snapshot().await;
    items.retain(|item| !item.contains("ANSWER#"));
    items
}

/// Returns the kept answers.
async fn answers(stack: &TestStack) -> Vec<String> {
    let mut items = stack.items(&stack.stores().database.name(&API_KEYS)).await;
    items.retain(|item| item.contains("ANSWER#"));
    items
}

#[track_caller]
fn assert_first(reply: &Reply) {
    assert_eq!((reply.status, reply.header("idempotency-replayed")), (200, ""), "{}", reply.text);
    assert!(logs::request_line(reply.header("x-request-id"))["replayed"].is_null());
}

#[track_caller]
fn assert_replayed(reply: &Reply, first: &Reply) {
    let told = (reply.status, reply.header("idempotency-replayed"), reply.text.as_str());
    assert_eq!(told, (200, "true", first.text.as_str()));
    assert_ne!(reply.header("x-request-id"), first.header("x-request-id"));
    assert_eq!(logs::request_line(reply.header("x-request-id"))["replayed"], json!(1));
}

#[track_caller]
fn assert_other_body(reply: &Reply) {
    let text = "this Idempotency-Key was used with another body: use a new one for another request";
    assert_eq!((reply.status, reply.json()), (422, json!({"errors": {"json": text}})));
}

/// Returns a change of each operation that succeeds.
fn changes(fixtures: &Fixtures) -> Vec<Change> {
    let key = &fixtures.admin_1.key;
    let path = |id: &str| format!("/user/{id}");
    vec![
        Change::post("/user", key, &new_user("once")),
        Change::post(&path(&fixtures.other_manager_1.id), key, &json!({"phone": "+33 4"})),
        Change::post(&path(&fixtures.other_manager_1.id), key, &json!({})),
        Change::without_body("POST", format!("{}/invite", path(&fixtures.invited_1.id)), key),
        Change::without_body("DELETE", path(&fixtures.manager_1.id), key),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_change_again_gets_the_first_answer_and_changes_nothing() {
    let (stack, fixtures) = Fixtures::start().await;
    for (number, change) in changes(&fixtures).into_iter().enumerate() {
        let idempotency_key = format!("key {number}");
        let first = change.send(&stack, &idempotency_key).await;
        assert_first(&first);
        let before = stack.snapshot().await;
        for _ in 0..2 {
            assert_replayed(&change.send(&stack, &idempotency_key).await, &first);
        }
        assert_eq!(stack.snapshot().await, before, "{} {}", change.method, change.path);
        assert_eq!(answers(&stack).await.len(), number + 1);
    }
    assert_eq!(stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_for_one_body_however_it_is_written_and_of_the_password_only_the_presence_counts() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let body = json!({"email": address("once"), "first_name": "Ada", "last_name": "L", "password": "canary-pass-1"});
    let first = Change::post("/user", key, &body).send(&stack, "k").await;
    assert_first(&first);
    let before = stack.snapshot().await;
    let mut other_password = body.clone();
    other_password["password"] = json!("canary-pass-2");
    assert_replayed(&Change::post("/user", key, &other_password).send(&stack, "k").await, &first);
    // Another order, other escapes, and the API key in the body.
    let email = address("once");
    let written = format!(
        r#"{{ "api_key": "{key}", "password": "canary-pass-1", "last_name": "\u004c", "first_name": "Ada", "email": "{email}" }}"#
    );
    let request =
        stack.request("POST", "/user").header("idempotency-key", "k").header("content-type", "application/json");
    assert_replayed(&send(request.body(written)).await, &first);
    for (field, value) in
        [("first_name", json!("Eve")), ("password", Value::Null), ("phone", json!("1")), ("nonsense", json!(1))]
    {
        let mut other = body.clone();
        other[field] = value;
        assert_other_body(&Change::post("/user", key, &other).send(&stack, "k").await);
    }
    assert_eq!(stack.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_counts_for_its_caller_its_method_and_its_path() {
    let (stack, fixtures) = Fixtures::start().await;
    let (key, colleague) = (&fixtures.admin_1.key, &fixtures.other_admin_1.key);
    let phone = json!({"phone": "+33 4"});
    let path = |id: &str| format!("/user/{id}");
    let first = Change::post(&path(&fixtures.manager_1.id), key, &phone).send(&stack, "k").await;
    assert_first(&first);
    assert_first(&Change::post(&path(&fixtures.other_manager_1.id), key, &phone).send(&stack, "k").await);
    assert_first(&Change::post(&path(&fixtures.manager_1.id), colleague, &phone).send(&stack, "k").await);
    // Another key of the same user is the same caller.
    let second_key = stack.issue_key(&fixtures.admin_1.id).await;
    assert_replayed(&Change::post(&path(&fixtures.manager_1.id), &second_key, &phone).send(&stack, "k").await, &first);
    let deleted = Change::without_body("DELETE", path(&fixtures.manager_1.id), key).send(&stack, "k").await;
    assert_first(&deleted);
    assert_replayed(&Change::post(&path(&fixtures.manager_1.id), key, &phone).send(&stack, "k").await, &first);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_repeated_after_the_check_of_the_key_and_before_any_other() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.other_admin_1.key;
    let change = Change::post("/user", key, &new_user("once"));
    let first = change.send(&stack, "k").await;
    let own = format!("/user/{}", fixtures.other_admin_1.id);
    let demotion = json!({"role": "BUSINESS_MANAGER"});
    assert_eq!(stack.post(&own, &fixtures.admin_1.key, &demotion).await.status, 200);
    assert_eq!(change.send(&stack, "other").await.status, 403, "the caller may create users no more");
    assert_replayed(&change.send(&stack, "k").await, &first);
    assert_eq!(stack.delete(&own, &fixtures.admin_1.key).await.status, 200);
    let refused = change.send(&stack, "k").await;
    assert_eq!((refused.status, refused.header("idempotency-replayed")), (401, ""));
    assert!(!refused.text.contains("success"));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_requests_that_fail_are_not_kept() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let mut body = new_user("once");
    body["first_name"] = json!("");
    assert_eq!(Change::post("/user", key, &body).send(&stack, "k").await.status, 400);
    let first = Change::post("/user", key, &new_user("once")).send(&stack, "k").await;
    assert_first(&first);
    let taken = Change::post("/user", key, &new_user("once"));
    assert_eq!(taken.send(&stack, "l").await.status, 400);
    let path = format!("/user/{}", first.json()["id"].as_str().expect("an id"));
    assert_eq!(stack.delete(&path, key).await.status, 200);
    assert_first(&taken.send(&stack, "l").await);
    let invite = Change::without_body("POST", format!("/user/{}/invite", fixtures.invited_1.id), key);
    assert_eq!(stack.invite(&fixtures.invited_1.id, key).await.status, 200);
    assert_eq!(invite.send(&stack, "m").await.status, 429);
    stack.clock.advance(SignedDuration::from_mins(5));
    assert_first(&invite.send(&stack, "m").await);
    assert_eq!(invite.send(&stack, "n").await.status, 429, "another key is another request");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_kept_for_24_hours_and_never_longer() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let change = Change::post(&path, key, &json!({"phone": "+33 4"}));
    let first = change.send(&stack, "k").await;
    assert_first(&first);
    stack.clock.advance(SignedDuration::from_hours(24) - SignedDuration::from_millis(1));
    assert_replayed(&change.send(&stack, "k").await, &first);
    // Nothing deletes the item here: an expired answer is as good as none.
    stack.clock.advance(SignedDuration::from_millis(1));
    let other = Change::post(&path, key, &json!({"phone": "+33 5"}));
    let second = other.send(&stack, "k").await;
    assert_first(&second);
    assert_replayed(&other.send(&stack, "k").await, &second);
    assert_other_body(&change.send(&stack, "k").await);
    assert_eq!(
        stack.stored(&fixtures.manager_1.id).await.expect("a user").user.phone.expect("a phone").as_str(),
        "+33 5"
    );
    assert_eq!(answers(&stack).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_1_to_255_printable_ascii_characters() {
    let (stack, fixtures) = Fixtures::start().await;
    let path = format!("/user/{}", fixtures.manager_1.id);
    let change = Change::post(&path, &fixtures.admin_1.key, &json!({"phone": "+33 4"}));
    let before = stack.snapshot().await;
    for name in ["", "é", "a\tb", &"x".repeat(256)] {
        let reply = send(change.request(&stack).header("Idempotency-Key", value(name))).await;
        let text = "must have 1 to 255 printable ASCII characters";
        assert_eq!(
            (reply.status, reply.json()),
            (400, json!({"errors": {"json": {"Idempotency-Key": text}}})),
            "{name:?}"
        );
    }
    assert_eq!(stack.snapshot().await, before);
    assert_first(&change.send(&stack, &"~".repeat(255)).await);
    // The gateway joins a header that comes twice: both values are one key.
    let twice = change.request(&stack).header("idempotency-key", "a b").header("idempotency-key", "c");
    let first = send(twice).await;
    assert_first(&first);
    assert_replayed(&change.send(&stack, "a b,c").await, &first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_a_request_that_reads_is_ignored() {
    let (stack, fixtures) = Fixtures::start().await;
    for key in ["k", "k", "é"] {
        let request = stack.request("GET", "/user/me").header("x-api-key", &fixtures.admin_1.key);
        let reply = send(request.header("idempotency-key", value(key))).await;
        assert_eq!((reply.status, reply.header("idempotency-replayed")), (200, ""));
    }
    assert_eq!(answers(&stack).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_counts_as_a_request_of_the_key() {
    let stack = TestStack::with(Options { rate_limit: RateLimit::new(3), ..long_timeouts() }).await;
    let fixtures = Fixtures::create(&stack).await;
    let change = Change::post("/user", &fixtures.admin_1.key, &new_user("once"));
    let first = change.send(&stack, "k").await;
    assert_first(&first);
    for _ in 0..2 {
        assert_replayed(&change.send(&stack, "k").await, &first);
    }
    let refused = change.send(&stack, "k").await;
    assert_eq!((refused.status, refused.header("idempotency-replayed")), (429, ""), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kept_answer_has_no_secret_and_nothing_personal() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.admin_1.key;
    let mut body = new_user("once");
    body["status"] = json!("active");
    body["password"] = json!("canary-pass-1");
    let before = state(&stack).await;
    let first = Change::post("/user", key, &body).send(&stack, "zoe@canary-mail.example").await;
    assert_first(&first);
    assert_ne!(state(&stack).await, before);
    let [kept] = &answers(&stack).await[..] else { panic!("one answer") };
    let id = first.json()["id"].as_str().expect("an id").to_owned();
    for text in ["canary", "Ada", "Lovelace", key, &fixtures.admin_1.id, "argon2", "pk_"] {
        assert!(!kept.contains(text), "{text}: {kept}");
    }
    // It says what the answer said, and two digests: one of the body, under the idempotency key, and one of its name.
    assert!(kept.contains(&id), "{kept}");
    let attributes = ["answer", "body_hash", "created_at", "key_hash", "status", "ttl"];
    assert!(attributes.iter().all(|name| kept.contains(&format!("\"{name}\": "))), "{kept}");
    assert_eq!(kept.matches("\": ").count(), attributes.len(), "{kept}");
    assert_eq!(stack.audit().await, [], "the audit of users passes over it");
}
