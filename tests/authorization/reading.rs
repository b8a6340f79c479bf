//! Users that search, stats and me show to each caller.

use std::collections::BTreeSet;

use presence_domain::user::{Role, Status};
use presence_tests::{Fixtures, Reply, TestStack};
use serde_json::json;

use super::matrix::assert_forbidden;
use super::requests::{Caller, Target};

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

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_organisation_is_refused_before_other_parameters_are_checked() {
    let (stack, fixtures) = start_stack().await;
    assert_forbidden(&stack.get("/user/search?org_id=2&status=wrong&bogus=1", &fixtures.admin_1.key).await, "foreign");
    assert_eq!(stack.get("/user/search?org_id=1&status=wrong", &fixtures.admin_1.key).await.status, 400);
    assert_eq!(stack.get("/user/search?org_id=0", &fixtures.admin_1.key).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_caller_is_shown_its_own_user() {
    let (stack, fixtures) = start_stack().await;
    for caller in Caller::ALL {
        let myself = caller.user(&fixtures);
        let me = stack.get("/user/me", &myself.key).await;
        assert_eq!(me.json()["id"], myself.id.as_str(), "{caller:?}");
        let got = stack.get(&format!("/user/{}", myself.id), &myself.key).await;
        assert_eq!((me.status, &me.text), (got.status, &got.text), "{caller:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_out_of_scope_is_answered_like_an_unknown_one() {
    let (stack, fixtures) = start_stack().await;
    let key = &fixtures.admin_1.key;
    let stranger =
        Target::Other(Role::BusinessManager, Some(2), Status::Active).create(&stack, &fixtures.admin_1).await;
    for method in ["GET", "POST", "DELETE"] {
        let mut answers = BTreeSet::new();
        for id in [stranger.as_str(), "9007199254740991", "no-id"] {
            let request = stack.request(method, &format!("/user/{id}")).header("x-api-key", key);
            let request = request.header("content-type", "application/json").body("{}");
            let reply = presence_tests::send(request).await;
            let names: Vec<_> = reply.headers.keys().map(ToString::to_string).collect();
            answers.insert((reply.status, reply.text, names));
        }
        assert_eq!(answers.len(), 1, "{method}: {answers:?}");
    }
}
