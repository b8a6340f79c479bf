//! A warm function knows whom a key belonged to, and reads for them before it knows whether that is still so. What it answers
//! is right all the same: whatever becomes of the caller, and whenever, the next request counts it.

use std::sync::Arc;

use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::connectors::{Event, InterleavingConnector};
use presence_tests::{AnyRoute, Fixtures, Reply, TestStack, TestUser, long_timeouts, path_of, plain_http, routes};
use serde_json::json;

use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;

/// More calls than any of these requests makes.
const MAX_CALLS: u64 = 40;

/// What becomes of a caller.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Demoted,
    Moved,
    Disabled,
    Deleted,
    Revoked,
}

const FATES: [Fate; 5] = [Fate::Demoted, Fate::Moved, Fate::Disabled, Fate::Deleted, Fate::Revoked];

/// A function whose calls something can come between, and another one over the same tables that never saw the caller.
struct Fixture {
    warm: TestStack,
    other: Arc<TestStack>,
    interleaving: InterleavingConnector,
    fixtures: Fixtures,
    people: u32,
}

/// What is seen of an answer.
fn seen(reply: &Reply) -> (u16, String) {
    (reply.status, reply.text.clone())
}

impl Fixture {
    async fn new() -> Self {
        let interleaving = InterleavingConnector::new();
        let http_client = Some(interleaving.over(plain_http()));
        let warm = TestStack::with(Options { http_client, ..long_timeouts() }).await;
        let fixtures = Fixtures::create(&warm).await;
        load(warm.stores(), parse(DIRECTORY)).await;
        seed(&warm).await;
        let other = Arc::new(TestStack::with(warm.second_stack_options()).await);
        Self { warm, other, interleaving, fixtures, people: 0 }
    }

    /// A provider of organisation 2 that called before: each of its requests is begun before its key is looked at.
    async fn caller(&mut self, path: &str) -> (TestUser, Reply) {
        self.people += 1;
        let local = format!("caller-{}", self.people);
        let person = self.warm.create_user(&local, Role::Provider, Some(2), Status::Active).await;
        for _ in 0..2 {
            self.warm.get(path, &person.key).await;
        }
        let before = self.warm.get(path, &person.key).await;
        (person, before)
    }

    /// What becomes of the caller, still to happen.
    fn event(&self, person: &TestUser, fate: Fate) -> Event {
        let (other, by) = (Arc::clone(&self.other), self.fixtures.provider.key.clone());
        let (path, id) = (format!("/user/{}", person.id), UserId::parse(&person.id).expect("an id"));
        Box::pin(async move {
            let change = match fate {
                Fate::Demoted => json!({"role": "BUSINESS_MANAGER"}),
                Fate::Moved => json!({"role": "ORG_ADMIN", "org_id": 1}),
                Fate::Disabled => json!({"status": "invited"}),
                Fate::Deleted => {
                    assert_eq!(other.delete(&path, &by).await.status, 200);
                    return;
                }
                Fate::Revoked => return revoke_all(&other, id).await,
            };
            let changed = other.post(&path, &by, &change).await;
            assert_eq!(changed.status, 200, "{}", changed.text);
        })
    }

    /// One fate before each call of a request, each for a caller of its own.
    async fn run(&mut self, route: &AnyRoute, fate: Fate) {
        for call in 1..=MAX_CALLS {
            let path = path_of(route, &self.fixtures.manager_2.id, "c-bank");
            let path = if path.starts_with("/category") { format!("{path}?lang=FR") } else { path };
            let (person, before) = self.caller(&path).await;
            assert_eq!(before.status, 200, "{path}: {}", before.text);
            self.interleaving.before(call, self.event(&person, fate)).await;
            let meanwhile = self.warm.get(&path, &person.key).await;
            let (_, pending) = self.interleaving.end().await;
            let is_over = pending.is_some();
            if let Some(event) = pending {
                event.await;
            }
            let next = self.warm.get(&path, &person.key).await;
            let right = self.other.get(&path, &person.key).await;
            let what = format!("{path}: {fate:?} before call {call}");
            assert_eq!(seen(&next), seen(&right), "{what}, the next request");
            if call == 1 {
                assert_eq!(seen(&meanwhile), seen(&right), "{what}");
            }
            let is_old_or_new = [seen(&before), seen(&right)].contains(&seen(&meanwhile));
            // The caller may be shown, listed or counted in another standing than at the look at the key.
            let has_caller = ["get_me", "search_users", "get_user_stats"].contains(&route.name);
            assert!(is_old_or_new || (has_caller && meanwhile.status == 200), "{what}: {meanwhile:?}");
            if matches!(fate, Fate::Disabled | Fate::Deleted | Fate::Revoked) {
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
        stack.stores().users.revoke_key(&key.id(), now).await.expect("the store answers");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_becomes_of_a_caller_counts_from_the_next_request_on_in_every_warm_function() {
    let mut fixture = Fixture::new().await;
    for route in routes().into_iter().filter(|route| route.method == "GET") {
        for fate in FATES {
            fixture.run(&route, fate).await;
        }
    }
    assert_eq!(fixture.warm.audit().await, []);
}
