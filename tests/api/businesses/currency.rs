//! Currency: a search shows every change that ended before it, whatever happens to writers and readers.

use std::sync::Arc;

use fastrand::Rng;
use presence_local::Options;
use presence_store::Stores;
use presence_tests::ConnectorLayer as _;
use presence_tests::connectors::InterleavingConnector;
use presence_tests::{
    FaultConnector, FaultKind, Fixtures, Plan, TestStack, in_process_client, long_timeouts, rng, short_retries,
};
use tokio::sync::Notify;

use super::{business, fill, found, put, sorted, stored};

const SEARCH: &str = "/business/search?per_page=100";
/// Upper bound on the calls of a search.
const MAX_CALLS: u64 = 30;
/// Number of slots of the log of changes.
const SLOTS: u64 = 1_024;
const ROUNDS: u64 = 25;
const CHANGES: u64 = 4;

/// Returns the stores of another process over the same tables.
fn other_process(stack: &TestStack) -> Stores {
    stack.stores_through(in_process_client(), long_timeouts(), stack.table_prefix())
}

/// Asserts that the functions of a stack find what the table holds.
async fn assert_current(stack: &TestStack, key: &str, what: &str) {
    assert_eq!(sorted(found(&stack.get(SEARCH, key).await)), stored(stack).await, "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_between_any_two_calls_of_a_search_is_in_this_answer_or_the_next() {
    for is_cold in [false, true] {
        let stack = Arc::new(TestStack::start().await);
        let fixtures = fill(&stack).await;
        let key = &fixtures.provider.key;
        let interleaving = InterleavingConnector::new();
        let over =
            || Options { http_client: Some(interleaving.over(in_process_client())), ..stack.second_stack_options() };
        let mut reader = TestStack::with(over()).await;
        assert_current(&reader, key, "before").await;
        for call in 1..=MAX_CALLS {
            if is_cold {
                reader = TestStack::with(over()).await;
            }
            let before = stored(&stack).await;
            // Another change is announced already, so that the search has entries to read.
            put(&other_process(&stack), ("m2", 1, &format!("Avant {call}"), "Lyon")).await;
            let between = stored(&stack).await;
            let writer = Arc::clone(&stack);
            let event = async move {
                let stores = other_process(&writer);
                put(&stores, ("m1", 1 + call % 2, &format!("Entre {call}"), "Lyon")).await;
                stores.businesses.release_changes().await.expect("the store answers");
            };
            interleaving.before(call, Box::pin(event)).await;
            let meanwhile = sorted(found(&reader.get(SEARCH, key).await));
            let (_, pending) = interleaving.end().await;
            let is_over = pending.is_some();
            let after = stored(&stack).await;
            let what = format!("cold: {is_cold}, before call {call}");
            assert!(call > 1 || meanwhile == after, "{what}: it began after the change");
            assert!(before != between && [&between, &after].contains(&&meanwhile), "{what}: {meanwhile:?}");
            assert_current(&reader, key, &what).await;
            if is_over {
                break;
            }
            assert!(call < MAX_CALLS, "a search makes fewer calls");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_put_that_dies_at_any_call_makes_no_search_stale() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.provider.key;
    let faults = FaultConnector::new();
    let stores = || stack.stores_through(faults.over(in_process_client()), short_retries(), stack.table_prefix());
    assert_current(&stack, key, "before").await;
    for kind in [FaultKind::ServerError, FaultKind::LoseReply, FaultKind::RefuseConnection] {
        for call in 1..=8 {
            for (times, city) in [(1, "Nantes"), (u64::MAX, "Metz")] {
                let what = format!("{kind:?} at call {call}, {times} times");
                let row = business("m1", 1 + call % 2, &format!("Nom {what}"), city);
                let writer = stores();
                faults.restart(Plan::At { call, kind, times });
                let outcome = writer.businesses.put(&row).await;
                faults.restart(Plan::None);
                assert_current(&stack, key, &what).await;
                assert_current(&stack, key, &what).await;
                let is_written = stored(&stack).await.iter().any(|line| line.contains(&what));
                assert!(is_written || outcome.is_err(), "{what}: a success that did not happen");
                // The operator runs the import again.
                stack.stores().businesses.put(&row).await.expect("the store answers");
                assert_current(&stack, key, &what).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_announced_change_that_is_never_written_costs_one_read_until_the_next_import() {
    let stack = TestStack::counting_waves().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.provider.key;
    assert_current(&stack, key, "before").await;
    let faults = FaultConnector::new();
    let dying = stack.stores_through(faults.over(in_process_client()), short_retries(), stack.table_prefix());
    // The business, the head, a slot, the entry; then the put of the business.
    faults.restart(Plan::At { call: 5, kind: FaultKind::RefuseConnection, times: u64::MAX });
    let row = business("m1", 1, "Jamais", "Lyon");
    let mut call = 5;
    // The number of calls before the put depends on the length of the log.
    while dying.businesses.put(&row).await.is_err() && stack.get(SEARCH, key).await.cost().calls == 2 {
        call += 1;
        assert!(call < 30, "the put has fewer calls");
        faults.restart(Plan::At { call, kind: FaultKind::RefuseConnection, times: u64::MAX });
    }
    faults.restart(Plan::None);
    assert!(!stored(&stack).await.iter().any(|line| line.contains("Jamais")), "the put never arrived");
    stack.get(SEARCH, key).await;
    let open = stack.get(SEARCH, key).await;
    assert_eq!((open.cost().calls, open.cost().waves, open.cost().read_units), (3, 1, 3.0));
    put(stack.stores(), ("m1", 1, "Jamais", "Lyon")).await;
    assert_current(&stack, key, "after").await;
    assert_eq!(stack.get(SEARCH, key).await.cost().calls, 2, "nothing is open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_function_and_a_new_one_are_current_after_the_log_has_gone_round() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.provider.key;
    let waiting = TestStack::with(stack.second_stack_options()).await;
    assert_current(&waiting, key, "before").await;
    for number in 0..SLOTS + 100 {
        put(stack.stores(), ("m1", 1 + number % 2, &format!("Nom {number}"), "Lyon")).await;
        if number % 100 == 99 {
            assert_current(&stack, key, "a function that follows").await;
        }
    }
    assert_current(&waiting, key, "a function that has missed a round").await;
    let started = TestStack::with(stack.second_stack_options()).await;
    assert_current(&started, key, "a function that starts").await;
    assert_eq!(entries(&stack).await, usize::try_from(SLOTS).expect("small"), "the log does not grow");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_put_that_stalls_until_another_import_has_released_its_announcement_twice_is_found() {
    let stack = TestStack::start().await;
    let fixtures = fill(&stack).await;
    let key = &fixtures.provider.key;
    stack.stores().businesses.release_changes().await.expect("the store answers");
    let fast = other_process(&stack);
    let change = async |number: u64| put(&fast, ("m2", 1, &format!("Nom {number}"), "Saint-Étienne")).await;
    // The entry behind the next one is the first that releases others.
    let last = SLOTS / 2 - 1;
    for number in 0..last {
        change(number).await;
    }
    let before = entries(&stack).await;
    let (paused, resumed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let interleaving = InterleavingConnector::new();
    let stall = {
        let (paused, resumed) = (Arc::clone(&paused), Arc::clone(&resumed));
        async move {
            paused.notify_one();
            resumed.notified().await;
        }
    };
    // The business, the head, fourteen reads of slots, the entry; then the put of the business.
    interleaving.before(18, Box::pin(stall)).await;
    let slow = stack.stores_through(interleaving.over(in_process_client()), long_timeouts(), stack.table_prefix());
    let writing = tokio::spawn(async move { put(&slow, ("m1", 1, "Tard", "Lyon")).await });
    paused.notified().await;
    assert_eq!(entries(&stack).await, before + 1, "the change is announced");
    assert!(!stored(&stack).await.contains(&"m1:1:Tard:Lyon".to_owned()), "and not written");
    // This entry announces it again.
    change(last).await;
    fast.businesses.release_changes().await.expect("the store answers");
    let started = TestStack::with(stack.second_stack_options()).await;
    assert_current(&started, key, "before the put").await;
    resumed.notify_one();
    writing.await.expect("a written business");
    assert!(stored(&stack).await.contains(&"m1:1:Tard:Lyon".to_owned()));
    assert_current(&started, key, "after the put").await;
}

/// Returns the number of entries in the log of changes.
async fn entries(stack: &TestStack) -> usize {
    let items = stack.items(&stack.stores().database.name(&presence_store::schema::BUSINESSES)).await;
    items.iter().filter(|item| item.contains("CHANGES#")).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn businesses_without_a_revision_are_found_and_changed() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = &fixtures.provider.key;
    // Items without a revision, in a table without a log of theirs.
    crate::store::bulk::businesses(&stack, 2, 3).await;
    assert_current(&stack, key, "before").await;
    put(stack.stores(), ("many-2", 1, "Neuf", "Metz")).await;
    assert_current(&stack, key, "after").await;
    assert_eq!(stack.get("/business/search?city=metz&org_id=1", key).await.json()["count"], 1);
}

/// Makes random changes of some businesses.
async fn change(stores: Stores, mut rng: Rng) {
    for _ in 0..CHANGES {
        let (id, org) = (format!("m{}", rng.u8(1..9)), rng.u64(1..3));
        let row = business(&id, org, &format!("Nom {}", rng.u8(..6)), ["Lyon", "Metz"][rng.usize(..2)]);
        // Two imports may meet on one business so often that one gives up.
        let _ = stores.businesses.put(&row).await;
        if rng.u8(..5) == 0 {
            stores.businesses.release_changes().await.expect("the store answers");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_during_concurrent_imports_show_each_business_once_and_the_next_ones_are_current() {
    let stack = Arc::new(TestStack::start().await);
    let fixtures = fill(&stack).await;
    let (mut rng, key) = (rng("businesses"), fixtures.provider.key.clone());
    let other = TestStack::with(stack.second_stack_options()).await;
    for round in 0..ROUNDS {
        let writers: Vec<_> =
            (0..3).map(|_| tokio::spawn(change(other_process(&stack), Rng::with_seed(rng.u64(..))))).collect();
        for reader in [&*stack, &other] {
            let reply = reader.get(SEARCH, &key).await;
            assert_eq!(reply.status, 200, "{}", reply.text);
            let mut ids: Vec<_> =
                found(&reply).iter().map(|line| line.split(':').next().expect("an id").to_owned()).collect();
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), count, "each business once");
        }
        for writer in writers {
            writer.await.expect("the writer does not panic");
        }
        for reader in [&*stack, &other] {
            assert_current(reader, &key, &format!("round {round}")).await;
        }
        let started = TestStack::with(stack.second_stack_options()).await;
        assert_current(&started, &key, &format!("round {round}, a function that starts")).await;
    }
}
