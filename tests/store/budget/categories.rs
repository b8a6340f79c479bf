//! Cost of categories: the key and the version, read in parallel.

use presence_categories::ROUTES;
use presence_tests::TestStack;
use presence_tests::{Cost, logs};

use super::{assert_costs, reading, warm};
use crate::api::categories::{DIRECTORY, load, numbered, parse};

const SEARCH: &str = "/category/search?lang=GB";
const GET: &str = "/category/c-bank?lang=GB";

/// Returns a path of the operation.
fn path_of(operation: &str) -> &'static str {
    match operation {
        "search_categories" => SEARCH,
        "get_category" => GET,
        other => panic!("no path of {other}"),
    }
}

/// Returns the cost of a version and a key in one round trip, one unit each.
fn warm_cost() -> Cost {
    reading(2, 1, 2.0)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_categories_is_two_reads_side_by_side() {
    let (stack, fixtures) = warm().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    // The key's read and the version's in one round trip; the directory is less than 4 KB: one unit.
    assert_costs("cold", &stack.get(GET, &fixtures.admin_1.key).await, 200, reading(3, 2, 3.0));
    for route in ROUTES {
        for key in [&fixtures.provider.key, &fixtures.admin_1.key, &fixtures.manager_1.key] {
            let reply = stack.get(path_of(route.name), key).await;
            assert_costs(route.name, &reply, 200, warm_cost());
            assert_eq!(logs::request_line(reply.header("x-request-id"))["operation"], route.name);
        }
    }
    let key = &fixtures.admin_1.key;
    for search in ["&name=zzz", "&name=ban&per_page=1", "&page=77&per_page=100"] {
        let path = format!("{SEARCH}{search}");
        assert_costs(search, &stack.get(&path, key).await, 200, warm_cost());
    }
    for (path, status) in
        [("/category/nowhere?lang=GB", 404), ("/category/a%20b?lang=GB", 404), ("/category/search", 400)]
    {
        assert_costs(path, &stack.get(path, key).await, status, warm_cost());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_is_read_once_after_each_import_and_costs_no_more_when_it_is_large() {
    let (stack, fixtures) = warm().await;
    let key = &fixtures.admin_1.key;
    for word in ["Shop", "Store"] {
        load(stack.stores(), numbered(2_500, word)).await;
        let first = stack.get(SEARCH, key).await;
        assert_eq!((first.status, first.json()["count"].as_u64()), (200, Some(2_500)));
        assert_eq!(first.cost().waves, first.cost().calls - 1, "the pages of a scan come one after the other");
        assert!(first.cost().calls <= 2 + 4, "{:?}: a thousand categories a page", first.cost());
        assert_costs("warm", &stack.get(SEARCH, key).await, 200, warm_cost());
        load(stack.stores(), numbered(2_500, word)).await;
        assert_costs("imported again", &stack.get(SEARCH, key).await, 200, warm_cost());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_costs_no_more_than_a_good_one_and_a_malformed_one_nothing() {
    let (stack, fixtures) = warm().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let gone = dead_key(&stack, &fixtures.admin_1.key).await;
    assert_eq!(stack.get(SEARCH, &fixtures.admin_1.key).await.status, 200, "the directory is read once");
    for route in ROUTES {
        let path = path_of(route.name);
        for malformed in ["", "nonsense", &fixtures.admin_1.key[1..]] {
            assert_costs(route.name, &stack.get(path, malformed).await, 401, reading(0, 0, 0.0));
        }
        // How far the version's read comes before it is dropped is chance: it never costs more.
        let (refused, allowed) = (stack.get(path, &gone).await, warm_cost());
        let spent = refused.cost();
        assert_eq!((refused.status, spent.waves), (401, allowed.waves));
        assert!(spent.calls <= allowed.calls, "{spent:?}");
        assert!(spent.read_units <= allowed.read_units && spent.write_units <= 0.0, "{spent:?}");
    }
    assert_costs("unknown path", &stack.get("/category/a/b", &fixtures.admin_1.key).await, 404, reading(0, 0, 0.0));
    assert_costs("wrong method", &stack.delete("/category/a", &fixtures.admin_1.key).await, 405, reading(0, 0, 0.0));
}

/// Returns the key of a deleted user.
async fn dead_key(stack: &TestStack, admin: &str) -> String {
    use presence_domain::user::{Role, Status};
    let gone = stack.create_user("gone", Role::OrgAdmin, Some(1), Status::Active).await;
    assert_eq!(stack.delete(&format!("/user/{}", gone.id), admin).await.status, 200);
    gone.key
}
