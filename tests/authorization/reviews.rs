//! Reviews that a search shows to each caller, that statistics count for it, and that it may read by id, for every way to select them.

use std::collections::BTreeSet;

use presence_domain::user::Role;
use presence_tests::{Fixtures, Reply, TestUser};

use super::expected_policy::REVIEWS;
use super::requests::{Caller, NOT_FOUND};
use crate::api::reviews::fixtures::{seed, seeded_review};

/// Searches, with the organisations whose reviews they select. Both have businesses in Lyon and Paris.
const SEARCHES: [(&str, &[u64]); 10] = [
    ("", &[1, 2]),
    ("state=treated,deleted", &[1, 2]),
    ("update_date__gte=2025-02-01&update_date__lte=2025-06-01&order_by=update_date", &[1, 2]),
    ("business_city=lyon", &[1, 2]),
    ("business_city=saint-etienne", &[1]),
    ("business_city=lyon&business__in=lyon-1,lyon-9", &[1, 2]),
    ("business__in=lyon-1", &[1]),
    ("business__in=lyon-9,paris-9", &[2]),
    ("business__in=lyon-9&business_city=lyon", &[2]),
    ("business__in=lyon-9,lyon-1&state=treated", &[1, 2]),
];

/// Returns the organisations of the reviews on the only page.
fn orgs_found(reply: &Reply) -> BTreeSet<u64> {
    let body = reply.json();
    let reviews = body["reviews"].as_array().expect("a page");
    assert_eq!(body["count"], reviews.len());
    reviews.iter().map(|review| review["org_id"].as_str().and_then(|id| id.parse().ok()).expect("an id")).collect()
}

/// Returns each caller with its role and organisation.
fn callers(fixtures: &Fixtures) -> Vec<(&TestUser, Role, Option<u64>)> {
    let of_org_2 =
        [&fixtures.admin_2, &fixtures.manager_2].into_iter().zip([Caller::Admin.role(), Caller::Manager.role()]);
    let callers = Caller::ALL.map(|caller| (caller.user(fixtures), caller.role(), caller.org()));
    callers.into_iter().chain(of_org_2.map(|(person, role)| (person, role, Some(2)))).collect()
}

/// Returns the organisations of the businesses whose reviews are counted.
fn orgs_counted(reply: &Reply) -> BTreeSet<u64> {
    let body = reply.json();
    let groups = body["groups"].as_array().unwrap_or_else(|| panic!("no groups: {}", reply.text));
    let counted: u64 = groups.iter().filter_map(|group| group["count"].as_u64()).sum();
    assert_eq!(body["count"], counted);
    let org = |key: &str| if key.ends_with("-9") { 2 } else { 1 };
    groups.iter().map(|group| org(group["key"].as_str().expect("an id"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_shows_and_statistics_count_the_reviews_of_the_organisations_in_the_table() {
    let (stack, fixtures) = Fixtures::start().await;
    seed(&stack).await;
    for (caller, role, org) in callers(&fixtures) {
        let (_, [own, elsewhere]) = REVIEWS.iter().find(|row| row.0 == role).expect("a row for each role");
        for (search, named) in SEARCHES {
            let reply = stack.get(&format!("/reviews?{search}"), &caller.key).await;
            assert_eq!(reply.status, 200, "{search} by {}: {}", caller.email, reply.text);
            let sees = |of: &u64| if org == Some(*of) { *own } else { *elsewhere };
            let expected = named.iter().copied().filter(sees).collect();
            assert_eq!(orgs_found(&reply), expected, "{search} by {}", caller.email);
            let filters = search.replace("&order_by=update_date", "");
            let stats = stack.get(&format!("/reviews/stats?group_by=business&{filters}"), &caller.key).await;
            assert_eq!(orgs_counted(&stats), expected, "statistics: {search} by {}", caller.email);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_is_read_by_the_callers_in_the_table_and_hidden_from_the_others() {
    let (stack, fixtures) = Fixtures::start().await;
    seed(&stack).await;
    for (caller, role, org) in callers(&fixtures) {
        let (_, [own, elsewhere]) = REVIEWS.iter().find(|row| row.0 == role).expect("a row for each role");
        for review in ["a", "c", "f", "x", "y"].map(seeded_review) {
            let is_readable = if org == Some(review.org_id.get()) { *own } else { *elsewhere };
            let reply = stack.get(&format!("/reviews/{}", review.id.as_str()), &caller.key).await;
            let what = format!("{} by {}", review.partner_id, caller.email);
            if is_readable {
                assert_eq!((reply.status, &reply.json()["key"]), (200, &review.key.as_str().into()), "{what}");
            } else {
                assert_eq!((reply.status, reply.text.as_str()), (404, NOT_FOUND), "{what}");
            }
        }
    }
}
