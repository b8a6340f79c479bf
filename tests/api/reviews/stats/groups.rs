//! Groups of statistics.

use presence_tests::Reply;

use super::super::fixtures::ReviewFixtures;

/// Requests with their groups: rule, caller, query, and for each group its key, number of reviews, average and name, if it has one.
#[rustfmt::skip]
const CASES: [(&str, &str, &str, &str); 22] = [
    ("days, ascending, without empty ones", "admin_1", "group_by=day",
     "2025-01-01 1 5.0, 2025-01-31 1 4.0, 2025-02-01 1 3.0, 2025-03-01 3 2.67, 2025-03-31 1 4.0, 2025-04-01 1 3.0"),
    ("months", "admin_1", "group_by=month", "2025-01 2 4.5, 2025-02 1 3.0, 2025-03 4 3.0, 2025-04 1 3.0"),
    ("years, of the last change", "admin_1", "group_by=year", "2025 8 3.38"),
    ("businesses by id", "admin_1", "group_by=business",
     "cormeilles 1 4.0, etienne 1 1.0, hay 1 3.0, lyon-1 2 4.5, lyon-2 2 2.5, paris 1 5.0"),
    ("cities by folded name, named as the business of the lowest id writes them", "admin_1", "group_by=city",
     "cormeilles en parisis 1 4.0 Cormeilles-en-Parisis, l hay les roses 1 3.0 L’Haÿ-les-Roses, lyon 4 3.5 Lyon, paris 1 5.0 Paris, \
      saint etienne 1 1.0 Saint-Étienne"),
    ("partners in their fixed order", "admin_1", "group_by=partner", "partner_8 3 3.67, partner_1 3 2.67, partner_9 2 4.0"),
    ("states in their fixed order", "admin_1", "group_by=state", "treated 3 3.67, not_treated 3 2.67, deleted 2 4.0"),
    ("ratings, ascending", "admin_1", "group_by=rating", "1 1 1.0, 2 1 2.0, 3 2 3.0, 4 2 4.0, 5 2 5.0"),
    ("only the own organisation", "admin_2", "group_by=month", "2025-02 1 5.0, 2025-05 1 1.0"),
    ("its cities", "manager_2", "group_by=city", "lyon 1 5.0 LYON, paris 1 1.0 Paris"),
    ("businesses of every organisation", "provider", "group_by=business&business_city=paris", "paris 1 5.0, paris-9 1 1.0"),
    ("cities over organisations are one group", "provider", "group_by=city&rating=5", "lyon 2 5.0 LYON, paris 1 5.0 Paris"),
    ("months over organisations", "provider", "group_by=month&business_city=lyon", "2025-01 2 4.5, 2025-02 2 4.0, 2025-03 1 2.0"),
    ("a business of another organisation is no group", "admin_1", "group_by=business&business__in=lyon-9,lyon-1", "lyon-1 2 4.5"),
    ("a business without a match is no group", "admin_1", "group_by=business&business__in=lyon-1,paris&rating=5",
     "lyon-1 1 5.0, paris 1 5.0"),
    ("the groups of one business", "admin_1", "group_by=day&business__in=lyon-2", "2025-02-01 1 3.0, 2025-03-01 1 2.0"),
    ("the city of one business", "admin_1", "group_by=city&business__in=etienne,hay",
     "l hay les roses 1 3.0 L’Haÿ-les-Roses, saint etienne 1 1.0 Saint-Étienne"),
    ("the city of a business of another organisation too, which does not name it", "admin_1",
     "group_by=city&business__in=cite,lyon-2,lyon-1", "lyon 4 3.5 Lyon"),
    ("dates that cut a month", "admin_1", "group_by=month&update_date__gte=2025-01-31T23:59:59&update_date__lte=2025-03-01T12:00:00",
     "2025-01 1 4.0, 2025-02 1 3.0, 2025-03 2 1.5"),
    ("dates that cut a day", "admin_1", "group_by=day&update_date__gte=2025-03-01T12:00:01&update_date__lte=2025-03-31", "2025-03-01 1 5.0, 2025-03-31 1 4.0"),
    ("groups by a property that is a filter too", "admin_1", "group_by=state&state=deleted,treated", "treated 3 3.67, deleted 2 4.0"),
    ("nothing matches", "admin_1", "group_by=day&rating=5&rating__in=4", ""),
];

/// Describes groups in the form of [`CASES`].
fn describe(reply: &Reply) -> String {
    let body = reply.json();
    let Some(groups) = body["groups"].as_array() else { return reply.text.clone() };
    let describe = |group: &serde_json::Value| {
        let name = group["name"].as_str().map_or_else(String::new, |name| format!(" {name}"));
        let key = group["key"].as_str().expect("a key is text");
        format!("{key} {} {}{name}", group["count"], group["average_rating"])
    };
    groups.iter().map(describe).collect::<Vec<_>>().join(", ")
}

#[tokio::test(flavor = "multi_thread")]
async fn each_group_has_its_reviews_in_the_order_of_the_property() {
    let review_fixtures = ReviewFixtures::new().await;
    // Its id is the lowest of all in Lyon.
    review_fixtures.stack.create_business(2, "cite", "LYON").await;
    let mut failures = Vec::new();
    for folded in [false, true] {
        for (reason, by, query, expected) in CASES {
            let found = describe(&review_fixtures.stats(by, query).await);
            if found != expected {
                failures
                    .push(format!("{reason}: {query}, folded: {folded}\n    {found}\n    instead of\n    {expected}"));
            }
        }
        review_fixtures.fold().await;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blank_property_is_not_given() {
    let review_fixtures = ReviewFixtures::new().await;
    for blank in ["", "group_by=", "group_by=%20"] {
        let reply = review_fixtures.stats("admin_1", blank).await;
        assert_eq!((reply.status, reply.json().get("groups")), (200, None), "{blank:?}");
    }
}
