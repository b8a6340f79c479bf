//! Scenario with every request of callers and operators.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use jiff::SignedDuration;
use presence_domain::email_pattern::EmailPattern;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::key_rights::KeyRights;
use presence_domain::rate_limit::KeyLimit;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::{AuditSource, Business, NewApiKey, Org, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::{
    FaultConnector, Fixtures, Reply, SEEDED_REVIEW, TestStack, address, in_process_client, logs, long_timeouts, send,
};
use serde_json::{Value, json};

use crate::api::categories::{DIRECTORY, load, numbered, parse};
use crate::api::reviews::fixtures::seed;

/// Number of businesses: more than one batch takes.
const BUSINESSES: usize = 150;

/// Names of the operations done so far.
static OPERATIONS_DONE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Returns the operations that the scenario has done so far, by the names of their routes.
pub(super) fn operations_done() -> BTreeSet<String> {
    OPERATIONS_DONE.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Runs all operations in their variants through the gateway.
pub(super) async fn of_requests(stack: &TestStack) {
    let fixtures = Fixtures::create(stack).await;
    for number in 0..BUSINESSES {
        stack.create_business(1, &format!("shop-{number}"), "Lyon").await;
    }
    seed(stack).await;
    reads(stack, &fixtures).await;
    reviews(stack, &fixtures).await;
    events(stack, &fixtures.admin_1.key).await;
    writes(stack, &fixtures).await;
    keyed_changes(stack, &fixtures).await;
    reads(stack, &fixtures).await;
    refusals(stack, &fixtures).await;
}

async fn reads(stack: &TestStack, fixtures: &Fixtures) {
    for key in [&fixtures.provider.key, &fixtures.admin_1.key, &fixtures.admin_2.key] {
        let searches =
            ["", "?query=test", "?last_name=admin", "?status=invited", "?page=2&per_page=2", "?email=a@b.example"];
        for search in searches {
            ok(&stack.get(&format!("/user/search{search}"), key).await);
        }
        ok(&stack.get("/user/stats", key).await);
        ok(&stack.get("/user/me", key).await);
    }
    ok(&stack.get("/user/search?org_id=2&display_business_ids=False", &fixtures.provider.key).await);
    ok(&stack.get(&format!("/user/{}", fixtures.admin_2.id), &fixtures.provider.key).await);
}

async fn reviews(stack: &TestStack, fixtures: &Fixtures) {
    for key in [&fixtures.provider.key, &fixtures.manager_1.key] {
        let searches = [
            "",
            "?business_city=lyon&rating=5",
            "?update_date__gte=2025-03-01T12:00:01&update_date__lte=2025-06-01T08:00&order_by=update_date",
            "?business__in=lyon-1,lyon-9",
            "?business__in=lyon-1&business_city=lyon&update_date__lte=2025-02-01",
        ];
        for search in searches {
            ok(&stack.get(&format!("/reviews{search}"), key).await);
            let stats = search.replace("&order_by=update_date", "");
            ok(&stack.get(&format!("/reviews/stats{stats}"), key).await);
        }
        for group_by in ["day", "month", "year", "business", "city", "partner", "state", "rating"] {
            for filter in
                ["", "&business_city=lyon", "&business__in=lyon-1,lyon-9", "&update_date__gte=2025-03-01T12:00"]
            {
                ok(&stack.get(&format!("/reviews/stats?group_by={group_by}{filter}"), key).await);
            }
        }
        ok(&stack.get(&format!("/reviews/{SEEDED_REVIEW}"), key).await);
        acts(stack, fixtures).await;
        ok(&stack.get("/business/search?query=shop", key).await);
        stack.create_business(1, "shop-1", "Paris").await;
        ok(&stack.get("/business/search?city=paris", key).await);
        stack.create_business(1, "shop-1", "Lyon").await;
    }
}

/// Reads the feed, and lets a webhook run through its operations.
async fn events(stack: &TestStack, key: &str) {
    ok(&stack.get("/events", key).await);
    let created = stack.post("/webhooks", key, &json!({"url": "http://localhost:1024/", "label": "till"})).await;
    ok(&created);
    let webhook = format!("/webhooks/{}", created.json()["id"].as_str().expect("an id"));
    for path in ["/webhooks", &webhook, &format!("{webhook}/deliveries"), &format!("{webhook}/deliveries?after=1-9")] {
        ok(&stack.get(path, key).await);
    }
    ok(&stack.post(&webhook, key, &json!({"types": ["review.*"]})).await);
    for action in ["rotate", "test", "enable"] {
        ok(&send(stack.request("POST", &format!("{webhook}/{action}")).header("x-api-key", key)).await);
    }
    let cursor = created.json()["cursor"].clone();
    ok(&stack.post(&format!("{webhook}/replay"), key, &json!({ "after": cursor })).await);
    ok(&stack.delete(&webhook, key).await);
}

/// Sets the state of a review, replies to it, and takes the reply back, as a manager of its business.
async fn acts(stack: &TestStack, fixtures: &Fixtures) {
    let business = json!({"business_ids": ["lyon-1"]});
    ok(&stack.post(&format!("/user/{}", fixtures.manager_1.id), &fixtures.admin_1.key, &business).await);
    let act = async |key: &str, method: &str, path: &str, body: Value| {
        let request = stack.request(method, &format!("/reviews/{SEEDED_REVIEW}{path}")).header("x-api-key", key);
        let reply = send(if body.is_null() { request } else { request.json(&body) }).await;
        ok(&reply);
        reply.json()
    };
    let key = fixtures.manager_1.key.as_str();
    act(key, "PUT", "", json!({"state": "not_treated"})).await;
    let version = act(key, "PUT", "/reply", json!({"content": "Merci"})).await["version"].clone();
    act(key, "GET", "/reply", Value::Null).await;
    let outcome = json!({"version": version, "outcome": "published"});
    act(&fixtures.provider.key, "POST", "/reply/outcome", outcome).await;
    act(key, "DELETE", "/reply", Value::Null).await;
}

async fn writes(stack: &TestStack, fixtures: &Fixtures) {
    let key = &fixtures.provider.key;
    let shops: Vec<String> = (0..BUSINESSES).map(|number| format!("shop-{number}")).collect();
    let id = create(stack, key, "busy", &json!({"org_id": 1, "business_ids": shops, "phone": "+33 4"})).await;
    stack.issue_key(&id).await;
    let found = stack.get(&format!("/user/search?email={}", address("busy")), key).await;
    assert_eq!(found.json()["users"][0]["phone"], "+33 4", "optional attributes are in the index");
    let changes = [
        json!({"last_name": "King", "email": address("king")}),
        json!({"role": "ORG_ADMIN"}),
        json!({"org_id": 2, "business_ids": ["b2-1"]}),
        json!({"org_id": 2, "status": "invited"}),
        json!({"status": "active", "password": "canary-pass-1"}),
        json!({"business_ids": [], "phone": null}),
        json!({}),
    ];
    for change in changes {
        ok(&stack.post(&format!("/user/{id}"), key, &change).await);
    }
    let keys = format!("/user/{}/keys", fixtures.other_manager_1.id);
    ok(&stack
        .post(&keys, key, &json!({"label": "till", "access": "read", "allowed_networks": ["203.0.113.0/24"]}))
        .await);
    ok(&stack.get(&keys, key).await);
    let newest = format!("{keys}/{}", stack.newest_key(&fixtures.other_manager_1.id).await);
    ok(&stack.post(&format!("{newest}/rotate"), key, &json!({})).await);
    ok(&stack.delete(&newest, key).await);
    let guest = create(stack, key, "guest", &json!({"org_id": 1, "status": "invited"})).await;
    stack.clock.advance(SignedDuration::from_mins(61));
    ok(&stack.invite(&guest, &fixtures.admin_1.key).await);
    let (colleague, demotion) = (format!("/user/{}", fixtures.other_admin_1.id), json!({"role": "BUSINESS_MANAGER"}));
    ok(&stack.post(&colleague, &fixtures.admin_1.key, &demotion).await);
    ok(&stack.delete(&format!("/user/{}", fixtures.manager_1.id), &fixtures.admin_1.key).await);
    ok(&stack.delete(&format!("/user/{id}"), key).await);
}

/// Makes changes with an idempotency key: one, again, one without effect, and one that is refused.
async fn keyed_changes(stack: &TestStack, fixtures: &Fixtures) {
    let change = |phone: &str| {
        let path = format!("/user/{}", fixtures.other_manager_1.id);
        let request = stack.request("POST", &path).header("x-api-key", &fixtures.admin_1.key);
        request.header("content-type", "application/json").body(json!({ "phone": phone }).to_string())
    };
    for key in ["one", "one", "without effect"] {
        ok(&send(change("+33 9").header("idempotency-key", key)).await);
    }
    assert_eq!(send(change("x").header("idempotency-key", "refused")).await.status, 400);
}

async fn refusals(stack: &TestStack, fixtures: &Fixtures) {
    let key = &fixtures.admin_1.key;
    let taken = json!({"email": fixtures.admin_2.email, "first_name": "A", "last_name": "B"});
    assert_eq!(stack.post("/user", key, &taken).await.status, 400);
    assert_eq!(stack.invite(&fixtures.admin_1.id, key).await.status, 400);
    let foreign = json!({"business_ids": ["b1-1", "b2-1", "nowhere"]});
    assert_eq!(stack.post(&format!("/user/{}", fixtures.other_manager_1.id), key, &foreign).await.status, 400);
    let moved = json!({"org_id": 2});
    let owner = create(stack, &fixtures.provider.key, "owner", &json!({"org_id": 1, "business_ids": ["b1-1"]})).await;
    assert_eq!(stack.post(&format!("/user/{owner}"), &fixtures.provider.key, &moved).await.status, 400);
    assert_eq!(stack.get(&format!("/user/{}", fixtures.admin_2.id), key).await.status, 404);
}

/// Makes the requests of the operator's tools.
pub(super) async fn of_operators(stack: &TestStack, faults: &FaultConnector) {
    let store = operator_store(stack, faults);
    let now = stack.clock.now();
    let owner = store.users.get_id_by_email(&address("admin-2")).await.expect("an answer").expect("a user");
    let first =
        store.users.issue_key(owner, &NewApiKey::default(), &presence_tests::operator(), now).await.expect("a key");
    let rights = KeyRights { expires_at: Some(now + SignedDuration::from_hours(1)), ..KeyRights::default() };
    let new = NewApiKey { label: Some("till".to_owned()), rights };
    let second = store
        .users
        .rotate_key(first.id, &new, now + SignedDuration::from_mins(5), &presence_tests::operator(), now)
        .await
        .expect("a key");
    for limit in [KeyLimit::Unlimited, KeyLimit::Default] {
        store.users.set_key_limit(second.id, limit, &presence_tests::operator(), now).await.expect("a key");
    }
    store.users.revoke_key(second.id, &presence_tests::operator(), now).await.expect("a key");
    assert_eq!(store.users.list_keys(owner).await.expect("an answer").map(|keys| keys.len()), Some(3));
    store.users.count(presence_tests::operator_scope()).await.expect("an answer");
    store.users.get(presence_tests::operator_scope(), UserId::parse("7").expect("an id")).await.expect("an answer");
    assert!(!store.outbox.list().await.expect("an answer").is_empty(), "the guest waits for a mail");
    for pattern in ["admin-2@*", &address("*"), &address("admin-2")] {
        let mut search = store.users.search_emails(EmailPattern::parse(pattern).expect("a pattern"));
        assert!(!search.next_page().await.expect("an answer").expect("a page").is_empty(), "{pattern}");
    }
    let actor = presence_tests::operator().id();
    for source in
        [AuditSource::Target(owner), AuditSource::Actor(actor), AuditSource::Org(OrgId::new(2)), AuditSource::All]
    {
        let mut pages = store.audit_trail.pages(source, Some(now - SignedDuration::from_hours(1)));
        assert!(!pages.next_page().await.expect("an answer").expect("a page").is_empty());
    }
    import(&store).await;
    assert_eq!(store.users.audit().await.expect("an answer").findings, []);
}

async fn import(store: &Stores) {
    let org_id = OrgId::new(3).expect("an id");
    let id = BusinessId::parse("b3-1").expect("an id");
    let business = Business { id: id.clone(), org_id, name: "Shop".to_owned(), city: "Lyon".to_owned() };
    for name in ["Maison Verte", "Maison Verte", "Maison Bleue"] {
        store.businesses.put_org(&Org { id: org_id, name: name.to_owned() }).await.expect("an answer");
        store.businesses.put(&business).await.expect("an answer");
    }
    store.businesses.put(&Business { city: "Paris".to_owned(), ..business }).await.expect("an answer");
    assert!(store.businesses.list_unknown(Some(org_id), &[id]).await.expect("an answer").is_empty());
}

/// Categories: an import in several transactions into the empty table; one that is abandoned, and undone by the next;
/// and the requests of callers.
pub(super) async fn of_categories(stack: &TestStack, faults: &FaultConnector) {
    let store = operator_store(stack, faults);
    load(&store, numbered(150, "Shop")).await;
    let mut abandoned = store.categories.begin_import(false).await.expect("an import");
    for category in numbered(300, "Store") {
        abandoned.put(category).await.expect("no other import").expect("there is room");
    }
    drop(abandoned);
    load(&store, parse(DIRECTORY)).await;
    let reader = stack.create_user("reader", Role::BusinessManager, Some(1), Status::Active).await;
    for path in ["/category/search?lang=GB", "/category/search?lang=FR&name=ban", "/category/c-bank?lang=GB"] {
        ok(&stack.get(path, &reader.key).await);
    }
}

/// Returns the stores of an operator whose calls are recorded too.
fn operator_store(stack: &TestStack, faults: &FaultConnector) -> Stores {
    stack.stores_through(faults.over(in_process_client()), long_timeouts(), super::PREFIX)
}

async fn create(stack: &TestStack, key: &str, local: &str, more: &Value) -> String {
    let mut body = json!({"email": address(local), "first_name": "Ada", "last_name": "Lovelace"});
    let fields = more.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
    body.as_object_mut().expect("an object").extend(fields);
    let created = stack.post("/user", key, &body).await;
    ok(&created);
    created.json()["id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn ok(reply: &Reply) {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let line = logs::request_line(reply.header("x-request-id"));
    let name = line["operation"].as_str().expect("a name").to_owned();
    OPERATIONS_DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(name);
}
