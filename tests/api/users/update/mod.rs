//! `POST /api/v2/user/{user_id}`

mod fields;
mod membership;
mod status;

use presence_domain::email::EmailAddress;
use presence_domain::ids::BusinessId;
use presence_domain::password::Password;
use presence_domain::user::{Role, Status, User};
use presence_tests::{TestUser, address, test_user};
use presence_users::password_hashing::hash;

use super::fixture::{Case, CaseRunner, create, post};

pub(super) fn cases() -> Vec<Case> {
    [fields::cases(), membership::cases(), status::cases(), max_businesses()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_updated_fields_gets_its_answer_and_effect() {
    let mut runner = CaseRunner::start().await;
    create_elder(&mut runner).await;
    runner.run(&fields::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_updated_membership_gets_its_answer_and_effect() {
    let mut runner = CaseRunner::start().await;
    runner.stack.create_org(77).await;
    create_keeper(&mut runner).await;
    runner.run(&membership::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_updated_status_gets_its_answer_and_effect() {
    let mut runner = CaseRunner::start().await;
    create_waiting(&mut runner).await;
    runner.run(&status::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_has_at_most_2000_businesses() {
    let mut runner = CaseRunner::start().await;
    crate::store::bulk::businesses(&runner.stack, 1, MAX_BUSINESSES as u64 + 1).await;
    runner.run(&max_businesses()).await;
}

/// Largest number of businesses of one user.
const MAX_BUSINESSES: usize = 2_000;

fn max_businesses() -> Vec<Case> {
    let ids: Vec<_> = (1..=MAX_BUSINESSES + 1).rev().map(|number| format!("many-{number}")).collect();
    let body =
        |ids: &[String]| format!(r#"{{"business_ids":{}}}"#, serde_json::to_string(ids).expect("texts are JSON"));
    let doubled = [&ids[..MAX_BUSINESSES], &ids[..1]].concat();
    let uuids: Vec<_> = (0..MAX_BUSINESSES).map(|number| format!("0b8e5c1a-7d2f-4a93-9c46-{number:012x}")).collect();
    let too_many = r#"{"business_ids":"must have at most 2000 ids"}"#;
    let all = format!("businesses={}", ids[..MAX_BUSINESSES].join(","));
    vec![
        create("2,000 businesses, in their order", &body(&ids[..MAX_BUSINESSES])).creates("busy").stores("busy", &all),
        create("2,001 businesses, all of them known", &body(&ids)).bad_fields(too_many),
        post("update: none", "/user/<busy>", body(&[])).succeeds("busy").stores("busy", "businesses=none"),
        post("update: 2,001", "/user/<busy>", body(&ids)).bad_fields(too_many),
        post("update: 2,000", "/user/<busy>", body(&ids[..MAX_BUSINESSES])).succeeds("busy").stores("busy", &all),
        post("what is given twice counts once", "/user/<busy>", body(&doubled))
            .succeeds("busy")
            .stores("busy", "version=3"),
        post("2,000 ids as long as UUIDs fit into a body", "/user/<busy>", body(&uuids))
            .bad_fields(&format!(r#"{{"business_ids":"unknown businesses: {}"}}"#, uuids.join(", "))),
    ]
}

/// Creates `waiting`: an invited user with a password, as an import can leave one.
async fn create_waiting(runner: &mut CaseRunner) {
    let password = hash(&Password::parse("canary-pass-0").expect("a password"));
    store_user(runner, "waiting", |user| User { status: Status::Invited, password: Some(password), ..user }).await;
}

/// Creates `keeper`: a user with a key and with a business that no longer exists.
async fn create_keeper(runner: &mut CaseRunner) {
    let ids = ["gone-1", "b1-1"].map(|id| BusinessId::parse(id).expect("an id"));
    let id = store_user(runner, "keeper", |user| User { business_ids: ids.to_vec(), ..user }).await;
    let key = runner.stack.issue_key(&id).await;
    runner.introduce("keeper", &TestUser { id, email: address("keeper"), key });
}

/// Creates `elder`: a user with an address from the time before addresses had to be ASCII.
async fn create_elder(runner: &mut CaseRunner) {
    let typed = format!("Zoë.{}", address("elder"));
    let email = EmailAddress::parse(&typed).expect("an address");
    let id = store_user(runner, "elder", |user| User { email, ..user }).await;
    runner.introduce("elder", &TestUser { id, email: typed, key: String::new() });
}

/// Stores an active user of organisation 1 without the API, and returns the id.
async fn store_user(runner: &mut CaseRunner, who: &str, change: impl FnOnce(User) -> User) -> String {
    let user = change(test_user(who, Role::BusinessManager, Some(1), Status::Active));
    runner.stack.put_user(&user).await;
    let person = TestUser { id: user.id.to_string(), email: address(who), key: String::new() };
    runner.introduce(who, &person);
    person.id
}
