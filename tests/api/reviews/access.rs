//! Keys, paths, methods and the log line of a search.

use presence_tests::logs::{self, NAME_CANARY};
use presence_tests::send;
use serde_json::json;

use super::fixtures::{ReviewFixtures, describe_page};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_accepted_in_every_place_and_required() {
    let review_fixtures = ReviewFixtures::new().await;
    let key = review_fixtures.key("admin_1").to_owned();
    let request = |query: &str| review_fixtures.stack.request("GET", &format!("/reviews{query}"));
    for accepted in [
        request("").header("x-api-key", &key),
        request("").header("x-apikey", &key),
        request("").header("authorization", format!("Bearer {key}")),
        request(&format!("?api_key={key}")),
    ] {
        assert_eq!(describe_page(&send(accepted).await), "page 1 of 1, 8 in all: h g f d e c b a");
    }
    let id = presence_domain::ids::UserId::parse(&review_fixtures.fixtures.manager_1.id).expect("an id");
    let now = presence_runtime::clock::Clock::now(review_fixtures.stack.clock.as_ref());
    let keys = review_fixtures.stack.stores().users.list_keys(id).await.expect("the store answers").expect("a user");
    review_fixtures
        .stack
        .stores()
        .users
        .revoke_key(keys[0].id(), &presence_tests::operator(), now)
        .await
        .expect("a live key");
    let revoked = request("").header("x-api-key", review_fixtures.key("manager_1"));
    // The key is checked before the parameters.
    for refused in [request(""), request("?rating=9&bogus=1"), request("").header("x-api-key", "nonsense"), revoked] {
        let reply = send(refused).await;
        assert_eq!(reply.status, 401);
        assert_eq!(
            reply.text,
            r#"{"errors":{"authentication":"a valid API key is required: in the header x-api-key or Authorization: Bearer, or in the parameter api_key"}}"#
        );
        assert_eq!(reply.header("www-authenticate"), r#"Bearer realm="presence""#);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_405_and_other_paths_404() {
    let review_fixtures = ReviewFixtures::new().await;
    let key = review_fixtures.key("admin_1").to_owned();
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let reply = send(review_fixtures.stack.request(method, "/reviews").header("x-api-key", &key)).await;
        assert_eq!((reply.status, reply.header("allow")), (405, "GET, HEAD"), "{method}");
        assert_eq!(reply.text, r#"{"errors":{"json":"method not allowed"}}"#);
    }
    for path in ["/reviews/7", "/reviews/search", "/reviews/me/too", "/reviews/"] {
        let reply = review_fixtures.stack.get(path, &key).await;
        assert_eq!((reply.status, reply.text.as_str()), (404, r#"{"errors":{"json":"not found"}}"#), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_logged_by_name_without_its_parameters() {
    let review_fixtures = ReviewFixtures::new().await;
    for (query, status) in [(format!("business_city={NAME_CANARY}"), 200), (format!("{NAME_CANARY}=1"), 400)] {
        let reply = review_fixtures.ask("admin_1", &query).await;
        let line = logs::request_line(reply.header("x-request-id"));
        assert_eq!((&line["operation"], &line["status"]), (&json!("search_reviews"), &json!(status)), "{}", reply.text);
        for (header, value) in [("cache-control", "no-store"), ("content-type", "application/json; charset=utf-8")] {
            assert_eq!(reply.header(header), value);
        }
    }
}
