//! Keys, methods and the log line of a request for statistics.

use presence_tests::logs::{self, NAME_CANARY};
use presence_tests::send;
use serde_json::json;

use super::super::fixtures::ReviewFixtures;

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_required_before_parameters_are_checked() {
    let review_fixtures = ReviewFixtures::new().await;
    for query in ["", "?group_by=nothing&bogus=1"] {
        let reply = send(review_fixtures.stack.request("GET", &format!("/reviews/stats{query}"))).await;
        let text = r#"{"errors":{"authentication":"a valid API key is required: in the header x-api-key or Authorization: Bearer, or in the parameter api_key"}}"#;
        assert_eq!((reply.status, reply.text.as_str()), (401, text), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_of_statistics_are_405_and_longer_paths_404() {
    let review_fixtures = ReviewFixtures::new().await;
    let key = review_fixtures.key("admin_1").to_owned();
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let reply = send(review_fixtures.stack.request(method, "/reviews/stats").header("x-api-key", &key)).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"), "{method}");
    }
    assert_eq!(review_fixtures.stack.get("/reviews/stats/2025", &key).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_for_statistics_is_logged_by_name_without_its_parameters() {
    let review_fixtures = ReviewFixtures::new().await;
    for (query, status) in [(format!("business_city={NAME_CANARY}"), 200), (format!("group_by={NAME_CANARY}"), 400)] {
        let reply = review_fixtures.stats("admin_1", &query).await;
        let line = logs::request_line(reply.header("x-request-id"));
        assert_eq!((&line["operation"], &line["status"]), (&json!("get_review_stats"), &json!(status)));
        for (header, value) in [("cache-control", "no-store"), ("content-type", "application/json; charset=utf-8")] {
            assert_eq!(reply.header(header), value);
        }
    }
}
