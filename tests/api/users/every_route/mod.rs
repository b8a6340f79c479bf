//! Rules of every operation on users: parsing, keys, paths, media types, sizes and the order of checks.

mod api_keys;
mod check_order;
mod media_types_and_sizes;
mod parsing;
mod paths;

use jiff::SignedDuration;
use presence_domain::api_key::PlaintextApiKey;
use presence_domain::ids::UserId;
use presence_domain::user::{Role, Status};
use presence_runtime::clock::Clock as _;
use presence_store::NewApiKey;

use super::fixture::{Case, CaseRunner};

pub(super) fn cases() -> Vec<Case> {
    [api_keys::cases(), media_types_and_sizes::cases(), check_order::cases(), paths::cases(), parsing::cases()].concat()
}

/// Operations by method and path, on a user that the caller sees and that is not active.
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
async fn every_case_of_parsing_gets_its_answer() {
    CaseRunner::start().await.run(&parsing::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_paths_media_types_and_sizes_gets_its_answer() {
    let mut runner = CaseRunner::start().await;
    runner.run(&paths::cases()).await;
    runner.run(&media_types_and_sizes::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_come_in_the_documented_order() {
    CaseRunner::start().await.run(&check_order::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_api_keys_gets_its_answer() {
    let mut runner = CaseRunner::start().await;
    define_refused_keys(&mut runner).await;
    runner.run(&api_keys::cases()).await;
}

/// Defines a key of every kind that is refused, and `expiring.key`, which expires in an hour.
async fn define_refused_keys(runner: &mut CaseRunner) {
    let unknown = PlaintextApiKey::generate();
    runner.define("unknown.key", unknown.expose());
    let good = runner.value("admin_1.key").to_owned();
    let (body, last) = good.split_at(good.len() - 1);
    runner.define("mistyped.key", &format!("{body}{}", if last == "a" { "b" } else { "a" }));
    let now = runner.stack.clock.now();
    let owner = UserId::parse(runner.value("manager_1")).expect("an id");
    let for_an_hour = NewApiKey { label: None, expires_at: Some(now + SignedDuration::from_hours(1)) };
    let expiring = runner
        .stack
        .stores()
        .users
        .issue_key(owner, &for_an_hour, &presence_tests::operator(), now)
        .await
        .expect("an active user");
    runner.define("expiring.key", expiring.key.expose());
    let revoked = runner
        .stack
        .stores()
        .users
        .issue_key(owner, &NewApiKey::default(), &presence_tests::operator(), now)
        .await
        .expect("an active user");
    runner.stack.stores().users.revoke_key(revoked.id, &presence_tests::operator(), now).await.expect("a key");
    runner.define("revoked.key", revoked.key.expose());
    for name in ["leaving", "resting"] {
        let person = runner.stack.create_user(name, Role::BusinessManager, Some(1), Status::Active).await;
        runner.introduce(name, &person);
    }
}
