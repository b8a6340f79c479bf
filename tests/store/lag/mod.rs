//! Indexes that lag behind their table: a search is right or refused, never stale, and no stale directory is cached.

pub(crate) mod model;

use presence_domain::user::Status;
use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{Fixtures, LagConnector, TestStack, address, in_process_client, long_timeouts, rng};
use serde_json::json;

use self::model::{change, list};
use super::bulk;
use crate::properties::model::{Member, Model};

/// Starts a stack whose indexes lag. Returns it with the handle that controls the lag.
async fn lagging(reads: u64) -> (TestStack, LagConnector) {
    let lag = LagConnector::new(reads);
    (TestStack::with(Options { http_client: Some(lag.over(in_process_client())), ..long_timeouts() }).await, lag)
}

/// Starts a second stack over the same tables, with the same lag: another instance of each function.
async fn second_stack(stack: &TestStack, lag: &LagConnector) -> TestStack {
    TestStack::with(Options { http_client: Some(lag.over(in_process_client())), ..stack.second_stack_options() }).await
}

/// Asserts that a search of the provider finds the users of the model.
async fn assert_search_equals(stack: &TestStack, model: &Model, key: &str, what: &str) {
    let (found, expected) = (list(stack, key, "").await, model.listed(None));
    assert_eq!(found, Some(expected), "{what}: the lag ends before the retries do");
}

#[tokio::test(flavor = "multi_thread")]
async fn search_of_a_frozen_index_is_right_by_the_change_log() {
    let (stack, lag) = lagging(0).await;
    let fixtures = Fixtures::create(&stack).await;
    let (key, provider) = (&fixtures.admin_1.key, &fixtures.provider.key);
    let mut model = Model::of(&stack, &fixtures).await;
    assert_eq!(stack.get("/user/search?query=test", provider).await.json()["count"], 10);
    lag.set_reads(u64::MAX);
    assert_eq!(stack.delete(&format!("/user/{}", fixtures.manager_1.id), key).await.status, 200);
    let moved = format!("/user/{}", fixtures.other_manager_1.id);
    assert_eq!(stack.post(&moved, provider, &json!({"org_id": 2, "last_name": "King"})).await.status, 200);
    model.remove(&fixtures.manager_1.id);
    model.put(&fixtures.other_manager_1.id, Member::new(Some(2), "King", Status::Active));

    for (what, stack) in [("warm", &stack), ("just started", &second_stack(&stack, &lag).await)] {
        assert_search_equals(stack, &model, provider, what).await;
        for (search, count) in [("query=king", 1), ("last_name=manager", 1), ("status=active", 7), ("org_id=2", 4)] {
            let reply = stack.get(&format!("/user/search?{search}"), provider).await;
            assert_eq!(
                (reply.status, &reply.json()["count"]),
                (200, &json!(count)),
                "{what}, {search}: {}",
                reply.text
            );
        }
        assert_eq!(stack.get("/user/search?query=manager", key).await.json()["count"], 0, "{what}");
    }
    assert!(lag.stale_answers() > 0, "the index did lag");
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_during_writes_are_exact_and_never_refused_while_the_index_is_frozen() {
    const WRITES: usize = 60;
    let mut rng = rng("frozen");
    let (writer, lag) = lagging(0).await;
    let fixtures = Fixtures::create(&writer).await;
    let key = &fixtures.provider.key;
    assert_eq!(writer.get("/user/search", key).await.status, 200);
    lag.set_reads(u64::MAX);
    let readers = [second_stack(&writer, &lag).await, second_stack(&writer, &lag).await];
    let mut model = Model::of(&writer, &fixtures).await;
    for write in 0..WRITES {
        // During a write, an answer is the model before it or after it.
        let before = model.clone();
        let ((), found) =
            futures::join!(change(&mut model, &writer, key, &mut rng), list(&readers[write % 2], key, "?org_id=1"));
        let found = found.unwrap_or_else(|| panic!("write {write}: refused"));
        assert!([&before, &model].iter().any(|model| model.listed(Some(1)) == found), "write {write}: {found:?}");
        assert_search_equals(&readers[rng.usize(0..2)], &model, key, &format!("after write {write}")).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn search_of_a_frozen_index_without_a_change_log_is_answered_with_503() {
    let (stack, lag) = lagging(0).await;
    let fixtures = Fixtures::create(&stack).await;
    let key = &fixtures.admin_1.key;
    assert_eq!(stack.get("/user/search?query=test", key).await.json()["count"], 6);
    lag.set_reads(u64::MAX);
    assert_eq!(stack.delete(&format!("/user/{}", fixtures.manager_1.id), key).await.status, 200);
    bulk::forget_changes(&stack).await;

    let mut is_in_memory = true;
    for search in ["?query=manager", "?status=active", "?display_business_ids=False"] {
        let reply = stack.get(&format!("/user/search{search}"), key).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "1"), "{search}: {}", reply.text);
        let of_memory =
            u64::from(is_in_memory && !search.contains("display_business_ids")) + u64::from(is_in_memory) * 2;
        // The index, then the head and the log, seven times; the head before six of them.
        assert_eq!(reply.logged_cost().calls, 2 + of_memory + 7 * 3 + 6, "{search}");
        assert!(!reply.text.contains("lag"), "{search}: the client is not told the reason: {}", reply.text);
        is_in_memory = false;
    }
    let past_the_end = stack.get("/user/search?page=9", key).await.json();
    assert_eq!(past_the_end, json!({"page": 9, "max_page": 1, "count": 5, "users": []}), "needs no user");
    let stats = json!({"count": 5, "invited_count": 1, "activate_count": 4});
    assert_eq!(stack.get("/user/stats", key).await.json(), stats, "counts come from the table");
    assert_eq!(stack.get(&format!("/user/{}", fixtures.manager_1.id), key).await.status, 404, "and so do users");

    lag.set_reads(0);
    assert_eq!(stack.get("/user/search?query=manager", key).await.json()["count"], 1, "no stale directory was kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_by_address_is_right_while_the_index_is_frozen() {
    let (stack, lag) = lagging(0).await;
    let fixtures = Fixtures::create(&stack).await;
    let (admin, provider) = (&fixtures.admin_1.key, &fixtures.provider.key);
    assert_eq!(stack.get("/user/search", provider).await.status, 200);
    lag.set_reads(u64::MAX);
    let count = async |email: &str, key: &str, more: &str| {
        let reply = stack.get(&format!("/user/search?email={email}{more}"), key).await;
        (reply.status, reply.json()["count"].clone())
    };
    let (old, new) = (fixtures.manager_1.email.clone(), address("moved"));
    let path = format!("/user/{}", fixtures.manager_1.id);
    let change = json!({"email": new, "last_name": "King"});
    assert_eq!(stack.post(&path, admin, &change).await.status, 200);
    assert_eq!(count(&old, admin, "").await, (200, 0.into()), "the address that was given up");
    assert_eq!(count(&new, admin, "&last_name=king&query=king").await, (200, 1.into()), "the new address");
    assert_eq!(count(&new, admin, "&last_name=test").await, (200, 0.into()), "not under the old name");

    assert_eq!(stack.post(&path, provider, &json!({"org_id": 2, "business_ids": []})).await.status, 200);
    assert_eq!(count(&new, admin, "").await, (200, 0.into()), "not in the old organisation");
    assert_eq!(count(&new, &fixtures.admin_2.key, "").await, (200, 1.into()), "in the new one");
    assert_eq!(stack.delete(&path, provider).await.status, 200);
    assert_eq!(count(&new, provider, "").await, (200, 0.into()), "deleted");
    assert_eq!(lag.stale_answers(), 0, "no index was read");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_organisation_is_searched_while_its_neighbour_lags() {
    let (stack, lag) = lagging(0).await;
    let fixtures = Fixtures::create(&stack).await;
    for key in [&fixtures.admin_1.key, &fixtures.admin_2.key] {
        assert_eq!(stack.get("/user/search", key).await.status, 200);
    }
    lag.set_reads(u64::MAX);
    assert_eq!(stack.delete(&format!("/user/{}", fixtures.manager_2.id), &fixtures.admin_2.key).await.status, 200);
    assert_eq!(stack.get("/user/search", &fixtures.admin_1.key).await.json()["count"], 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_that_moved_is_found_once_while_one_directory_in_memory_is_older_than_the_other() {
    let (stack, _) = lagging(0).await;
    let fixtures = Fixtures::create(&stack).await;
    let provider = &fixtures.provider.key;
    let before = stack.get("/user/search", provider).await.json();
    let moved = json!({"org_id": 2});
    assert_eq!(stack.post(&format!("/user/{}", fixtures.manager_1.id), provider, &moved).await.status, 200);
    // The function knows the mover's new organisation as it is, and the old one as it was.
    assert_eq!(stack.get("/user/search", &fixtures.admin_2.key).await.json()["count"], 4);
    let after = stack.get("/user/search", provider).await;
    assert_eq!((after.status, &after.json()["count"]), (200, &before["count"]), "{}", after.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn random_writes_and_searches_of_two_functions_agree_with_a_model() {
    const STEPS: usize = 120;
    let mut rng = rng("lag");
    let (one, lag) = lagging(0).await;
    let fixtures = Fixtures::create(&one).await;
    let mut model = Model::of(&one, &fixtures).await;
    let stacks = [second_stack(&one, &lag).await, one];
    let searches = [("", None), ("?org_id=1", Some(1)), ("?org_id=2", Some(2))];
    for step in 0..STEPS {
        lag.set_reads(rng.u64(0..4));
        let stack = rng.choice(&stacks).expect("two");
        if rng.bool() {
            change(&mut model, stack, &fixtures.provider.key, &mut rng).await;
        } else {
            let (search, org) = *rng.choice(&searches).expect("three");
            // A write between reads begins the lag again, so that even a short lag may outlast the retries. Then 503 is right, too.
            if let Some(found) = list(stack, &fixtures.provider.key, search).await {
                assert_eq!(found, model.listed(org), "step {step}, {search}");
            }
        }
        assert_eq!(
            stack.get("/user/stats", &fixtures.provider.key).await.json(),
            Model::stats(model.users.values()),
            "step {step}"
        );
    }
    assert!(lag.stale_answers() > 0, "the index did lag");
    assert_eq!(stacks[1].audit().await, []);
}
