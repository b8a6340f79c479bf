//! Principal cache of a warm function. The function reads with the cached principal while it verifies the key. A change of the
//! caller at any moment counts from the next request on.

use std::sync::Arc;

use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::{
    AnyRoute, Fixtures, Reply, TestStack, TestUser, calls_apart, in_process_client, long_timeouts, path_of, rounds,
    routes, send,
};
use serde_json::json;

use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;

/// Upper bound on the calls of one of these requests.
const MAX_CALLS: u64 = 40;

/// Change of a caller.
#[derive(Clone, Copy, Debug)]
enum CallerChange {
    Demoted,
    Moved,
    Disabled,
    Deleted,
    Revoked,
}

const CHANGES: [CallerChange; 5] =
    [CallerChange::Demoted, CallerChange::Moved, CallerChange::Disabled, CallerChange::Deleted, CallerChange::Revoked];

/// Warm function with an interleaving connector, and another function over the same tables that has cached nobody.
struct Fixture {
    warm: TestStack,
    other: Arc<TestStack>,
    interleaving: InterleavingConnector,
    fixtures: Fixtures,
    /// Number of callers created so far.
    callers: u32,
}

/// Returns the part of an answer that is compared.
fn status_and_text(reply: &Reply) -> (u16, String) {
    (reply.status, reply.text.clone())
}

impl Fixture {
    async fn new() -> Self {
        let interleaving = InterleavingConnector::new();
        let http_client = Some(interleaving.over(in_process_client()));
        let warm = TestStack::with(Options { http_client, ..long_timeouts() }).await;
        let fixtures = Fixtures::create(&warm).await;
        load(warm.stores(), parse(DIRECTORY)).await;
        seed(&warm).await;
        warm.seed_webhook().await;
        let other = Arc::new(TestStack::with(warm.second_stack_options()).await);
        Self { warm, other, interleaving, fixtures, callers: 0 }
    }

    /// Creates a provider of organisation 2 that is in the cache, and returns it with its answer.
    async fn caller(&mut self, path: &str) -> (TestUser, Reply) {
        self.callers += 1;
        let local = format!("caller-{}", self.callers);
        let caller = self.warm.create_user(&local, Role::Provider, Some(2), Status::Active).await;
        for _ in 0..2 {
            self.warm.get(path, &caller.key).await;
        }
        let before = self.warm.get(path, &caller.key).await;
        (caller, before)
    }

    /// Returns the change of the caller as an event that has not happened yet.
    fn event(&self, caller: &TestUser, change: CallerChange) -> Event {
        let (other, by) = (Arc::clone(&self.other), self.fixtures.provider.key.clone());
        let (path, id) = (format!("/user/{}", caller.id), UserId::parse(&caller.id).expect("an id"));
        Box::pin(async move {
            let body = match change {
                CallerChange::Demoted => json!({"role": "BUSINESS_MANAGER"}),
                CallerChange::Moved => json!({"role": "ORG_ADMIN", "org_id": 1}),
                CallerChange::Disabled => json!({"status": "invited"}),
                CallerChange::Deleted => {
                    assert_eq!(other.delete(&path, &by).await.status, 200);
                    return;
                }
                CallerChange::Revoked => return revoke_all(&other, id).await,
            };
            let changed = other.post(&path, &by, &body).await;
            assert_eq!(changed.status, 200, "{}", changed.text);
        })
    }

    /// Makes a change before each call of a request in turn, each time for a new caller. The changes take turns, from number `first` on.
    async fn run(&mut self, route: &AnyRoute, first: usize) {
        let changes = CHANGES.into_iter().cycle().skip(first);
        for (call, change) in (1..=MAX_CALLS).step_by(calls_apart(2)).zip(changes) {
            let path = path_of(route, &self.fixtures.manager_2.id, "c-bank");
            let query = match path.as_str() {
                category if category.starts_with("/category") => "?lang=FR",
                // A PROVIDER names the organisation.
                "/events" | "/webhooks" => "?org_id=2",
                _ => "",
            };
            let path = path + query;
            let (caller, before) = self.caller(&path).await;
            assert_eq!(before.status, 200, "{path}: {}", before.text);
            self.interleaving.before(call, self.event(&caller, change)).await;
            let meanwhile = self.warm.get(&path, &caller.key).await;
            let (_, pending) = self.interleaving.end().await;
            let is_over = pending.is_some();
            if let Some(event) = pending {
                event.await;
            }
            let next = self.warm.get(&path, &caller.key).await;
            let expected = self.other.get(&path, &caller.key).await;
            let what = format!("{path}: {change:?} before call {call}");
            assert_eq!(status_and_text(&next), status_and_text(&expected), "{what}, the next request");
            if call == 1 {
                assert_eq!(status_and_text(&meanwhile), status_and_text(&expected), "{what}");
            }
            let is_old_or_new =
                [status_and_text(&before), status_and_text(&expected)].contains(&status_and_text(&meanwhile));
            // These answers contain the caller, which may have changed since its key was verified.
            let has_caller = ["get_me", "search_users", "get_user_stats"].contains(&route.name);
            assert!(is_old_or_new || (has_caller && meanwhile.status == 200), "{what}: {meanwhile:?}");
            if matches!(change, CallerChange::Disabled | CallerChange::Deleted | CallerChange::Revoked) {
                assert_eq!(next.status, 401, "{what}");
            }
            if is_over {
                return;
            }
        }
        panic!("{} makes more calls than {MAX_CALLS}", route.name);
    }
}

async fn revoke_all(stack: &TestStack, id: UserId) {
    let now = presence_runtime::clock::Clock::now(stack.clock.as_ref());
    for key in stack.stores().users.list_keys(id).await.expect("the store answers").expect("a user") {
        stack.stores().users.revoke_key(key.id(), &presence_tests::operator(), now).await.expect("the store answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn change_of_a_caller_counts_from_the_next_request_on_in_every_warm_function() {
    let mut fixture = Fixture::new().await;
    for route in routes().into_iter().filter(|route| route.method == "GET") {
        for first in 0..rounds(1).min(CHANGES.len()) {
            fixture.run(&route, first).await;
        }
    }
    assert_eq!(fixture.warm.audit().await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_that_moves_to_another_organisation_sees_itself_all_the_while() {
    let mut fixture = Fixture::new().await;
    for is_me in [true, false] {
        for call in 1..=MAX_CALLS {
            fixture.callers += 1;
            let local = format!("mover-{}", fixture.callers);
            let mover = fixture.warm.create_user(&local, Role::BusinessManager, Some(2), Status::Active).await;
            let path = if is_me { "/user/me".to_owned() } else { format!("/user/{}", mover.id) };
            fixture.warm.get(&path, &mover.key).await;
            let (other, by, id) = (Arc::clone(&fixture.other), fixture.fixtures.provider.key.clone(), mover.id.clone());
            let change = async move {
                let reply = other.post(&format!("/user/{id}"), &by, &json!({"org_id": 1})).await;
                assert_eq!(reply.status, 200, "{}", reply.text);
            };
            fixture.interleaving.before(call, Box::pin(change)).await;
            let meanwhile = fixture.warm.get(&path, &mover.key).await;
            assert_eq!(meanwhile.status, 200, "{path}, moved before call {call}: {}", meanwhile.text);
            if fixture.interleaving.end().await.1.is_some() {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_manager_who_becomes_another_has_the_rights_of_before_or_after() {
    let fixture = Fixture::new().await;
    let (warm, by) = (&fixture.warm, fixture.fixtures.provider.key.clone());
    let found = warm.get("/reviews?business__in=lyon-9", &by).await;
    let path = format!("/reviews/{}", found.json()["reviews"][0]["id"].as_str().expect("an id"));
    let mut number = 0;
    for (change, statuses) in [
        (json!({"role": "ORG_ADMIN", "business_ids": []}), [200, 200]),
        (json!({"business_ids": ["paris-9"]}), [200, 403]),
        (json!({"org_id": 1, "business_ids": ["lyon-1"]}), [200, 404]),
        (json!({"role": "ORG_ADMIN", "org_id": 1, "business_ids": []}), [200, 404]),
        (json!({"status": "invited"}), [200, 401]),
    ] {
        for call in 1..=MAX_CALLS {
            number += 1;
            let local = format!("changing-{number}");
            let manager = warm.create_user(&local, Role::BusinessManager, Some(2), Status::Active).await;
            let manager_path = format!("/user/{}", manager.id);
            let given = warm.post(&manager_path, &by, &json!({"business_ids": ["lyon-9"]})).await;
            assert_eq!(given.status, 200, "{}", given.text);
            let (other, by, body) = (Arc::clone(&fixture.other), by.clone(), change.clone());
            let event = async move {
                let changed = other.post(&manager_path, &by, &body).await;
                assert_eq!(changed.status, 200, "{}", changed.text);
            };
            fixture.interleaving.before(call, Box::pin(event)).await;
            let state = if call % 2 == 0 { "treated" } else { "not_treated" };
            let set = warm.request("PUT", &path).header("x-api-key", &manager.key).json(&json!({ "state": state }));
            let set = send(set).await;
            assert!(statuses.contains(&set.status), "{change} before call {call}: {set:?}");
            if fixture.interleaving.end().await.1.is_some() {
                assert!(call > 3, "a change makes few calls");
                break;
            }
        }
    }
}
