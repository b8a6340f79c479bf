//! `GET /api/v2/user/search`

mod filters;
mod order;
mod paging;
mod query;

use presence_domain::email::EmailAddress;
use presence_domain::ids::{BusinessId, OrgId, UserId};
use presence_domain::invitation::InvitationLinks;
use presence_domain::user::{PersonName, Phone, Role, Status, User};
use presence_tests::{TestUser, address};

use super::fixture::{Case, CaseRunner};

pub(super) fn cases() -> Vec<Case> {
    [filters::cases(), order::cases(), paging::cases(), query::cases()].concat()
}

/// Somebody to be found: name, first and last name, local part of the address (or a whole one), status, organisation.
type Found = (&'static str, &'static str, &'static str, &'static str, Status, Option<u64>);

/// Puts people into a runner's stack; ids follow from `first_id` on.
async fn people(runner: &mut CaseRunner, people: &[Found], first_id: u64) {
    for (id, (name, first_name, last_name, email, status, org)) in (first_id..).zip(people) {
        let typed = if email.contains('@') { (*email).to_owned() } else { address(email) };
        let user = User {
            id: UserId::parse(&id.to_string()).expect("an id"),
            version: 1,
            status: *status,
            role: if org.is_some() { Role::BusinessManager } else { Role::Provider },
            org_id: org.and_then(OrgId::new),
            first_name: PersonName::parse(first_name).expect("a name"),
            last_name: PersonName::parse(last_name).expect("a name"),
            email: EmailAddress::parse(&typed).expect("an address"),
            phone: Phone::parse(if *name == "ana" { "+33 1" } else { "" }).expect("a phone"),
            lang: None,
            business_ids: if *name == "ana" { vec![BusinessId::parse("b7-1").expect("an id")] } else { Vec::new() },
            password: None,
            invited_at: None,
            quiet_until: None,
            links: InvitationLinks::default(),
            keys: Vec::new(),
        };
        runner.stack.put_user(&user).await;
        runner.introduce(name, &TestUser { id: user.id.to_string(), email: typed, key: String::new() });
    }
}

/// An `ORG_ADMIN` whose name and address no search of the tables finds.
async fn reader(runner: &mut CaseRunner, org: u64) {
    let person = runner.stack.create_user("zz", Role::OrgAdmin, Some(org), Status::Active).await;
    runner.introduce("reader", &person);
}

#[tokio::test(flavor = "multi_thread")]
async fn search_filters_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    reader(&mut runner, 7).await;
    runner.stack.create_business(7, "b7-1", "Lyon").await;
    people(&mut runner, &filters::PEOPLE, 1_000).await;
    runner.run(&filters::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_forgives_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    reader(&mut runner, 7).await;
    people(&mut runner, &query::PEOPLE, 1_000).await;
    runner.run(&query::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_orders_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    reader(&mut runner, 7).await;
    people(&mut runner, &order::PEOPLE, 1).await;
    people(&mut runner, &order::LATER_IDS, 9).await;
    runner.run(&order::cases()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_pages_as_the_table_says() {
    let mut runner = CaseRunner::start().await;
    reader(&mut runner, 7).await;
    paging::crowd(&mut runner).await;
    runner.run(&paging::cases()).await;
}
