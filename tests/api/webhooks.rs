//! `/api/v2/webhooks`: what people set, what the audit trail has of it, and the one attempt of a test.

use jiff::SignedDuration;
use presence_domain::audit::AuditTarget;
use presence_domain::webhook::{Attempt, DeliveryState, Webhook, WebhookId, WebhookSecret};
use presence_local::Options;
use presence_runtime::clock::Clock as _;
use presence_store::{AuditSource, RetryPolicy, WebhookWrite};
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, Plan, RETRY_TIME_OF_ENDLESS_FAULTS, Reply, TestStack, in_process_client,
    long_timeouts, no_read_wait, send,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const URL: &str = "https://example.com/events";
const NOT_FOUND: &str = r#"{"errors":{"json":"not found"}}"#;
const NOT_A_MANAGER: &str = r#"{"errors":{"authorization":"a BUSINESS_MANAGER may not manage webhooks"}}"#;

/// Webhooks of organisation 1, by its `ORG_ADMIN`.
struct Hooks {
    stack: TestStack,
    fixtures: Fixtures,
}

impl Hooks {
    async fn new() -> Self {
        let (stack, fixtures) = Fixtures::start().await;
        Self { stack, fixtures }
    }

    async fn ask(&self, method: &str, path: &str, body: Value) -> Reply {
        ask(&self.stack, &self.fixtures.admin_1.key, method, path, &body, None).await
    }

    async fn create(&self, body: Value) -> Value {
        let reply = self.ask("POST", "/webhooks", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    async fn list(&self) -> Vec<Value> {
        self.ask("GET", "/webhooks", Value::Null).await.json()["webhooks"].as_array().expect("webhooks").clone()
    }

    async fn stored(&self, webhook: &Value) -> Webhook {
        self.stack.stores().webhooks.get(id_of(webhook)).await.expect("the store answers").expect("a webhook")
    }

    /// Returns action and fields of the records about a webhook, in any order.
    async fn recorded(&self, webhook: &Value) -> Vec<String> {
        let id = id_of(webhook);
        let records = self.stack.records(AuditSource::Org(Some(id.org_id()))).await;
        let of_it =
            records.iter().filter(|record| matches!(&record.target, AuditTarget::Webhook { id: of, .. } if *of == id));
        let mut recorded: Vec<_> = of_it
            .map(|record| format!("{} {}", record.action.as_str(), record.field_names().join(" ")).trim().to_owned())
            .collect();
        recorded.sort_unstable();
        recorded
    }
}

async fn ask(stack: &TestStack, key: &str, method: &str, path: &str, body: &Value, idempotency: Option<&str>) -> Reply {
    let request = stack.request(method, path).header("x-api-key", key);
    let request = if body.is_null() { request } else { request.json(body) };
    send(idempotency.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key))).await
}

fn id_of(webhook: &Value) -> WebhookId {
    webhook["id"].as_str().and_then(WebhookId::parse).expect("the id of a webhook")
}

fn path_of(webhook: &Value) -> String {
    format!("/webhooks/{}", id_of(webhook))
}

fn bad_field(name: &str, text: &str) -> Value {
    json!({"errors": {"json": {name: text}}})
}

/// Returns the webhook without its secret, as every answer but that of create and rotate shows it.
fn shown(webhook: &Value) -> Value {
    let mut shown = webhook.clone();
    shown.as_object_mut().expect("an object").remove("secret");
    shown
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_lives_from_create_to_delete_and_each_change_is_recorded() {
    let hooks = Hooks::new().await;
    let created = hooks
        .create(json!({"url": URL, "types": ["review.*", "key.issued", "review.*"], "label": " Till\u{7} "}))
        .await;
    let secret = created["secret"].as_str().expect("a secret");
    assert!(WebhookSecret::parse(secret).is_some(), "the form of Standard Webhooks");
    let now = hooks.stack.clock.now().strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string();
    assert_eq!(
        shown(&created),
        json!({"id": created["id"], "url": URL, "types": ["review.*", "key.issued"], "label": "Till", "state": "enabled",
            "failing_since": null, "cursor": "1-0", "created_at": now})
    );
    assert_eq!(hooks.ask("GET", &path_of(&created), Value::Null).await.json(), shown(&created));
    hooks.stack.clock.advance(SignedDuration::from_secs(1));
    let second = hooks.create(json!({ "url": URL })).await;
    assert_eq!((&second["types"], &second["label"]), (&json!([]), &Value::Null), "all types");
    assert_eq!(hooks.list().await, [shown(&created), shown(&second)], "oldest first");

    let change = json!({"label": null, "types": null, "url": "https://example.com/other"});
    let changed = hooks.ask("POST", &path_of(&created), change.clone()).await;
    let mut expected = shown(&created);
    (expected["label"], expected["types"], expected["url"]) = (Value::Null, json!([]), change["url"].clone());
    assert_eq!((changed.status, changed.json()), (200, expected.clone()));
    let version = hooks.stored(&created).await.version;
    for nothing in [change, json!({}), json!({"label": " "})] {
        assert_eq!(hooks.ask("POST", &path_of(&created), nothing).await.json(), expected);
    }
    assert_eq!(hooks.ask("POST", &format!("{}/enable", path_of(&created)), Value::Null).await.json(), expected);
    assert_eq!(hooks.stored(&created).await.version, version, "the same again changes nothing");

    let rotated = hooks.ask("POST", &format!("{}/rotate", path_of(&created)), Value::Null).await.json();
    assert_eq!(shown(&rotated), expected);
    assert_ne!(rotated["secret"], created["secret"]);
    let signing = async || {
        let now = hooks.stack.clock.now();
        hooks.stored(&created).await.secrets.at(now).map(WebhookSecret::expose).collect::<Vec<_>>()
    };
    assert_eq!(
        signing().await.iter().map(String::as_str).collect::<Vec<_>>(),
        [&rotated["secret"], &created["secret"]]
    );
    hooks.stack.clock.advance(SignedDuration::from_hours(24));
    assert_eq!(signing().await.len(), 1, "both sign for 24 hours");

    let deleted = hooks.ask("DELETE", &path_of(&created), Value::Null).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!({"status": "success", "id": created["id"]})));
    for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("GET", "/deliveries"), ("POST", "/test")]
    {
        let reply = hooks.ask(method, &format!("{}{path}", path_of(&created)), Value::Null).await;
        assert_eq!((reply.status, reply.text.as_str()), (404, NOT_FOUND), "{method} {path}");
    }
    assert_eq!(hooks.list().await, [shown(&second)]);
    let expected =
        ["create_webhook url types label", "delete_webhook", "rotate_webhook", "update_webhook url types label"];
    assert_eq!(hooks.recorded(&created).await, expected);
    assert_eq!(hooks.stack.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_has_ten_webhooks_also_if_many_are_created_at_once() {
    let hooks = Hooks::new().await;
    let create = || hooks.ask("POST", "/webhooks", json!({ "url": URL }));
    let replies = futures::future::join_all((0..14).map(|_| create())).await;
    let refused: Vec<_> = replies.iter().filter(|reply| reply.status != 200).collect();
    assert_eq!((hooks.list().await.len(), refused.len()), (10, 4));
    for reply in refused {
        let text = "the organisation has 10 webhooks, and may have no more: delete one first";
        assert_eq!((reply.status, reply.json()), (400, json!({"errors": {"json": text}})));
    }
    let first = hooks.list().await[0].clone();
    hooks.ask("DELETE", &path_of(&first), Value::Null).await;
    let new = hooks.create(json!({ "url": URL })).await;
    assert_ne!(new["id"], first["id"], "an id is never used again");
    assert_eq!(hooks.ask("GET", &path_of(&first), Value::Null).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_named_all_at_once() {
    let hooks = Hooks::new().await;
    let (public, https) = ("must be a public address", "must begin with https://");
    for (body, name, text) in [
        (json!({}), "url", "is required"),
        (json!({"url": 1}), "url", "must be a string"),
        (json!({"url": "example.com"}), "url", "must be an address such as https://example.com/events"),
        (json!({"url": "http://example.com/"}), "url", https),
        (json!({"url": "https://10.0.0.1/"}), "url", public),
        (json!({"url": "https://[::1]/"}), "url", public),
        (json!({"url": "https://0x7f000001/"}), "url", public),
        (json!({"url": "https://a:b@example.com/"}), "url", "must have no user name and no password"),
        (json!({"url": "https://example.com:22/"}), "url", "must have port 443 or one above 1023"),
        (json!({"url": format!("https://example.com/{}", "a".repeat(2_048))}), "url", "must have at most 2048 bytes"),
        (json!({"url": URL, "types": "review.*"}), "types", "must be a list of strings"),
        (json!({"url": URL, "label": "é".repeat(101)}), "label", "must have at most 100 characters"),
        (json!({"url": URL, "lable": "a"}), "lable", "is not a field of this operation; did you mean \"label\"?"),
    ] {
        let reply = hooks.ask("POST", "/webhooks", body.clone()).await;
        assert_eq!((reply.status, reply.json()), (400, bad_field(name, text)), "{body}");
    }
    let unknown = hooks.ask("POST", "/webhooks", json!({"url": URL, "types": ["reviews.*"]})).await;
    assert_eq!((unknown.status, &unknown.json()["errors"]["json"]["types"]["choices"][2]), (400, &json!("review.*")));
    let two = hooks.ask("POST", "/webhooks", json!({"url": "ftp://a", "label": 1})).await;
    assert_eq!(two.json()["errors"]["json"], json!({"url": https, "label": "must be a string"}));
    assert_eq!(hooks.list().await, Vec::<Value>::new());
    let hook = hooks.create(json!({ "url": URL })).await;
    let null = hooks.ask("POST", &path_of(&hook), json!({"url": null})).await;
    assert_eq!((null.status, null.json()), (400, bad_field("url", "must not be null")));
    for (after, text) in [("now", "is not a cursor of this feed"), ("2-0", "is a cursor of another organisation")] {
        let replay = hooks.ask("POST", &format!("{}/replay", path_of(&hook)), json!({ "after": after })).await;
        assert_eq!((replay.status, replay.json()), (400, bad_field("after", text)));
        let page = hooks.ask("GET", &format!("{}/deliveries?after={after}", path_of(&hook)), Value::Null).await;
        assert_eq!((page.status, page.json()), (400, bad_field("after", text)));
    }
    let ahead = hooks.ask("POST", &format!("{}/replay", path_of(&hook)), json!({"after": "1-7"})).await;
    assert_eq!(ahead.status, 410, "{}", ahead.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_names_the_organisation_and_nobody_sees_that_of_another() {
    let hooks = Hooks::new().await;
    let created = hooks.create(json!({"url": URL, "org_id": 1})).await;
    let (fixtures, stack) = (&hooks.fixtures, &hooks.stack);
    let by = async |key: &str, method: &str, path: &str, body: Value| {
        let reply = ask(stack, key, method, path, &body, None).await;
        (reply.status, reply.json())
    };
    let provider = fixtures.provider.key.as_str();
    assert_eq!(by(provider, "GET", "/webhooks?org_id=1", Value::Null).await.1["webhooks"], json!([shown(&created)]));
    assert_eq!(by(provider, "GET", "/webhooks", Value::Null).await, (400, bad_field("org_id", "is required")));
    assert_eq!(by(provider, "GET", "/webhooks?org_id=none", Value::Null).await.0, 400);
    assert_eq!(
        by(provider, "POST", "/webhooks", json!({ "url": URL })).await,
        (400, bad_field("org_id", "is required"))
    );
    assert_eq!(by(provider, "POST", "/webhooks", json!({"url": URL, "org_id": "none"})).await.0, 400);
    let of_2 = by(provider, "POST", "/webhooks", json!({"url": URL, "org_id": 2})).await;
    assert_eq!((of_2.0, of_2.1["cursor"].as_str()), (200, Some("2-0")));
    assert_eq!(by(provider, "GET", &path_of(&created), Value::Null).await, (200, shown(&created)));
    let other = fixtures.admin_2.key.as_str();
    assert_eq!(by(other, "GET", "/webhooks?org_id=1", Value::Null).await.0, 403);
    assert_eq!(by(other, "POST", "/webhooks", json!({"url": URL, "org_id": 1})).await.0, 403);
    for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/rotate"), ("POST", "/test"), ("GET", "/deliveries")]
    {
        let path = format!("{}{path}", path_of(&created));
        assert_eq!(by(other, method, &path, Value::Null).await.0, 404, "{method} {path}");
    }
    for path in [path_of(&created), "/webhooks/x".to_owned(), "/webhooks?org_id=2".to_owned()] {
        let reply = ask(stack, &fixtures.manager_1.key, "GET", &path, &Value::Null, None).await;
        assert_eq!(reply.status, 403, "before anything is looked up: {path}");
        assert!(path.contains('?') || reply.text == NOT_A_MANAGER, "{}", reply.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_webhook_goes_on_where_it_stopped_and_a_replay_sets_the_cursor_back() {
    let hooks = Hooks::new().await;
    let created = hooks.create(json!({ "url": URL })).await;
    let before = hooks.stored(&created).await;
    let after = before.with_progress(before.progress.clone().disabled(hooks.stack.clock.now())).expect("a change");
    let write = WebhookWrite { before: Some(&before), after: Some(&after), record: None, answer: None };
    assert!(hooks.stack.stores().webhooks.write(write).await.expect("the store answers"));
    assert_eq!(hooks.list().await[0]["state"], "disabled");
    let enabled = hooks.ask("POST", &format!("{}/enable", path_of(&created)), Value::Null).await;
    assert_eq!((enabled.status, &enabled.json()["state"]), (200, &json!("enabled")));
    hooks.stack.clock.advance(SignedDuration::from_secs(1));
    let replayed = hooks.ask("POST", &format!("{}/replay", path_of(&created)), json!({"after": "1-0"})).await;
    assert_eq!((replayed.status, &replayed.json()["cursor"]), (200, &json!("1-0")));
    let recorded = hooks.recorded(&created).await;
    assert_eq!(recorded, ["create_webhook url types label", "enable_webhook", "replay_webhook"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_are_listed_newest_first_in_pages_and_for_30_days() {
    let hooks = Hooks::new().await;
    let created = hooks.create(json!({ "url": URL })).await;
    let (store, id, start) = (&hooks.stack.stores().webhooks, id_of(&created), hooks.stack.clock.now());
    for (number, second, status, state) in [
        (1, 0, Some(500), DeliveryState::Waiting),
        (1, 5, None, DeliveryState::Waiting),
        (1, 305, Some(204), DeliveryState::Delivered),
        (2, 1, Some(200), DeliveryState::Delivered),
        (3, 2, Some(404), DeliveryState::GivenUp),
    ] {
        let attempt = Attempt {
            number,
            event_id: format!("evt_{number}"),
            kind: "review.updated".to_owned(),
            at: start + SignedDuration::from_secs(second),
            status,
            milliseconds: 12,
            error: status.is_none_or(|status| status >= 300).then(|| "not taken".to_owned()),
            state,
        };
        store.record_attempt(id, &attempt).await.expect("the store answers");
    }
    let page = async |query: &str| {
        let reply = hooks.ask("GET", &format!("{}/deliveries?{query}", path_of(&created)), Value::Null).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    };
    let first = page("limit=2").await;
    let ids = |page: &Value| -> Vec<String> {
        let rows = page["deliveries"].as_array().expect("rows");
        rows.iter().map(|row| format!("{} {}", row["event_id"], row["state"])).collect()
    };
    assert_eq!(ids(&first), ["\"evt_3\" \"given_up\"", "\"evt_2\" \"delivered\""]);
    assert_eq!((&first["next"], &first["has_more"]), (&json!("1-2"), &json!(true)));
    let second = page("limit=2&after=1-2").await;
    assert_eq!((&second["next"], &second["has_more"]), (&json!("1-1"), &json!(false)));
    let afters = [&first["deliveries"][0], &second["deliveries"][0]].map(|delivery| &delivery["after"]);
    assert_eq!(afters, ["1-2", "1-0"], "the cursor before the event");
    let delivery = &second["deliveries"][0];
    let attempts = delivery["attempts"].as_array().expect("attempts");
    assert_eq!(
        (&delivery["event_id"], &delivery["type"], attempts.len()),
        (&json!("evt_1"), &json!("review.updated"), 3)
    );
    let at = format!("{start:.3}");
    assert_eq!(attempts[0], json!({"at": at, "status": 500, "milliseconds": 12, "error": "not taken"}));
    assert_eq!((&attempts[1]["status"], &attempts[2]["error"]), (&Value::Null, &Value::Null));
    hooks.stack.clock.advance(SignedDuration::from_hours(30 * 24) + SignedDuration::from_secs(2));
    assert_eq!(ids(&page("").await), ["\"evt_1\" \"delivered\""], "the last attempt of the first");
    assert_eq!(ids(&page("after=1-1").await), Vec::<String>::new());
}

/// Answers one request with a status, and returns the request.
async fn receive_once(listener: TcpListener, status: &'static str) -> String {
    let (mut connection, _) = listener.accept().await.expect("a connection");
    let mut received = String::new();
    loop {
        let mut bytes = [0; 4_096];
        let count = connection.read(&mut bytes).await.expect("bytes");
        received.push_str(&String::from_utf8_lossy(&bytes[..count]));
        let Some((head, body)) = received.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break;
        }
    }
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    connection.write_all(answer.as_bytes()).await.expect("an answer");
    received
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_sends_one_signed_event_and_answers_its_delivery() {
    let hooks = Hooks::new().await;
    for (status, state, error) in [
        ("204 No Content", "delivered", Value::Null),
        ("500 Internal Server Error", "given_up", json!("status 500")),
        ("302 Found", "given_up", json!("status 302: redirects are not followed")),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://127.0.0.1:{}/hook", listener.local_addr().expect("an address").port());
        let created = hooks.create(json!({ "url": url, "types": ["user.deleted"] })).await;
        let request = tokio::spawn(receive_once(listener, status));
        let tried = hooks.ask("POST", &format!("{}/test", path_of(&created)), Value::Null).await;
        assert_eq!(tried.status, 200, "{}", tried.text);
        let delivery = tried.json();
        assert_eq!((&delivery["type"], &delivery["state"]), (&json!("webhook.test"), &json!(state)));
        assert_eq!(delivery["after"], Value::Null, "no feed has the event");
        let attempt = &delivery["attempts"][0];
        assert_eq!((&attempt["error"], attempt["status"].as_u64()), (&error, status[..3].parse().ok()));
        let received = request.await.expect("a request");
        let (head, body) = received.split_once("\r\n\r\n").expect("a head");
        let header = |name: &str| {
            let value = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
            value.unwrap_or_else(|| panic!("{name} in {head}")).to_owned()
        };
        assert!(head.starts_with("POST /hook HTTP/1.1"), "{head}");
        assert_eq!(delivery["event_id"], header("webhook-id"));
        let secret = WebhookSecret::parse(created["secret"].as_str().expect("a secret")).expect("a secret");
        let timestamp = header("webhook-timestamp").parse().expect("seconds");
        let signature = secret.sign(&header("webhook-id"), timestamp, body.as_bytes());
        assert_eq!(header("webhook-signature"), signature);
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!((&body["type"], &body["data"]["id"]), (&json!("webhook.test"), &created["id"]));
        let now = &hooks.list().await[0];
        assert_eq!((&now["state"], &now["failing_since"]), (&json!("enabled"), &Value::Null), "outside the order");
        hooks.ask("DELETE", &path_of(&created), Value::Null).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_has_its_answer_without_the_secret_and_changes_nothing_twice() {
    let hooks = Hooks::new().await;
    let key = &hooks.fixtures.admin_1.key;
    let twice = async |method: &str, path: String, body: Value| {
        let first = ask(&hooks.stack, key, method, &path, &body, Some("a key")).await;
        let second = ask(&hooks.stack, key, method, &path, &body, Some("a key")).await;
        assert_eq!((first.status, second.status), (200, 200), "{method} {path}: {} {}", first.text, second.text);
        assert_eq!((first.header("idempotency-replayed"), second.header("idempotency-replayed")), ("", "true"));
        (first.json(), second.json())
    };
    let (created, repeated) = twice("POST", "/webhooks".to_owned(), json!({ "url": URL })).await;
    assert_eq!((shown(&created), &repeated["secret"]), (shown(&repeated), &Value::Null));
    let (rotated, again) = twice("POST", format!("{}/rotate", path_of(&created)), Value::Null).await;
    assert!(rotated["secret"].is_string() && again["secret"].is_null());
    for (method, path, body) in [
        ("POST", "", json!({"label": "till"})),
        ("POST", "/enable", Value::Null),
        ("POST", "/replay", json!({"after": "1-0"})),
        ("DELETE", "", Value::Null),
    ] {
        hooks.stack.clock.advance(SignedDuration::from_secs(1));
        let (first, second) = twice(method, format!("{}{path}", path_of(&created)), body).await;
        assert_eq!(first, second);
    }
    let expected = [
        "create_webhook url types label",
        "delete_webhook",
        "replay_webhook",
        "rotate_webhook",
        "update_webhook label",
    ];
    assert_eq!(hooks.recorded(&created).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_at_any_call_of_a_change_is_503_and_the_repeated_request_changes_nothing_twice() {
    for (options, kind) in [
        (long_timeouts(), FaultKind::ServerError),
        (long_timeouts(), FaultKind::LoseReply),
        (no_read_wait(), FaultKind::Hang),
    ] {
        let faults = FaultConnector::new();
        let http_client = Some(faults.over(in_process_client()));
        let retry_policy = RetryPolicy::For(RETRY_TIME_OF_ENDLESS_FAULTS);
        let stack = TestStack::with(Options { http_client, retry_policy, ..options }).await;
        let fixtures = Fixtures::create(&stack).await;
        let hooks = Hooks { stack, fixtures };
        let key = &hooks.fixtures.admin_1.key;
        let created = hooks.create(json!({ "url": URL })).await;
        let changes = [
            ("POST", "", json!({"label": "till"})),
            ("POST", "/rotate", Value::Null),
            ("POST", "/replay", json!({"after": "1-0"})),
            ("POST", "/enable", Value::Null),
        ];
        for (number, (method, path, body)) in changes.into_iter().enumerate() {
            let path = format!("{}{path}", path_of(&created));
            for call in 1..=6 {
                hooks.stack.clock.advance(SignedDuration::from_hours(25));
                let idempotency = format!("{kind:?} {number} {call}");
                let change = || ask(&hooks.stack, key, method, &path, &body, Some(&idempotency));
                faults.restart(Plan::At { call, kind, times: u64::MAX });
                let broken = change().await;
                faults.restart(Plan::None);
                assert!([200, 503].contains(&broken.status), "{path} at call {call}: {}", broken.text);
                let before = hooks.stored(&created).await.version;
                let again = change().await;
                let after = hooks.stored(&created).await.version;
                let is_kept = again.header("idempotency-replayed") == "true";
                assert_eq!(again.status, 200, "{path} at call {call}: {}", again.text);
                assert!(!is_kept || before == after, "{path} at call {call}: done twice");
                assert!(is_kept || broken.status == 503, "{path} at call {call}: an answer 200 is kept");
            }
        }
        let rotations = hooks.recorded(&created).await.iter().filter(|record| *record == "rotate_webhook").count();
        assert_eq!(rotations, 6, "each once");
    }
}
