//! Users that search, stats and me show to each caller.

use std::collections::BTreeSet;

use presence_domain::user::{Role, Status};
use presence_tests::{Fixtures, Reply, TestStack};
use serde_json::json;

use super::matrix::assert_forbidden;
use super::requests::Caller;

/// Starts a stack with the fixtures, an invited PROVIDER without organisation, and organisation 3, whose user was deleted.
async fn start_stack() -> (TestStack, Fixtures) {
    let (stack, fixtures) = Fixtures::start().await;
    stack.create_user("invited-provider", Role::Provider, None, Status::Invited).await;
    let former = stack.create_user("passing", Role::BusinessManager, Some(3), Status::Active).await;
    assert_eq!(stack.delete(&format!("/user/{}", former.id), &fixtures.provider.key).await.status, 200);
    (stack, fixtures)
}

fn found(reply: &Reply) -> BTreeSet<String> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = reply.json();
    let users = body["users"].as_array().expect("a page");
    assert_eq!(body["count"], users.len());
    users.iter().map(|user| user["id"].as_str().expect("an id").to_owned()).collect()
}

fn ids(people: &[&presence_tests::TestUser]) -> BTreeSet<String> {
    people.iter().map(|person| person.id.clone()).collect()
}

fn of_org_1(fixtures: &Fixtures) -> BTreeSet<String> {
    ids(&[
        &fixtures.provider_in_1,
        &fixtures.admin_1,
        &fixtures.other_admin_1,
        &fixtures.manager_1,
        &fixtures.other_manager_1,
        &fixtures.invited_1,
    ])
}

fn of_org_2(fixtures: &Fixtures) -> BTreeSet<String> {
    ids(&[&fixtures.admin_2, &fixtures.manager_2, &fixtures.invited_2])
}

#[tokio::test(flavor = "multi_thread")]
async fn search_and_stats_count_the_same_people_in_the_callers_scope() {
    let (stack, fixtures) = start_stack().await;
    for caller in Caller::ALL {
        let key = &caller.user(&fixtures).key;
        let sees_all = caller.role() == Role::Provider;
        let all = found(&stack.get("/user/search", key).await);
        assert_eq!(all.len(), if sees_all { 11 } else { 6 }, "{caller:?}");
        assert!(
            all.is_superset(&of_org_1(&fixtures)) && all.is_superset(&of_org_2(&fixtures)) == sees_all,
            "{caller:?}"
        );
        let invited = found(&stack.get("/user/search?status=invited", key).await).len();
        let stats = stack.get("/user/stats", key).await;
        let expected = json!({"count": all.len(), "invited_count": invited, "activate_count": all.len() - invited});
        assert_eq!((stats.status, stats.json()), (200, expected), "{caller:?}");
        assert_eq!(invited, if sees_all { 3 } else { 1 }, "{caller:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_filter_reaches_beyond_the_callers_scope() {
    let (stack, fixtures) = start_stack().await;
    let foreign = &fixtures.manager_2;
    let filters = [
        format!("email={}", foreign.email),
        "last_name=manager-2".to_owned(),
        "query=manager-2".to_owned(),
        "query=manager-2&status=active&per_page=100&page=1".to_owned(),
    ];
    for filter in filters {
        for caller in Caller::ALL {
            let reply = stack.get(&format!("/user/search?{filter}"), &caller.user(&fixtures).key).await;
            let sees_it = caller.role() == Role::Provider;
            assert_eq!(found(&reply).contains(&foreign.id), sees_it, "{filter} by {caller:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_filter_by_organisation_accepts_the_own_one_and_for_a_provider_any() {
    let (stack, fixtures) = start_stack().await;
    for caller in Caller::ALL {
        let key = &caller.user(&fixtures).key;
        let search = async |org: u64| stack.get(&format!("/user/search?org_id={org}"), key).await;
        assert_eq!(found(&search(1).await), of_org_1(&fixtures), "{caller:?}");
        for (org, there) in [(2, of_org_2(&fixtures)), (3, BTreeSet::new()), (9_007_199_254_740_991, BTreeSet::new())] {
            let reply = search(org).await;
            if caller.role() == Role::Provider {
                assert_eq!(found(&reply), there, "{org} by {caller:?}");
            } else {
                assert_forbidden(&reply, &format!("{org} by {caller:?}"));
            }
        }
    }
}
