//! Paths, the order of checks and the log line of requests for reviews. `robustness` has the methods, and `authorization` the keys.

use presence_tests::logs::{self, NAME_CANARY};
use serde_json::json;

use super::fixtures::ReviewFixtures;

#[tokio::test(flavor = "multi_thread")]
async fn other_paths_are_404() {
    let review_fixtures = ReviewFixtures::new().await;
    for path in ["/reviews/7", "/reviews/search", "/reviews/me/too", "/reviews/", "/reviews/stats/2025"] {
        let reply = review_fixtures.stack.get(path, review_fixtures.key("admin_1")).await;
        assert_eq!((reply.status, reply.text.as_str()), (404, r#"{"errors":{"json":"not found"}}"#), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_is_checked_before_the_parameters() {
    let review_fixtures = ReviewFixtures::new().await;
    for path in ["/reviews?rating=9&bogus=1", "/reviews/stats?group_by=nothing&bogus=1"] {
        assert_eq!(review_fixtures.stack.get(path, "").await.status, 401, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_logged_by_name_without_its_parameters() {
    let review_fixtures = ReviewFixtures::new().await;
    for (operation, path, status) in [
        ("search_reviews", format!("/reviews?business_city={NAME_CANARY}"), 200),
        ("search_reviews", format!("/reviews?{NAME_CANARY}=1"), 400),
        ("get_review_stats", format!("/reviews/stats?business_city={NAME_CANARY}"), 200),
        ("get_review_stats", format!("/reviews/stats?group_by={NAME_CANARY}"), 400),
    ] {
        let reply = review_fixtures.stack.get(&path, review_fixtures.key("admin_1")).await;
        let line = logs::request_line(reply.header("x-request-id"));
        assert_eq!((&line["operation"], &line["status"]), (&json!(operation), &json!(status)), "{}", reply.text);
        for (header, value) in [("cache-control", "no-store"), ("content-type", "application/json; charset=utf-8")] {
            assert_eq!(reply.header(header), value);
        }
    }
}
