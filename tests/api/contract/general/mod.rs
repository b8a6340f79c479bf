//! What holds for every operation: reading, keys, paths, media types, sizes and the order of checks.

mod keys;
mod limits;
mod order;
mod paths;
mod reading;

use jiff::SignedDuration;
use presence::clock::Clock as _;
use presence::domain::api_key::PlaintextApiKey;
use presence::domain::ids::UserId;
use presence::domain::user::{Role, Status};
use presence::store::NewApiKey;

use super::row::Row;
use super::stage::Stage;

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
    Stage::open().await.play(&reading::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_methods_media_types_and_sizes_are_as_their_tables_say() {
    let mut stage = Stage::open().await;
    stage.play(&paths::rows()).await;
    stage.play(&limits::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_come_in_the_order_of_the_table() {
    Stage::open().await.play(&order::rows()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_taken_and_refused_as_the_table_says() {
    let mut stage = Stage::open().await;
    keys_that_give_no_access(&mut stage).await;
    stage.play(&keys::rows()).await;
}

/// Names keys of every kind that is refused, and `expiring.key`, which lives for an hour.
async fn keys_that_give_no_access(stage: &mut Stage) {
    let unknown = PlaintextApiKey::generate();
    stage.name("unknown.key", unknown.expose());
    let good = stage.named("admin_1.key").to_owned();
    let (body, last) = good.split_at(good.len() - 1);
    stage.name("mistyped.key", &format!("{body}{}", if last == "a" { "b" } else { "a" }));
    let now = stage.world.clock.now();
    let owner = UserId::parse(stage.named("manager_1")).expect("an id");
    let issue = |expires_at| NewApiKey { label: None, expires_at };
    let for_an_hour = issue(Some(now + SignedDuration::from_hours(1)));
    let expiring = stage.world.store().issue_key(owner, &for_an_hour, now).await.expect("an active user");
    stage.name("expiring.key", expiring.key.expose());
    let revoked = stage.world.store().issue_key(owner, &issue(None), now).await.expect("an active user");
    stage.world.store().revoke_key(&revoked.id, now).await.expect("a key");
    stage.name("revoked.key", revoked.key.expose());
    for name in ["leaving", "resting"] {
        let person = stage.world.person(name, Role::BusinessManager, Some(1), Status::Active).await;
        stage.introduce(name, &person);
    }
}
