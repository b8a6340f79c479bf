//! Reviews that each caller sees.

use presence_tests::Reply;

use super::filters::ALL;
use super::fixtures::{Case, ReviewFixtures, finds, page};

const EVERY: &str = "y h g f d e x c b a";

pub(super) fn cases() -> Vec<Case> {
    let foreign = "business__in=lyon-9,paris-9";
    vec![
        finds("a manager reads the whole organisation, not only what it may write", "", ALL).by("manager_1"),
        finds("another organisation's administrator reads its own", "", "y x").by("admin_2"),
        finds("so does its manager", "", "y x").by("manager_2"),
        finds("a PROVIDER reads every organisation, merged by date", "", EVERY).by("provider"),
        finds("so does a PROVIDER that belongs to one", "", EVERY).by("provider_in_1"),
        finds("a city of the own organisation only", "business_city=lyon", "x").by("admin_2"),
        finds("a city of every organisation", "business_city=LYON", "d x c b a").by("provider"),
        finds("a city that only another organisation has", "business_city=saint-etienne", "").by("admin_2"),
        finds("foreign businesses match nothing", foreign, ""),
        finds("whoever asks", foreign, "").by("manager_1"),
        finds("a foreign one among own ones", "business__in=lyon-9,lyon-1", "b a"),
        finds("a foreign one with a city", "business__in=lyon-9&business_city=lyon", ""),
        finds("businesses of every organisation", "business__in=lyon-9,lyon-1", "x b a").by("provider"),
        finds("businesses in a city of every organisation", "business__in=lyon-9,paris&business_city=paris", "f")
            .by("provider"),
        page("pages over organisations", "per_page=3&page=3", (3, 4, 10), "x c b").by("provider"),
        finds("a state over organisations", "state=deleted&order_by=update_date", "c f y").by("provider"),
        finds("dates over organisations", "update_date__lte=2025-02-28&update_date__gte=2025-02-01", "x c")
            .by("provider"),
    ]
}

/// Returns the answer without the headers that differ from answer to answer, and without the list of businesses, which the
/// links repeat.
fn comparable(reply: &Reply, list: &str) -> (u16, String, Vec<(String, String)>) {
    let changing = ["x-request-id", "apigw-requestid", "date"];
    let headers = reply.headers.iter().filter(|(name, _)| !changing.contains(&name.as_str()));
    let text =
        |value: &reqwest::header::HeaderValue| value.to_str().expect("text").replace(&list.replace(',', "%2C"), "");
    (reply.status, reply.text.clone(), headers.map(|(name, value)| (name.to_string(), text(value))).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_business_is_answered_like_an_unknown_one_at_the_same_cost() {
    let review_fixtures = ReviewFixtures::new().await;
    for by in ["admin_1", "manager_1"] {
        assert_eq!(review_fixtures.ask(by, "").await.status, 200, "the first request of a key also writes its use");
    }
    let lists = [
        ("lyon-9", "nobody-9"),
        ("lyon-9,paris-9", "nobody-9,nowhere-9"),
        ("lyon-9,lyon-1", "nobody-9,lyon-1"),
        ("hay,paris-9,lyon-9,lyon-2", "hay,nowhere-9,nobody-9,lyon-2"),
    ];
    for rest in ["", "&page=2", "&business_city=lyon", "&state=treated", "&update_date__gte=2025-01-01"] {
        for (foreign, unknown) in lists {
            for by in ["admin_1", "manager_1"] {
                let lists = (format!("business__in={foreign}"), format!("business__in={unknown}"));
                let queries = (format!("{}{rest}", lists.0), format!("{}{rest}", lists.1));
                // Afterwards the function has read the part of the directory that tells of either.
                review_fixtures.ask(by, &queries.0).await;
                review_fixtures.ask(by, &queries.1).await;
                let (foreign, unknown) =
                    (review_fixtures.ask(by, &queries.0).await, review_fixtures.ask(by, &queries.1).await);
                assert_eq!(foreign.status, 200, "{}", foreign.text);
                assert_eq!(comparable(&foreign, &lists.0), comparable(&unknown, &lists.1), "{by} {rest}");
                assert_eq!(foreign.logged_cost(), unknown.logged_cost(), "nothing of it is read: {by} {rest}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_caller_reads_its_new_organisation_on_the_next_request() {
    let review_fixtures = ReviewFixtures::new().await;
    let moved = format!("/user/{}", review_fixtures.fixtures.manager_1.id);
    let body = serde_json::json!({"org_id": 2, "business_ids": []});
    assert_eq!(review_fixtures.stack.post(&moved, review_fixtures.key("provider"), &body).await.status, 200);
    let reply = review_fixtures.ask("manager_1", "").await;
    assert_eq!(super::fixtures::describe_page(&reply), "page 1 of 1, 2 in all: y x");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_organisation_that_gets_its_first_review_is_read_by_a_provider_at_once() {
    let review_fixtures = ReviewFixtures::new().await;
    assert_eq!(review_fixtures.ask("provider", "").await.json()["count"], 10, "the organisations are known now");
    let org = presence_domain::ids::OrgId::new(3).expect("an id");
    review_fixtures.stack.stores().reviews.register_org_with_reviews(org).await.expect("the store answers");
    let mut review = super::fixtures::seeded_review("x");
    review.org_id = org;
    review.id = presence_domain::review::ReviewId::parse("000000000000").expect("an id");
    super::fixtures::write_reviews(
        &review_fixtures.stack,
        vec![presence_store::ReviewWrite { old: None, new: review }],
    )
    .await;
    assert_eq!(review_fixtures.ask("provider", "").await.json()["count"], 11);
    assert_eq!(review_fixtures.ask("provider", "business_city=lyon").await.json()["count"], 6);
    assert_eq!(review_fixtures.ask("admin_1", "").await.json()["count"], 8);
}
