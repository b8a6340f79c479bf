//! Calls against a server that plays given answers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::Response;
use futures::{StreamExt as _, TryStreamExt as _};
use presence_client::types::{
    KeyCreation, KeyCreationAccess, KeyRotation, ListEventsTypeInItem, OutcomeReport, OutcomeReportOutcome, ReplyState,
    ReviewChangeState, UserChange, UserCreation,
};
use presence_client::{CallOptions, Error, EventOptions, IdempotencyKey, Kind, Options, PresenceClient, Retry};
use serde_json::{Value, json};

/// Key that no error may hold.
const KEY: &str = "pk_SECRETsecretSECRETsecretSECRETsecret1";

/// Id of a key. It is not the key.
const KEY_ID: &str = "7-2c5662f081d2";

/// Step of the fake server.
#[derive(Clone)]
enum Step {
    /// Answer: status, `Retry-After` in seconds, body.
    Answer(u16, Option<u64>, Value),
    /// The connection breaks.
    Break,
}

use Step::{Answer, Break};

#[derive(Clone, Default)]
struct Server {
    steps: Arc<Mutex<Vec<Step>>>,
    seen: Arc<Mutex<Vec<Parts>>>,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server that plays the steps in order. Returns it, and a client that hardly pauses.
    async fn start(steps: Vec<Step>) -> (Self, PresenceClient) {
        let server = Self { steps: Arc::new(Mutex::new(steps)), ..Self::default() };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/api/v2/", listener.local_addr().expect("an address"));
        let router = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let mut retry = Retry::default();
        retry.base_delay = Duration::ZERO;
        let options = Options::new(&url, KEY.to_owned()).retry(retry).user_agent("shop/1.2");
        (server, PresenceClient::new(options).expect("a client"))
    }

    /// Returns a header of each request.
    fn headers(&self, name: &str) -> Vec<Option<String>> {
        let seen = self.seen.lock().expect("no panic");
        let read = |parts: &Parts| Some(parts.headers.get(name)?.to_str().ok()?.to_owned());
        seen.iter().map(read).collect()
    }

    /// Returns method and address of each request, with its body, and true if it had an idempotency key.
    fn requests(&self) -> Vec<(String, bool)> {
        let seen = self.seen.lock().expect("no panic");
        let bodies = self.bodies.lock().expect("no panic");
        let text = |(parts, body): (&Parts, &String)| {
            let line = format!("{} {} {body}", parts.method, parts.uri);
            (line.trim_end().to_owned(), parts.headers.contains_key("idempotency-key"))
        };
        seen.iter().zip(bodies.iter()).map(text).collect()
    }
}

async fn answer(State(server): State<Server>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    server.bodies.lock().expect("no panic").push(String::from_utf8(body.to_vec()).expect("a text"));
    let number = {
        let mut seen = server.seen.lock().expect("no panic");
        seen.push(parts);
        seen.len() - 1
    };
    let step = server.steps.lock().expect("no panic").get(number).cloned();
    let Answer(status, retry_after, body) = step.expect("no more requests than steps") else {
        // The promised body never comes.
        let broken = futures::stream::once(async { Err::<Vec<u8>, _>(std::io::Error::other("broken")) });
        return Response::new(Body::from_stream(broken));
    };
    let response = Response::builder().status(status).header("x-request-id", "r-1");
    let response = retry_after.into_iter().fold(response, |response, seconds| response.header("retry-after", seconds));
    response.body(body.to_string().into()).expect("a response")
}

fn refused(status: u16) -> Step {
    Answer(status, None, json!({ "errors": { "json": "not now" } }))
}

fn done() -> Step {
    Answer(200, None, json!({ "status": "success", "id": "7" }))
}

fn me() -> Step {
    let user = json!({ "id": "1", "status": "active", "first_name": "A", "last_name": "B", "org_id": 1, "phone": null,
        "role": "ORG_ADMIN", "email": "a@b.example" });
    Answer(200, None, user)
}

fn user() -> UserCreation {
    UserCreation::builder().email("a@b.example").first_name("A").last_name("B").try_into().expect("a user")
}

#[tokio::test]
async fn a_read_is_repeated_after_429_503_and_a_broken_connection() {
    let again = Answer(429, Some(0), json!({}));
    let (server, client) = Server::start(vec![again, refused(503), Break, me()]).await;
    assert_eq!(client.me().await.expect("a user").id, "1");
    assert_eq!(server.headers("idempotency-key"), vec![None; 4]);
}

#[tokio::test]
async fn a_create_is_repeated_under_one_key_and_each_call_has_a_key_of_its_own() {
    let under_way = Answer(409, Some(0), json!({}));
    let (server, client) = Server::start(vec![Break, refused(503), under_way, done(), done()]).await;
    assert_eq!(client.create_user(user()).await.expect("an id"), "7");
    client.create_user(user()).await.expect("an id");
    let keys = server.headers("idempotency-key");
    assert!(keys[0].as_ref().is_some_and(|key| key.len() == 36));
    assert!(keys[..4].iter().all(|key| *key == keys[0]));
    assert_ne!(keys[4], keys[0]);
}

#[tokio::test]
async fn all_changes_send_a_key_which_the_caller_may_give_or_turn_off() {
    let (server, client) = Server::start(vec![done(), done(), done(), Break]).await;
    client.update_user("7", UserChange::default()).await.expect("done");
    client.invite_user("7").await.expect("done");
    let idempotency_key = IdempotencyKey::Own("mine".to_owned());
    let call = CallOptions { idempotency_key, client_request_id: Some("job-1".to_owned()) };
    client.with(call).delete_user("7").await.expect("done");
    let off = client.with(CallOptions { idempotency_key: IdempotencyKey::Off, ..CallOptions::default() });
    assert!(matches!(off.create_user(user()).await, Err(Error::Network(_))));
    let keys = server.headers("idempotency-key");
    assert!(keys[0].is_some() && keys[1].is_some());
    assert_eq!(keys[2..], [Some("mine".to_owned()), None]);
    assert_eq!(server.headers("x-client-request-id")[2].as_deref(), Some("job-1"));
}

fn issued(key: Option<&str>) -> Step {
    let key = json!({ "id": KEY_ID, "key": key, "label": "report", "access": "read", "allowed_networks": [],
        "created_at": "2026-03-01T12:00:00+00:00", "expires_at": null, "last_used_at": null, "revoked_at": null });
    Answer(200, None, key)
}

fn reply() -> Step {
    let reply = json!({ "review_id": "r", "content": "Merci", "state": "pending", "reason": null, "version": 3,
        "requested_at": "2026-03-01T12:00:00+00:00", "requested_by": "7", "settled_at": null });
    Answer(200, None, reply)
}

fn key_creation() -> KeyCreation {
    KeyCreation::builder().label("report").access(KeyCreationAccess::Read).try_into().expect("a key")
}

#[tokio::test]
async fn keys_have_their_addresses_and_bodies_and_each_change_sends_a_key() {
    let list = Answer(200, None, json!({ "keys": [] }));
    let steps = vec![list, Break, issued(None), issued(Some("pk_new")), issued(Some("pk_new")), done()];
    let (server, client) = Server::start(steps).await;
    assert!(client.list_keys("7").await.expect("keys").is_empty());
    assert_eq!(client.create_key("7", key_creation()).await.expect("a key").key, None, "the first answer was lost");
    for overlap_seconds in [None, Some(0)] {
        let rotated = client.rotate_key("7", KEY_ID, KeyRotation { overlap_seconds }).await.expect("a key");
        assert_eq!(rotated.key.as_deref(), Some("pk_new"));
    }
    client.revoke_key("7", KEY_ID).await.expect("done");
    let create = r#"POST /api/v2/user/7/keys {"access":"read","label":"report"}"#;
    let expected = [
        ("GET /api/v2/user/7/keys", false),
        (create, true),
        (create, true),
        ("POST /api/v2/user/7/keys/7-2c5662f081d2/rotate {}", true),
        (r#"POST /api/v2/user/7/keys/7-2c5662f081d2/rotate {"overlap_seconds":0}"#, true),
        ("DELETE /api/v2/user/7/keys/7-2c5662f081d2", true),
    ];
    assert_eq!(server.requests(), expected.map(|(text, has_key)| (text.to_owned(), has_key)));
    let keys = server.headers("idempotency-key");
    assert_eq!(keys[1], keys[2]);
}

#[tokio::test]
async fn states_and_replies_have_their_addresses_and_bodies_and_each_change_sends_a_key() {
    let review = json!({ "id": "r", "author_name": null, "business_id": "b", "content": null, "date": "", "key": "k",
        "link": null, "org_id": "1", "partner": "partner_8", "partner_id": "p", "rating": 5, "reply_comment": null,
        "state": "treated", "title": null, "update_date": "" });
    let gone = Answer(200, None, json!({ "status": "success", "id": "r" }));
    let steps = vec![Answer(200, None, review), reply(), reply(), gone.clone(), reply(), gone];
    let (server, client) = Server::start(steps).await;
    assert_eq!(client.set_review_state("r", ReviewChangeState::Treated).await.expect("a review").id, "r");
    assert_eq!(client.reply("r").await.expect("a reply").state, ReplyState::Pending);
    assert_eq!(client.put_reply("r", "Merci").await.expect("a reply").version, Some(3));
    client.delete_reply("r").await.expect("done");
    let report = async |version, outcome| {
        let report = OutcomeReport { version, outcome, reason: None };
        client.report_reply_outcome("r", report).await.expect("an answer").map(|reply| reply.review_id)
    };
    assert_eq!(report(3, OutcomeReportOutcome::Rejected).await.as_deref(), Some("r"));
    assert_eq!(report(4, OutcomeReportOutcome::Removed).await, None);
    let expected = [
        (r#"PUT /api/v2/reviews/r {"state":"treated"}"#, true),
        ("GET /api/v2/reviews/r/reply", false),
        (r#"PUT /api/v2/reviews/r/reply {"content":"Merci"}"#, true),
        ("DELETE /api/v2/reviews/r/reply", true),
        (r#"POST /api/v2/reviews/r/reply/outcome {"outcome":"rejected","version":3}"#, true),
        (r#"POST /api/v2/reviews/r/reply/outcome {"outcome":"removed","version":4}"#, true),
    ];
    assert_eq!(server.requests(), expected.map(|(text, has_key)| (text.to_owned(), has_key)));
}

#[tokio::test]
async fn repetition_ends_at_its_bound_and_with_a_retry_after_that_is_too_long() {
    let (server, client) = Server::start(vec![refused(503); 5]).await;
    let error = client.me().await.expect_err("a refusal");
    assert!(error.refusal(Kind::Service).is_some());
    assert_eq!(server.headers("accept").len(), 5);
    let (server, client) = Server::start(vec![Answer(429, Some(300), json!({}))]).await;
    let error = client.invite_user("7").await.expect_err("a refusal");
    let refusal = error.refusal(Kind::TooManyRequests).expect("too many requests");
    assert_eq!(refusal.retry_after, Some(Duration::from_mins(5)));
    assert_eq!(server.headers("accept").len(), 1);
}

#[tokio::test]
async fn requests_carry_key_and_user_agent_and_no_error_or_debug_text_holds_the_key() {
    let (server, client) =
        Server::start(vec![refused(404), Answer(302, None, json!({})), Answer(200, None, json!([]))]).await;
    let errors = [client.me().await, client.me().await, client.me().await].map(Result::unwrap_err);
    let texts = format!("{errors:?} {client:?} {} {:?}", errors[0], Options::new("http://localhost", KEY.to_owned()));
    assert!(!texts.contains(KEY), "{texts}");
    assert_eq!(errors[0].to_string(), "404: not now (request r-1)");
    assert!(errors[1].refusal(Kind::Other).is_some_and(|refusal| refusal.status == 302));
    assert!(matches!(errors[2], Error::Form(_)));
    assert_eq!(server.headers("x-api-key")[0].as_deref(), Some(KEY));
    assert!(
        server.headers("user-agent")[0].as_ref().is_some_and(|text| text.starts_with("shop/1.2 presence-client-rust/"))
    );
    let seen = server.seen.lock().expect("no panic");
    assert!(seen.iter().all(|parts| parts.uri == "/api/v2/user/me"));
}

#[tokio::test]
async fn an_iteration_asks_for_pages_of_a_hundred_or_of_the_size_that_the_filter_sets() {
    let page = Answer(200, None, json!({ "page": 1, "max_page": 1, "count": 0, "businesses": [] }));
    let (server, client) = Server::start(vec![page.clone(), page]).await;
    assert_eq!(client.iterate_businesses(|search| search).count().await, 0);
    assert_eq!(client.iterate_businesses(|search| search.per_page(2)).count().await, 0);
    let urls: Vec<_> = server.requests().into_iter().map(|(line, _)| line).collect();
    assert_eq!(urls, [100, 2].map(|size| format!("GET /api/v2/business/search?page=1&per_page={size}")));
}

/// Page with these events, the cursor after it, and true if the feed has more.
fn page(numbers: &[u32], next: u32, has_more: bool) -> Step {
    let at = "2026-03-01T12:00:00.123Z";
    let event = |number: &u32| {
        let data = json!({ "id": "r", "org_id": 42, "fields": ["state"], "version": number, "at": at });
        json!({ "id": format!("evt_{number}"), "type": "review.updated", "at": at, "data": data })
    };
    let events: Vec<_> = numbers.iter().map(event).collect();
    Answer(200, None, json!({ "events": events, "next": format!("42-{next}"), "has_more": has_more }))
}

#[tokio::test]
async fn events_are_read_to_the_end_then_followed_across_pages_without_a_match_and_failures() {
    let steps = vec![
        page(&[1, 2], 2, true),
        page(&[], 9, true),
        page(&[], 9, true),
        page(&[10], 10, false),
        page(&[], 10, false),
        refused(503),
        page(&[11], 11, false),
    ];
    let (server, client) = Server::start(steps).await;
    let options = EventOptions { pause: Duration::ZERO, ..EventOptions::default() };
    let types = vec![ListEventsTypeInItem::KeyIssued];
    let batches = client.events(Some("42-0".to_owned()), options, |list| list.type_in(types));
    let batches: Vec<_> = batches.take(4).try_collect().await.expect("batches");
    let read = batches.iter().map(|batch| (batch.cursor.as_str(), batch.events.len()));
    assert_eq!(read.collect::<Vec<_>>(), [("42-2", 2), ("42-9", 0), ("42-10", 1), ("42-11", 1)]);
    let data = &batches[0].events[1].data;
    assert_eq!((data.id.as_deref(), data.org_id, data.version), (Some("r"), Some(42), Some(2)));
    let urls: Vec<_> = server.requests().into_iter().map(|(line, _)| line).collect();
    let expected = [0, 2, 9, 9, 10, 10, 10];
    let expected = expected.map(|after| format!("GET /api/v2/events?after=42-{after}&limit=100&type__in=key.issued"));
    assert_eq!(urls, expected);
}

#[tokio::test]
async fn a_reader_that_does_not_follow_stops_at_the_end_and_a_cursor_that_is_gone_names_the_oldest() {
    let text = "this cursor is no longer kept: the oldest event is after the cursor 42-7";
    let gone = Answer(410, None, json!({ "errors": { "json": text } }));
    let (server, client) = Server::start(vec![page(&[], 7, false), page(&[8], 8, false), gone]).await;
    let options = EventOptions { follow: false, ..EventOptions::default() };
    let read = async |after: Option<&str>| {
        client.events(after.map(str::to_owned), options, |list| list).try_collect::<Vec<_>>().await
    };
    assert_eq!(read(Some("now")).await.expect("a batch")[0].cursor, "42-7");
    assert_eq!(read(None).await.expect("a batch")[0].events.len(), 1);
    let error = read(Some("42-1")).await.expect_err("gone");
    assert_eq!(error.refusal(Kind::Gone).and_then(|refusal| refusal.oldest_cursor()), Some("42-7"));
    assert_eq!(server.requests()[1].0, "GET /api/v2/events?limit=100");
}
