//! Failures of the database in every operation.

use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::logs::{self, NAME_CANARY};
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, Plan, TestStack, in_process_client, long_timeouts, route, routes,
    short_retries,
};

use super::{assert_logged, call, create_target, create_target_of, key_for, seed};
use presence_tests::PauseConnector;

async fn faulty() -> (TestStack, FaultConnector, Fixtures) {
    let faults = FaultConnector::new();
    let options = Options { http_client: Some(faults.over(in_process_client())), ..short_retries() };
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    for key in [&fixtures.admin_1.key, &fixtures.provider.key] {
        assert_eq!(stack.get("/user/me", key).await.status, 200, "a warm key: the calls have fixed numbers");
    }
    (stack, faults, fixtures)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_fails_leaks_nothing() {
    let (stack, faults, fixtures) = faulty().await;
    seed(&stack, &fixtures).await;
    for route in routes() {
        faults.restart(Plan::None);
        let id = create_target_of(&route, &stack, &fixtures).await;
        // The first call reads the key, the second is the operation's own, the third a transaction or an index. A cut answer
        // still has data.
        let calls = [FaultKind::ServerError, FaultKind::CutBody, FaultKind::CutBody];
        let two = matches!(
            route.name,
            "get_me"
                | "get_user"
                | "get_user_stats"
                | "search_users"
                | "create_user"
                | "search_categories"
                | "get_category"
                | "get_review"
                | "get_reply"
                | "report_reply_outcome"
                | "search_businesses"
                | "list_events"
                | "list_webhooks"
                | "get_webhook"
                | "test_webhook"
        );
        for (number, kind) in (1..=if two { 2 } else { 3 }).zip(calls) {
            faults.restart(Plan::At { call: number, kind, times: u64::MAX });
            let reply = call(&stack, key_for(&fixtures, &route), &id, &route, "").await;
            assert_logged(&reply, route.name, 503);
            assert_eq!(reply.header("retry-after"), "1");
        }
    }
    faults.restart(Plan::None);
    let id = create_target(&stack, &fixtures).await;
    let update = route("update_user");
    for kind in [FaultKind::TransactionConflict, FaultKind::Throttle, FaultKind::RefuseConnection] {
        faults.restart(Plan::At { call: 3, kind, times: u64::MAX });
        let reply = call(&stack, &fixtures.admin_1.key, &id, &update, "").await;
        assert_logged(&reply, update.name, 503);
    }
    faults.restart(Plan::None);
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_corrupt_stored_user_leaks_nothing() {
    let (stack, _, fixtures) = faulty().await;
    let id = create_target(&stack, &fixtures).await;
    stack.corrupt(&id, &format!("{NAME_CANARY}: not a list")).await;
    for route in routes().into_iter().filter(|route| route.path.contains("{user_id}")) {
        assert_logged(&call(&stack, &fixtures.admin_1.key, &id, &route, "").await, route.name, 500);
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_always_loses_to_another_leaks_nothing() {
    let pause = PauseConnector::new();
    let options = Options { http_client: Some(pause.over(in_process_client())), ..long_timeouts() };
    let stack = TestStack::with(options).await;
    let fixtures = Fixtures::create(&stack).await;
    for route in ["update_user", "invite_user", "delete_user"].map(route) {
        let id = create_target(&stack, &fixtures).await;
        pause.arm();
        let asking = call(&stack, &fixtures.admin_1.key, &id, &route, "");
        let reply = tokio::select! {
            reply = asking => reply,
            () = pause.rename_before_each_change(&stack, &id, NAME_CANARY) => unreachable!("it never ends"),
        };
        assert_logged(&reply, route.name, 409);
        pause.disarm();
    }
    assert_eq!(logs::leaks(), Vec::<String>::new());
}
