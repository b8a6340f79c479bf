//! Cost of reads and of refused requests.

use jiff::SignedDuration;
use presence_tests::Cost;
use presence_tests::{Fixtures, address};

use super::{assert_costs, reading, warm};
use crate::store::bulk;

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_key_costs_at_most_one_read() {
    let (stack, fixtures) = warm().await;
    let unknown = format!("{}{}", &fixtures.admin_1.key[..3], "0".repeat(36));
    let gone = stack.create_user(
        "gone",
        presence_domain::user::Role::OrgAdmin,
        Some(1),
        presence_domain::user::Status::Active,
    );
    let gone = gone.await;
    assert_eq!(stack.delete(&format!("/user/{}", gone.id), &fixtures.admin_1.key).await.status, 200);
    for (what, path) in [("me", "/user/me"), ("search", "/user/search"), ("stats", "/user/stats"), ("get", "/user/7")] {
        assert_costs(what, &stack.get(path, "").await, 401, reading(0, 0, 0.0));
        assert_costs(what, &stack.get(path, "nonsense").await, 401, reading(0, 0, 0.0));
        assert_costs(what, &stack.get(path, &unknown).await, 401, reading(0, 0, 0.0));
        assert_costs(what, &stack.get(path, &gone.key).await, 401, reading(1, 1, 1.0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_before_the_key_costs_nothing_and_after_it_no_write() {
    let (stack, fixtures) = warm().await;
    let (key, nobody) = (&fixtures.admin_1.key, "/user/9007199254740991");
    assert_costs("unknown path", &stack.get("/user/me/too", key).await, 404, reading(0, 0, 0.0));
    assert_costs("wrong method", &stack.delete("/user/me", key).await, 405, reading(0, 0, 0.0));
    assert_costs("malformed id", &stack.get("/user/x", key).await, 404, reading(1, 1, 1.0));
    assert_costs("unknown id", &stack.get(nobody, key).await, 404, reading(2, 1, 2.0));
    let foreign = format!("/user/{}", fixtures.manager_2.id);
    assert_costs("foreign id", &stack.get(&foreign, key).await, 404, reading(2, 1, 2.0));
    assert_costs("foreign id, deleted", &stack.delete(&foreign, key).await, 404, reading(2, 2, 2.0));
    assert_costs("foreign organisation", &stack.get("/user/search?org_id=2", key).await, 403, reading(1, 1, 1.0));
    assert_costs("bad filter", &stack.get("/user/search?status=x", key).await, 400, reading(1, 1, 1.0));
    let colleague = format!("/user/{}", fixtures.admin_1.id);
    assert_costs("refused", &stack.delete(&colleague, &fixtures.manager_1.key).await, 403, reading(2, 2, 2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_use_of_a_key_in_an_hour_is_noted_beside_the_operation() {
    let (stack, fixtures) = Fixtures::counting_waves().await;
    let key = &fixtures.admin_1.key;
    let noted = Cost { calls: 3, waves: 2, read_units: 2.0, write_units: 1.0 };
    assert_costs("first use", &stack.get("/user/me", key).await, 200, noted);
    assert_costs("second use", &stack.get("/user/me", key).await, 200, reading(2, 1, 2.0));
    stack.clock.advance(SignedDuration::from_mins(59));
    assert_costs("in the same hour", &stack.get("/user/stats", key).await, 200, reading(2, 1, 2.0));
    stack.clock.advance(SignedDuration::from_mins(1));
    assert_costs("in the next hour", &stack.get("/user/stats", key).await, 200, noted);
    stack.clock.advance(SignedDuration::from_mins(60));
    let refused = Cost { calls: 2, waves: 2, read_units: 1.0, write_units: 1.0 };
    assert_costs("used in vain", &stack.get("/user/x", key).await, 404, refused);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_and_counts_are_one_read_beside_the_key() {
    let (stack, fixtures) = warm().await;
    for key in [&fixtures.provider.key, &fixtures.admin_1.key, &fixtures.manager_1.key] {
        for path in ["/user/me", "/user/me?display_business_ids=False"] {
            assert_costs(path, &stack.get(path, key).await, 200, reading(2, 1, 2.0));
        }
        // The heads of all organisations are in 16 partitions.
        let counts = if *key == fixtures.provider.key { reading(17, 1, 17.0) } else { reading(2, 1, 2.0) };
        assert_costs("stats", &stack.get("/user/stats", key).await, 200, counts);
        let path = format!("/user/{}", fixtures.invited_1.id);
        assert_costs("get", &stack.get(&path, key).await, 200, reading(2, 1, 2.0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_reads_the_directory_only_when_it_has_changed() {
    let (stack, fixtures) = warm().await;
    let (bare, full) = ("/user/search?display_business_ids=False", "/user/search");
    let key = &fixtures.admin_1.key;
    // Six people make one index read of less than 4 KB: half a unit.
    assert_costs("cold", &stack.get(bare, key).await, 200, reading(3, 2, 2.5));
    assert_costs("warm", &stack.get(bare, key).await, 200, reading(2, 1, 2.0));
    assert_costs("warm, with businesses", &stack.get(full, key).await, 200, reading(3, 1, 2.0 + 6.0));
    assert_costs("warm, another caller", &stack.get(bare, &fixtures.manager_1.key).await, 200, reading(2, 1, 2.0));
    assert_costs("nobody found", &stack.get("/user/search?query=zzz", key).await, 200, reading(2, 1, 2.0));
    let two = "/user/search?per_page=2&page=2";
    assert_costs("a smaller page", &stack.get(two, key).await, 200, reading(3, 1, 2.0 + 2.0));

    let moved = format!("/user/{}", fixtures.manager_1.id);
    assert_eq!(stack.post(&moved, key, &serde_json::json!({"phone": "1"})).await.status, 200);
    // The key and the head, the log of changes and the head again, and the one user that has changed.
    assert_costs("after a change", &stack.get(bare, key).await, 200, reading(5, 3, 5.0));
    assert_eq!(stack.post(&moved, key, &serde_json::json!({"phone": "2"})).await.status, 200);
    assert_costs("after a change, with businesses", &stack.get(full, key).await, 200, reading(6, 3, 5.0 + 6.0));
    assert_costs("warm again", &stack.get(bare, key).await, 200, reading(2, 1, 2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_of_every_organisation_reads_the_directories_side_by_side() {
    let (stack, fixtures) = warm().await;
    let key = &fixtures.provider.key;
    let filtered = "/user/search?query=test&display_business_ids=False";
    let page = "/user/search?per_page=1&display_business_ids=False";
    // The provider without organisation comes first, alone in its directory.
    assert_costs("a page of one directory", &stack.get(page, key).await, 200, reading(18, 2, 17.5));
    assert_costs("the two others", &stack.get(filtered, key).await, 200, reading(19, 2, 18.0));
    assert_costs("all three, warm", &stack.get(filtered, key).await, 200, reading(17, 1, 17.0));
    assert_costs("a page, warm", &stack.get(page, key).await, 200, reading(17, 1, 17.0));
    let one = "/user/search?org_id=2&display_business_ids=False";
    assert_costs("one organisation, warm", &stack.get(one, key).await, 200, reading(2, 1, 2.0));
    let none = "/user/search?org_id=77";
    assert_costs("an organisation of nobody", &stack.get(none, key).await, 200, reading(2, 1, 2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_search_costs_the_same_at_3000_users() {
    let (stack, fixtures) = warm().await;
    bulk::users(&stack, 1, 3_000).await;
    let key = &fixtures.admin_1.key;
    let found = stack.get("/user/search?display_business_ids=False", key).await;
    assert_eq!((found.status, &found.json()["count"]), (200, &serde_json::json!(3_007)), "{}", found.text);
    let cold = found.cost();
    assert_eq!((cold.calls, cold.waves), (3, 2), "one Query reads them all");
    for filter in ["", "&query=bulk+1500", "&last_name=bulk+29", "&status=active&page=50"] {
        let reply = stack.get(&format!("/user/search?display_business_ids=False{filter}"), key).await;
        assert_costs(filter, &reply, 200, reading(2, 1, 2.0));
    }
    let page = stack.get("/user/search?per_page=100&page=3", key).await;
    assert_costs("the largest page", &page, 200, reading(3, 1, 2.0 + 100.0));
    assert_eq!(page.json()["users"].as_array().map(Vec::len), Some(100));
    assert_costs("stats", &stack.get("/user/stats", key).await, 200, reading(2, 1, 2.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_by_address_reads_the_address_and_its_user_and_no_directory() {
    let (stack, fixtures) = warm().await;
    bulk::users(&stack, 1, 3_000).await;
    let key = &fixtures.admin_1.key;
    let own = &format!("/user/search?email={}", address("Bulk-7"));
    // The function has not read any directory yet, nor does it after a change.
    assert_costs("cold", &stack.get(own, key).await, 200, reading(3, 2, 3.0));
    let change = serde_json::json!({"phone": "1"});
    assert_eq!(stack.post(&format!("/user/{}", fixtures.manager_1.id), key, &change).await.status, 200);
    assert_costs("after a change", &stack.get(own, key).await, 200, reading(3, 2, 3.0));
    let found = stack.get(own, key).await.json();
    assert_eq!((&found["count"], &found["users"][0]["email"]), (&1.into(), &address("bulk-7").into()), "{found}");

    for more in
        ["&query=bulk", "&last_name=nobody", "&status=active&page=2", "&display_business_ids=False", "&org_id=1"]
    {
        assert_costs(more, &stack.get(&format!("{own}{more}"), key).await, 200, reading(3, 2, 3.0));
    }
    // The same reads: their time must not tell that somebody else has the address.
    let nobodys = format!("/user/search?email={}", address("nobody"));
    assert_costs("of nobody", &stack.get(&nobodys, key).await, 200, reading(3, 2, 3.0));
    let provider = &fixtures.provider.key;
    assert_costs("by a provider", &stack.get(own, provider).await, 200, reading(3, 2, 3.0));
    let elsewhere = stack.get(&format!("{own}&org_id=2"), provider).await;
    assert_costs("in another organisation", &elsewhere, 200, reading(3, 2, 3.0));
    assert_eq!(elsewhere.json()["count"], 0, "{}", elsewhere.text);
    let foreign = stack.get(&format!("/user/search?email={}", fixtures.admin_2.email), key).await;
    assert_costs("outside the scope", &foreign, 200, reading(3, 2, 3.0));
    assert_eq!(foreign.json()["count"], 0, "{}", foreign.text);
}
