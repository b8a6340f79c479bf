//! What holds for every operation: reading, keys, paths, media types, sizes and the order of checks.

mod keys;
mod limits;
mod order;
mod paths;
mod reading;

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::NewApiKey;

use super::fixture::Fixture;
use super::row::Row;

pub(super) fn rows() -> Vec<Row> {
    [keys::rows(), limits::rows(), order::rows(), paths::rows(), reading::rows()].concat()
}

/// Every operation by method and path, on a user that the caller sees and that is not active.
const OPERATIONS: [(&str, &str); 8] = [
    ("GET", "/user/me"),
    ("GET", "/user/search"),
    ("GET", "/user/stats"),
    ("GET", "/user/<invited_1>"),
    ("POST", "/user"),
    ("POST", "/user/<invited_1>"),
    ("DELETE", "/user/<invited_1>"),
    ("POST", "/user/<invited_1>/invite"),
];

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_read_strictly_as_the_table_says() {
    Fixture::open().await.run(&reading::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_methods_media_types_and_sizes_are_as_their_tables_say() {
    let mut fixture = Fixture::open().await;
    fixture.run(&paths::rows()).await;
    fixture.run(&limits::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_come_in_the_order_of_the_table() {
    Fixture::open().await.run(&order::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_taken_and_refused_as_the_table_says() {
    let mut fixture = Fixture::open().await;
    keys_that_give_no_access(&mut fixture).await;
    fixture.run(&keys::rows()).await;
}

/// Names keys of every kind that is refused, and `expiring.key`, which lives for an hour.
async fn keys_that_give_no_access(fixture: &mut Fixture) {
    let unknown = PlaintextApiKey::generate();
    fixture.name("unknown.key", unknown.expose());
    let good = fixture.named("admin_1.key").to_owned();
    let (body, last) = good.split_at(good.len() - 1);
    fixture.name("mistyped.key", &format!("{body}{}", if last == "a" { "b" } else { "a" }));
    let now = fixture.stack.clock.now();
    let owner = UserId::parse(fixture.named("manager_1")).expect("an id");
    let issue = |expires_at| NewApiKey { label: None, expires_at };
    let for_an_hour = issue(Some(now + SignedDuration::from_hours(1)));
    let expiring = fixture.stack.stores().users.issue_key(owner, &for_an_hour, now).await.expect("an active user");
    fixture.name("expiring.key", expiring.key.expose());
    let revoked = fixture.stack.stores().users.issue_key(owner, &issue(None), now).await.expect("an active user");
    fixture.stack.stores().users.revoke_key(&revoked.id, now).await.expect("a key");
    fixture.name("revoked.key", revoked.key.expose());
    for name in ["leaving", "resting"] {
        let person = fixture.stack.create_user(name, Role::BusinessManager, Some(1), Status::Active).await;
        fixture.introduce(name, &person);
    }
}
