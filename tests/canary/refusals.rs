//! Every operation, through what the database does wrong.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use presence::access::Scope;
use presence::domain::ids::UserId;
use presence::domain::user::PersonName;
use presence::store::schema::USERS;
use presence::store::{MailChange, UserChange};
use presence_local::Options;
use presence_tests::logs::{self, NAME_CANARY};
use presence_tests::{Cast, FaultKind, Faults, Plan, World, patient, plain_http, sdk_config};
use presence_users::{Operation, ROUTES};

use super::{ask, assert_logged, guest, name_of};

/// How long an answer is held back for others to get in between; and how often that is tried.
const HELD_BACK: Duration = Duration::from_millis(100);
const TRIES: usize = 20;

async fn faulty() -> (World, Faults, Cast) {
    let faults = Faults::over(plain_http());
    let options = Options { http_client: Some(SharedHttpClient::new(faults.clone())), ..patient() };
    let world = World::with(options).await;
    let cast = Cast::enter(&world).await;
    assert_eq!(world.get("/user/me", &cast.admin_1.key).await.status, 200, "a warm key: the calls have fixed numbers");
    (world, faults, cast)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_fails_leaks_nothing() {
    let (world, faults, cast) = faulty().await;
    let mut id = guest(&world, &cast).await;
    for route in ROUTES {
        // The key's read, the operation's own and what comes behind it: the transaction, or the index. A cut answer has
        // data in what is left of it.
        let calls = [FaultKind::ServerError, FaultKind::CutBody, FaultKind::CutBody];
        let three = !matches!(route.operation, Operation::Me | Operation::Get | Operation::Stats | Operation::Create);
        for (number, kind) in (1..=if three { 3 } else { 2 }).zip(calls) {
            faults.restart(Plan::At { call: number, kind, times: u64::MAX });
            let reply = ask(&world, &cast.admin_1.key, &id, route.operation, "").await;
            assert_logged(&reply, route.name, 503);
            assert_eq!(reply.header("retry-after"), "1");
        }
        if three && route.operation != Operation::Search {
            id = guest_past(&faults, &world, &cast).await;
        }
    }
    for kind in [FaultKind::TransactionConflict, FaultKind::Throttle, FaultKind::RefuseConnection] {
        faults.restart(Plan::At { call: 3, kind, times: u64::MAX });
        let reply = ask(&world, &cast.admin_1.key, &id, Operation::Update, "").await;
        assert_logged(&reply, name_of(Operation::Update), 503);
    }
    faults.restart(Plan::None);
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stored_user_that_does_not_fit_leaks_nothing() {
    let (world, _, cast) = faulty().await;
    let id = guest(&world, &cast).await;
    let client = Client::from_conf(sdk_config(world.stack.dynamodb_url()));
    let update =
        client.update_item().table_name(world.store().name(&USERS)).key("pk", AttributeValue::S(format!("USER#{id}")));
    let update = update.key("sk", AttributeValue::S("USER".to_owned())).update_expression("SET business_ids = :wrong");
    let wrong = AttributeValue::S(format!("{NAME_CANARY}: not a list"));
    update.expression_attribute_values(":wrong", wrong).send().await.expect("DynamoDB answers");
    for operation in [Operation::Get, Operation::Update, Operation::Delete, Operation::Invite] {
        assert_logged(&ask(&world, &cast.admin_1.key, &id, operation, "").await, name_of(operation), 500);
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_others_always_win_leaks_nothing() {
    let (world, faults, cast) = faulty().await;
    for operation in [Operation::Update, Operation::Invite, Operation::Delete] {
        let mut status = 0;
        for _ in 0..TRIES {
            let id = guest_past(&faults, &world, &cast).await;
            faults.restart(Plan::EveryAttempt(FaultKind::Delay(HELD_BACK)));
            let asking = ask(&world, &cast.admin_1.key, &id, operation, "");
            let reply = tokio::select! {
                reply = asking => reply,
                () = rename_for_ever(&world, &id) => unreachable!("it never ends"),
            };
            status = reply.status;
            if status == 409 {
                assert_logged(&reply, name_of(operation), 409);
                break;
            }
        }
        assert_eq!(status, 409, "{operation:?}");
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

/// A guest, created while nothing is broken: an earlier one may be gone or changed although its answer said otherwise.
async fn guest_past(faults: &Faults, world: &World, cast: &Cast) -> String {
    faults.restart(Plan::None);
    guest(world, cast).await
}

/// Changes the user again and again, past the API and its faults.
async fn rename_for_ever(world: &World, id: &str) {
    let id = UserId::parse(id).expect("an id");
    for round in 0_u64.. {
        let record = world.store().user_record(Scope::for_operator(), id).await.expect("the store answers");
        let Some(record) = record else { return std::future::pending().await };
        let mut after = record.user.clone();
        after.last_name = PersonName::parse(&format!("{NAME_CANARY} {round}")).expect("a name");
        let now = presence::clock::Clock::now(world.clock.as_ref());
        let mail = MailChange::Keep;
        let change = UserChange { before: Some(&record), after: Some(&after), mail, keep_an_admin: false, now };
        // Refused when the request was faster: then the next one may win.
        let _ = world.store().write_user(change).await;
    }
}
