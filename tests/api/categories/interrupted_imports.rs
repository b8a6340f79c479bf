//! Imports that are killed or run beside another one: an import takes effect as a whole or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue::{self, L, M};
use presence_domain::category::{Category, CategoryDirectory, CategoryId, Country};
use presence_domain::error::Error;
use presence_domain::page::PageRequest;
use presence_store::{CategoryImport, PutOutcome, Stores};
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, FaultKind, Plan, TestStack, in_process_client, long_timeouts};

use super::{load, numbered};

/// Number of categories that need more than two transactions.
const MANY: usize = 250;

/// Returns stores without anything in memory: those of a cold function, or of the operator's tool.
fn stores(stack: &TestStack, prefix: &str, client: &FaultConnector) -> Stores {
    stack.stores_through(client.over(in_process_client()), long_timeouts(), prefix)
}

fn cold_stores(stack: &TestStack, prefix: &str) -> Stores {
    stores(stack, prefix, &FaultConnector::new())
}

async fn directory(store: &Stores) -> Arc<CategoryDirectory> {
    let head = store.categories.get_head().await.expect("DynamoDB answers");
    store.categories.get_directory(head).await.expect("a whole directory")
}

/// Returns the categories that a function would serve, by id.
async fn served_categories(store: &Stores) -> BTreeMap<String, String> {
    contents(&*directory(store).await)
}

fn contents(directory: &CategoryDirectory) -> BTreeMap<String, String> {
    let all = PageRequest { page: 1, size: 100_000 };
    let page = directory.search(Country::FALLBACK, None, all);
    page.items.iter().map(|category| (category.id.as_str().to_owned(), format!("{category:?}"))).collect()
}

fn expected(categories: &[Category]) -> BTreeMap<String, String> {
    categories.iter().map(|category| (category.id.as_str().to_owned(), format!("{category:?}"))).collect()
}

/// Puts all categories into an import, without publishing it.
async fn put_all(import: &mut CategoryImport, categories: Vec<Category>) -> Result<Vec<PutOutcome>, Error> {
    let mut outcomes = Vec::new();
    for category in categories {
        outcomes.push(import.put(category).await?.expect("there is room"));
    }
    Ok(outcomes)
}

async fn import(store: &Stores, categories: Vec<Category>) -> Result<Vec<PutOutcome>, Error> {
    let mut import = store.categories.begin_import(false).await?;
    let outcomes = put_all(&mut import, categories).await?;
    import.publish().await?;
    Ok(outcomes)
}

/// Returns every item of the table, without the number of its writes.
async fn items(stack: &TestStack, prefix: &str) -> Vec<String> {
    let mut items = Vec::new();
    for item in stack.scan(&format!("{prefix}categories")).await {
        let item: BTreeMap<_, _> = item.into_iter().collect();
        let attributes = item.iter().filter(|(name, _)| *name != "revision");
        items.push(attributes.map(|(name, value)| attribute_text(name, value)).collect());
    }
    items.sort();
    items
}

/// Returns the text of an attribute, with maps in a fixed order.
fn attribute_text(name: &str, value: &AttributeValue) -> String {
    match value {
        M(map) => {
            let map: BTreeMap<_, _> = map.iter().collect();
            format!("{name}:{:?}", map.iter().map(|(name, value)| attribute_text(name, value)).collect::<Vec<_>>())
        }
        L(list) => format!("{name}:{:?}", list.iter().map(|value| attribute_text("", value)).collect::<Vec<_>>()),
        other => format!("{name}:{other:?}"),
    }
}

/// Returns the directory before an import: 150 categories with other names, so an import of `MANY` updates and creates.
fn old_categories() -> Vec<Category> {
    numbered(150, "Old")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_killed_at_any_call_changes_nothing_and_a_second_run_completes_it() {
    let stack = TestStack::start().await;
    let whole_prefix = format!("{}whole-", stack.table_prefix());
    let whole = cold_stores(&stack, &whole_prefix);
    whole.database.create_tables().await.expect("tables");
    load(&whole, old_categories()).await;
    let uninterrupted = import(&whole, numbered(MANY, "New")).await.expect("an import");
    let wanted = items(&stack, &whole_prefix).await;
    let mut any_completed = false;
    for call in 1..=8 {
        for kind in [FaultKind::RefuseConnection, FaultKind::LoseReply] {
            let fault_name = if kind == FaultKind::LoseReply { "lost" } else { "refused" };
            let prefix = format!("{}{call}-{fault_name}-", stack.table_prefix());
            let faults = FaultConnector::new();
            let operator = stores(&stack, &prefix, &faults);
            operator.database.create_tables().await.expect("tables");
            load(&operator, old_categories()).await;
            // From this call on every call fails. With a lost reply, the first of them still takes effect.
            faults.restart(Plan::At { call, kind, times: u64::MAX });
            let killed = import(&operator, numbered(MANY, "New")).await;
            faults.set_plan(Plan::None);
            let (seen, before, after) =
                (served_categories(&cold_stores(&stack, &prefix)).await, old_categories(), numbered(MANY, "New"));
            let is_done = killed.is_ok() || seen == expected(&after);
            assert!(is_done || seen == expected(&before), "{prefix}: a part of an import is served");
            any_completed |= killed.is_ok();
            let again = import(&cold_stores(&stack, &prefix), after.clone()).await.expect("nothing fails now");
            if is_done {
                assert!(again.iter().all(|outcome| *outcome == PutOutcome::Unchanged), "{prefix}");
            } else {
                assert_eq!(again, uninterrupted, "{prefix}: the outcomes are those of one run");
            }
            assert_eq!(items(&stack, &prefix).await, wanted, "{prefix}");
        }
    }
    assert!(any_completed, "the last calls come after the end of the import");
}

#[tokio::test(flavor = "multi_thread")]
async fn cold_functions_serve_the_old_directory_until_an_import_is_published() {
    let stack = TestStack::start().await;
    load(stack.stores(), old_categories()).await;
    let (warm, first_head) =
        (cold_stores(&stack, stack.table_prefix()), stack.stores().categories.get_head().await.expect("a head"));
    let (before, after) = (expected(&old_categories()), numbered(MANY, "New"));
    let mut import = stack.stores().categories.begin_import(false).await.expect("an import");
    for (number, category) in after.clone().into_iter().enumerate() {
        import.put(category).await.expect("no other import").expect("there is room");
        if number % 30 == 0 {
            assert_eq!(
                served_categories(&cold_stores(&stack, stack.table_prefix())).await,
                before,
                "cold, after {number}"
            );
            assert_eq!(served_categories(&warm).await, before, "warm, after {number}");
        }
    }
    import.publish().await.expect("no other import");
    assert_eq!(served_categories(&warm).await, expected(&after));
    let slow =
        cold_stores(&stack, stack.table_prefix()).categories.get_directory(first_head).await.expect("a directory");
    assert_eq!(
        contents(&slow),
        before,
        "a function that read the head before the import ended gets that directory as a whole"
    );

    let mut next = stack.stores().categories.begin_import(false).await.expect("an import");
    put_all(&mut next, numbered(MANY, "Newer")).await.expect("no other import");
    let slower =
        cold_stores(&stack, stack.table_prefix()).categories.get_directory(first_head).await.expect("a directory");
    assert_eq!(
        contents(&slower),
        expected(&after),
        "a function that is two versions late gets the present directory as a whole"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_import_is_undone_by_the_next_one() {
    let stack = TestStack::start().await;
    load(stack.stores(), old_categories()).await;
    let mut abandoned = stack.stores().categories.begin_import(false).await.expect("an import");
    put_all(&mut abandoned, numbered(MANY, "Abandoned")).await.expect("no other import");
    drop(abandoned);
    let one: Vec<Category> = numbered(1, "Renamed");
    load(stack.stores(), one.clone()).await;
    let mut wanted = expected(&old_categories());
    wanted.extend(expected(&one));
    assert_eq!(served_categories(stack.stores()).await, wanted);
    let id = CategoryId::parse("n0200").expect("an id");
    assert!(
        directory(stack.stores()).await.get(&id).is_none(),
        "a category of the abandoned import only is not served"
    );
    let left = items(&stack, stack.table_prefix()).await;
    assert!(!left.iter().any(|item| item.contains("Abandoned")), "nor stored");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_concurrent_imports_one_fails_and_the_other_takes_effect_as_a_whole() {
    let stack = TestStack::start().await;
    load(stack.stores(), old_categories()).await;
    for (round, overtaking) in [("first", true), ("second", false)] {
        let mut one = stack.stores().categories.begin_import(false).await.expect("an import");
        put_all(&mut one, numbered(120, &format!("One {round}"))).await.expect("alone so far");
        let mut two = stack.stores().categories.begin_import(false).await.expect("another import");
        let (winner, loser, wanted) = if overtaking {
            put_all(&mut two, numbered(MANY, &format!("Two {round}"))).await.expect("it came last");
            (two, one, numbered(MANY, &format!("Two {round}")))
        } else {
            put_all(&mut one, numbered(MANY, &format!("One {round}"))).await.expect("it writes first");
            put_all(&mut two, numbered(50, &format!("Two {round}"))).await.expect("nothing written yet");
            (one, two, numbered(MANY, &format!("One {round}")))
        };
        winner.publish().await.expect("it counts");
        assert!(matches!(loser.publish().await, Err(Error::Conflict)), "{round}");
        assert_eq!(served_categories(&cold_stores(&stack, stack.table_prefix())).await, expected(&wanted), "{round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_changes_nothing_writes_nothing() {
    let stack = TestStack::start().await;
    load(stack.stores(), old_categories()).await;
    let faults = FaultConnector::new();
    let operator = stores(&stack, stack.table_prefix(), &faults);
    let outcomes = import(&operator, old_categories()).await.expect("an import");
    assert!(outcomes.iter().all(|outcome| *outcome == PutOutcome::Unchanged));
    let mut dry = operator.categories.begin_import(true).await.expect("an import");
    put_all(&mut dry, numbered(MANY, "Dry")).await.expect("no other import");
    dry.publish().await.expect("nothing to write");
    let operations: Vec<_> = faults.observed().into_iter().map(|attempt| attempt.operation).collect();
    assert!(operations.iter().all(|operation| ["GetItem", "Scan"].contains(&operation.as_str())), "{operations:?}");
    assert_eq!(served_categories(stack.stores()).await, expected(&old_categories()));
}
