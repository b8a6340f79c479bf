//! `GET /api/v2/reviews/{review_id}`

use presence_domain::ids::OrgId;
use presence_domain::review::Review;
use presence_store::{Business, ReviewWrite};
use presence_tests::{Cost, Reply, SEEDED_REVIEW, logs};
use serde_json::json;

use super::fixtures::{ReviewFixtures, seeded_review, write_reviews};

const NOT_FOUND: &str = r#"{"errors":{"json":"not found"}}"#;

/// Id of the form of a review, which none has.
const UNKNOWN: &str = "000000000000";

/// Texts that are no id: other characters, other lengths, names of operations.
const MALFORMED: &str = "7 search S9JKMZXH00KZ s9jkmzxh00k s9jkmzxh00kz0 s9jkmzxh00k_ s9jkmzxh00kz%00 %20s9jkmzxh00kz s9jkmzxh00k%C3%A9 \
    s9jkmzxh00kz%2Ftoo R%23s9jkmzxh00kz %EF%BC%93%EF%BC%93%EF%BC%93%EF%BC%93 %ff *";

impl ReviewFixtures {
    async fn get(&self, by: &str, id: &str) -> Reply {
        self.stack.get(&format!("/reviews/{id}"), self.key(by)).await
    }
}

/// Returns the answer without the headers that differ from answer to answer.
fn comparable(reply: &Reply) -> (u16, String, Vec<(String, String)>) {
    let changing = ["x-request-id", "apigw-requestid", "date"];
    let kept = reply.headers.iter().filter(|(name, _)| !changing.contains(&name.as_str()));
    let text = |value: &reqwest::header::HeaderValue| value.to_str().expect("text").to_owned();
    (reply.status, reply.text.clone(), kept.map(|(name, value)| (name.to_string(), text(value))).collect())
}

fn reading(calls: u64, read_units: f64) -> Cost {
    Cost { calls, waves: 1, read_units, write_units: 0.0 }
}

#[test]
fn the_seeded_review_has_the_id_that_other_tests_name() {
    assert_eq!(seeded_review("a").id.as_str(), SEEDED_REVIEW);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_review_that_a_caller_finds_is_shown_as_the_search_shows_it() {
    let review_fixtures = ReviewFixtures::new().await;
    for (by, count) in [("admin_1", 8), ("manager_1", 8), ("admin_2", 2), ("provider", 10), ("provider_in_1", 10)] {
        let page = review_fixtures.ask(by, "per_page=100").await;
        let found = page.json()["reviews"].as_array().expect("a page").clone();
        let mut shown = Vec::new();
        for review in &found {
            let reply = review_fixtures.get(by, review["id"].as_str().expect("an id")).await;
            assert_eq!(reply.status, 200, "{by}: {}", reply.text);
            shown.push(reply.text);
        }
        let joined = format!(r#"{{"page":1,"max_page":1,"count":{count},"reviews":[{}]}}"#, shown.join(","));
        assert_eq!(joined, page.text, "{by}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_an_unknown_and_a_malformed_id_get_the_same_bytes() {
    let review_fixtures = ReviewFixtures::new().await;
    let foreign = seeded_review("x");
    let ids: Vec<_> = [UNKNOWN].into_iter().chain(MALFORMED.split(' ')).collect();
    for by in ["admin_1", "manager_1", "provider"] {
        let expected = comparable(&review_fixtures.get(by, UNKNOWN).await);
        assert_eq!((expected.0, expected.1.as_str()), (404, NOT_FOUND));
        for id in &ids {
            assert_eq!(comparable(&review_fixtures.get(by, id).await), expected, "{id} by {by}");
        }
        if by != "provider" {
            assert_eq!(comparable(&review_fixtures.get(by, foreign.id.as_str()).await), expected, "by {by}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_comes_before_the_id_and_the_id_before_the_parameters() {
    let review_fixtures = ReviewFixtures::new().await;
    for id in [SEEDED_REVIEW, UNKNOWN, "malformed"] {
        let reply = review_fixtures.stack.get(&format!("/reviews/{id}?bogus=1"), "").await;
        assert_eq!((reply.status, reply.header("www-authenticate")), (401, r#"Bearer realm="presence""#), "{id}");
    }
    let unknown = review_fixtures.get("admin_1", &format!("{UNKNOWN}?bogus=1")).await;
    assert_eq!((unknown.status, unknown.text.as_str()), (404, NOT_FOUND));
    let refused = review_fixtures.get("admin_1", &format!("{SEEDED_REVIEW}?page=1&state=deleted")).await;
    let unknown = "is not a parameter of this operation";
    assert_eq!(
        (refused.status, refused.json()["errors"]["json"].clone()),
        (400, json!({"page": unknown, "state": unknown}))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_may_be_percent_encoded() {
    let review_fixtures = ReviewFixtures::new().await;
    let plain = review_fixtures.get("admin_1", SEEDED_REVIEW).await;
    let encoded = SEEDED_REVIEW.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
    let reply = review_fixtures.get("admin_1", &encoded).await;
    assert_eq!((reply.status, &reply.text), (200, &plain.text));
    let line = logs::request_line(reply.header("x-request-id"));
    assert_eq!((&line["operation"], line.to_string().contains(SEEDED_REVIEW)), (&json!("get_review"), false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_at_once() {
    let review_fixtures = ReviewFixtures::new().await;
    let mut old = seeded_review("a");
    for number in 1..=5 {
        let new = Review { title: Some(format!("Titre {number}")), ..old.clone() };
        write_reviews(&review_fixtures.stack, vec![ReviewWrite { old: Some(old), new: new.clone() }]).await;
        let shown = review_fixtures.get("admin_1", SEEDED_REVIEW).await;
        assert_eq!((shown.status, &shown.json()["title"]), (200, &json!(new.title)));
        old = Review { version: new.version + 1, ..new };
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_whose_business_moves_leaves_the_old_organisation_with_it() {
    let review_fixtures = ReviewFixtures::new().await;
    let review = seeded_review("a");
    let statuses = async || {
        let mut statuses = Vec::new();
        for by in ["admin_1", "admin_2", "provider"] {
            statuses.push(review_fixtures.get(by, SEEDED_REVIEW).await.status);
        }
        statuses
    };
    assert_eq!(statuses().await, [200, 404, 200]);
    let org_id = OrgId::new(2).expect("an id");
    let business = Business { id: review.business_id, org_id, name: "Shop".to_owned(), city: review.city_key };
    review_fixtures.stack.stores().reviews.put_business(&business).await.expect("the store answers");
    assert_eq!(statuses().await, [404, 200, 200]);
    assert_eq!(review_fixtures.get("admin_2", SEEDED_REVIEW).await.json()["org_id"], "2");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_costs_one_strong_read_beside_the_key() {
    let review_fixtures = ReviewFixtures::counting_waves().await;
    review_fixtures.get("admin_1", SEEDED_REVIEW).await;
    let foreign = seeded_review("x");
    for (id, status, cost) in [
        (SEEDED_REVIEW, 200, reading(2, 2.0)),
        (UNKNOWN, 404, reading(2, 2.0)),
        (foreign.id.as_str(), 404, reading(2, 2.0)),
        ("malformed", 404, reading(1, 1.0)),
    ] {
        let reply = review_fixtures.get("admin_1", id).await;
        assert_eq!((reply.status, reply.cost()), (status, cost), "{id}");
    }
    let old = seeded_review("a");
    let new = Review { content: Some("x".repeat(10_000)), ..old.clone() };
    write_reviews(&review_fixtures.stack, vec![ReviewWrite { old: Some(old), new }]).await;
    let reply = review_fixtures.get("admin_1", SEEDED_REVIEW).await;
    assert_eq!((reply.status, reply.cost()), (200, reading(2, 1.0 + 3.0)), "a unit for each 4 KB");
}
