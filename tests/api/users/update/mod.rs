//! `POST /api/v2/user/{user_id}`

mod fields;
mod standing;
mod transitions;

use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::password::Password;
use presence_domain::user::{PersonName, Role, Status, User};
use presence_tests::{TestUser, address};
use presence_users::password_hashing::hash;

use super::fixture::{Case, CaseRunner, create, post};

pub(super) fn cases() -> Vec<Case> {
    [fields::cases(), standing::cases(), transitions::cases(), most_businesses()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn update_changes_fields_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    elder_with_an_address_of_another_script(&mut runner).await;
    runner.run(&fields::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn update_changes_standing_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    runner.stack.create_org(77).await;
    keeper_of_a_business_that_is_gone(&mut runner).await;
    runner.run(&standing::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn update_changes_status_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    waiting_with_a_password(&mut runner).await;
    runner.run(&transitions::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_has_at_most_2000_businesses() {
    let mut runner = CaseRunner::start().await;
    crate::store::bulk::businesses(&runner.stack, 1, MOST as u64 + 1).await;
    runner.run(&most_businesses()).await;
}

/// The most businesses of one user.
const MOST: usize = 2_000;

fn most_businesses() -> Vec<Case> {
    let ids: Vec<_> = (1..=MOST + 1).rev().map(|number| format!("many-{number}")).collect();
    let body =
        |ids: &[String]| format!(r#"{{"business_ids":{}}}"#, serde_json::to_string(ids).expect("texts are JSON"));
    let doubled = [&ids[..MOST], &ids[..1]].concat();
    let uuids: Vec<_> = (0..MOST).map(|number| format!("0b8e5c1a-7d2f-4a93-9c46-{number:012x}")).collect();
    let too_many = r#"{"business_ids":"must have at most 2000 ids"}"#;
    let all = format!("businesses={}", ids[..MOST].join(","));
    vec![
        create("2,000 businesses, in their order", &body(&ids[..MOST])).makes("busy").facts("busy", &all),
        create("2,001 businesses, all of them known", &body(&ids)).bad(too_many),
        post("update: none", "/user/<busy>", body(&[])).done("busy").facts("busy", "businesses=none"),
        post("update: 2,001", "/user/<busy>", body(&ids)).bad(too_many),
        post("update: 2,000", "/user/<busy>", body(&ids[..MOST])).done("busy").facts("busy", &all),
        post("what is given twice counts once", "/user/<busy>", body(&doubled)).done("busy").facts("busy", "version=3"),
        post("2,000 ids as long as UUIDs fit into a body", "/user/<busy>", body(&uuids))
            .bad(&format!(r#"{{"business_ids":"unknown businesses: {}"}}"#, uuids.join(", "))),
    ]
}

/// An invited user with a password, as an import could make one: `waiting`.
async fn waiting_with_a_password(runner: &mut CaseRunner) {
    let password = hash(&Password::parse("canary-pass-0").expect("a password"));
    stored(runner, "waiting", |user| User { status: Status::Invited, password: Some(password), ..user }).await;
}

/// A user who may write a business that does not exist any more, with a key: `keeper`.
async fn keeper_of_a_business_that_is_gone(runner: &mut CaseRunner) {
    let ids = ["gone-1", "b1-1"].map(|id| BusinessId::parse(id).expect("an id"));
    let id = stored(runner, "keeper", |user| User { business_ids: ids.to_vec(), ..user }).await;
    let key = runner.stack.issue_key(&id).await;
    runner.introduce("keeper", &TestUser { id, email: address("keeper"), key });
}

/// A user of organisation 1 with an address that was taken before addresses had to be ASCII: `elder`.
async fn elder_with_an_address_of_another_script(runner: &mut CaseRunner) {
    let typed = format!("Zoë.{}", address("elder"));
    let email = EmailAddress::parse(&typed).expect("an address");
    let id = stored(runner, "elder", |user| User { email, ..user }).await;
    runner.introduce("elder", &TestUser { id, email: typed, key: String::new() });
}

/// Puts an active user of organisation 1 into the store, past the API, and returns its id.
async fn stored(runner: &mut CaseRunner, who: &str, change: impl FnOnce(User) -> User) -> String {
    let name = |text: &str| PersonName::parse(text).expect("a name");
    let user = change(User {
        id: UserId::random(),
        version: 1,
        status: Status::Active,
        role: Role::BusinessManager,
        org_id: presence_domain::ids::OrgId::new(1),
        first_name: name("Test"),
        last_name: name(who),
        email: EmailAddress::parse(&address(who)).expect("an address"),
        phone: None,
        lang: None,
        business_ids: Vec::new(),
        password: None,
        invited_at: None,
        quiet_until: None,
        links: InvitationLinks::default(),
        keys: Vec::new(),
    });
    runner.stack.put_user(&user).await;
    let person = TestUser { id: user.id.to_string(), email: address(who), key: String::new() };
    runner.introduce(who, &person);
    person.id
}
