//! `GET /api/v2/user/search`

mod filters;
mod order;
mod paging;
mod query;

use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, UserId};
use presence_domain::user::{PersonName, Phone, Role, Status, User};
use presence_tests::{TestUser, address, test_user};

use super::fixture::{Case, CaseRunner};

pub(super) fn cases() -> Vec<Case> {
    [filters::cases(), order::cases(), paging::cases(), query::cases()].concat()
}

/// User to be found: name in the tables, first name, last name, local part of the address (or all of it), status, organisation.
type SearchedUser = (&'static str, &'static str, &'static str, &'static str, Status, Option<u64>);

/// Stores users without the API. Their ids count from `first_id` on.
async fn store_users(runner: &mut CaseRunner, users: &[SearchedUser], first_id: u64) {
    for (id, (name, first_name, last_name, email, status, org)) in (first_id..).zip(users) {
        let typed = if email.contains('@') { (*email).to_owned() } else { address(email) };
        let role = if org.is_some() { Role::BusinessManager } else { Role::Provider };
        let user = User {
            id: UserId::parse(&id.to_string()).expect("an id"),
            first_name: PersonName::parse(first_name).expect("a name"),
            last_name: PersonName::parse(last_name).expect("a name"),
            email: EmailAddress::parse(&typed).expect("an address"),
            phone: Phone::parse(if *name == "ana" { "+33 1" } else { "" }).expect("a phone"),
            business_ids: if *name == "ana" { vec![BusinessId::parse("b7-1").expect("an id")] } else { Vec::new() },
            ..test_user(name, role, *org, *status)
        };
        runner.stack.put_user(&user).await;
        runner.introduce(name, &TestUser { id: user.id.to_string(), email: typed, key: String::new() });
    }
}

/// Creates `reader`: an `ORG_ADMIN` whose name and address no search by a name finds.
async fn create_reader(runner: &mut CaseRunner, org: u64) {
    let person = runner.stack.create_user("zz", Role::OrgAdmin, Some(org), Status::Active).await;
    runner.introduce("reader", &person);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_search_filters_gets_its_answer() {
    let mut runner = CaseRunner::start().await;
    create_reader(&mut runner, 7).await;
    runner.stack.create_business(7, "b7-1", "Lyon").await;
    store_users(&mut runner, &filters::USERS, 1_000).await;
    runner.run(&filters::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_fuzzy_search_finds_its_users() {
    let mut runner = CaseRunner::start().await;
    create_reader(&mut runner, 7).await;
    store_users(&mut runner, &query::USERS, 1_000).await;
    runner.run(&query::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_search_order_gets_its_users_in_order() {
    let mut runner = CaseRunner::start().await;
    create_reader(&mut runner, 7).await;
    store_users(&mut runner, &order::USERS, 1).await;
    store_users(&mut runner, &order::LATER_IDS, 9).await;
    runner.run(&order::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_of_search_pages_gets_its_page() {
    let mut runner = CaseRunner::start().await;
    create_reader(&mut runner, 7).await;
    paging::store_crowd(&mut runner).await;
    runner.run(&paging::cases()).await;
}
