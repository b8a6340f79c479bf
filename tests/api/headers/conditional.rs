//! Tags of answers, and requests that ask only for what has changed.

use presence_tests::{Cost, Fixtures, Reply, TestStack, counting_waves, send};

use super::send_raw;
use crate::api::categories::{DIRECTORY, load, numbered, parse};

const SEARCH: &str = "/category/search?lang=GB";
const GET: &str = "/category/c-bank?lang=GB";

/// Asks for a path as a client does that has these answers.
async fn ask(stack: &TestStack, path: &str, key: &str, if_none_match: &str) -> Reply {
    send(stack.request("GET", path).header("x-api-key", key).header("if-none-match", if_none_match)).await
}

async fn tag_of(stack: &TestStack, path: &str, key: &str) -> String {
    let reply = stack.get(path, key).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    reply.header("etag").to_owned()
}

async fn start() -> (TestStack, Fixtures) {
    let (stack, fixtures) = Fixtures::counting_waves().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    (stack, fixtures)
}

fn assert_not_modified(reply: &Reply, tag: &str, what: &str) {
    assert_eq!((reply.status, reply.text.as_str(), reply.header("etag")), (304, "", tag), "{what}");
    let expected = [("cache-control", "private, no-cache"), ("vary", "accept-encoding"), ("content-type", "")];
    for (name, value) in expected {
        assert_eq!(reply.header(name), value, "{what}: {name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_has_the_categories_gets_304_at_the_cost_of_the_key_and_the_head() {
    let (stack, fixtures) = start().await;
    let key = &fixtures.manager_1.key;
    for path in [SEARCH, GET] {
        let tag = tag_of(&stack, path, key).await;
        assert!(tag.starts_with("W/\"") && tag.ends_with('"') && tag.len() == 26, "{tag}");
        let strong = tag.trim_start_matches("W/").to_owned();
        for list in [tag.clone(), strong, format!("W/\"other\", {tag}"), format!("{tag},\"a\""), "*".to_owned()] {
            let reply = ask(&stack, path, key, &list).await;
            assert_not_modified(&reply, &tag, &format!("{path} {list}"));
            assert_eq!(reply.cost(), Cost { calls: 2, waves: 1, read_units: 2.0, write_units: 0.0 }, "{list}");
        }
        for other in ["\"other\"", "", "nonsense", "W/\"", tag.trim_start_matches("W/\"").trim_end_matches('"')] {
            let reply = ask(&stack, path, key, other).await;
            assert_eq!((reply.status, reply.header("etag")), (200, tag.as_str()), "{path} {other}");
            assert_eq!(reply.header("cache-control"), "private, no-cache", "{path} {other}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_starts_answers_304_without_reading_the_directory() {
    let (stack, fixtures) = start().await;
    let key = &fixtures.manager_1.key;
    let tag = tag_of(&stack, SEARCH, key).await;
    let started = TestStack::with(counting_waves(stack.second_stack_options())).await;
    let reply = ask(&started, SEARCH, key, &tag).await;
    assert_not_modified(&reply, &tag, "a function that has just started");
    assert_eq!((reply.cost().calls, reply.cost().read_units), (2, 2.0));
    assert!(started.get(SEARCH, key).await.cost().read_units > 2.0, "without the tag it reads the directory");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_is_that_of_one_request_and_one_version_of_the_directory() {
    let (stack, fixtures) = start().await;
    let key = &fixtures.manager_1.key;
    let requests = [
        SEARCH,
        GET,
        "/category/search?lang=FR",
        "/category/search?lang=GB&page=2",
        "/category/search?lang=GB&per_page=1",
        "/category/search?lang=GB&name=bank",
        "/category/c-bank?lang=FR",
        "/category/c-bakery?lang=GB",
    ];
    let mut tags = Vec::new();
    for path in requests {
        tags.push(tag_of(&stack, path, key).await);
    }
    for (number, path) in requests.into_iter().enumerate() {
        let others: Vec<_> =
            tags.iter().enumerate().filter(|(other, _)| *other != number).map(|(_, tag)| tag).collect();
        let others = others.into_iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        assert_eq!(ask(&stack, path, key, &others).await.status, 200, "{path}");
    }
    load(stack.stores(), numbered(3, "New")).await;
    let changed = ask(&stack, SEARCH, key, &tags[0]).await;
    assert_eq!((changed.status, &changed.json()["count"]), (200, &11.into()));
    assert_ne!(changed.header("etag"), tags[0]);
    load(stack.stores(), numbered(3, "New")).await;
    let tag = changed.header("etag");
    assert_not_modified(&ask(&stack, SEARCH, key, tag).await, tag, "an import that changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_is_the_same_for_every_key_and_gives_no_access() {
    let (stack, fixtures) = start().await;
    let tag = tag_of(&stack, SEARCH, &fixtures.manager_1.key).await;
    let in_query = format!("{SEARCH}&api_key={}", fixtures.admin_2.key);
    assert_not_modified(&ask(&stack, &in_query, "", &tag).await, &tag, "the key in the query");
    assert_not_modified(&ask(&stack, SEARCH, &fixtures.provider.key, &tag).await, &tag, "another key");
    for list in [&tag, "*"] {
        let refused = ask(&stack, SEARCH, "no key", list).await;
        assert_eq!((refused.status, refused.header("etag"), refused.header("cache-control")), (401, "", "no-store"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_no_tag_and_a_star_hides_none() {
    let (stack, fixtures) = start().await;
    for (path, status) in [
        ("/category/nothing?lang=GB", 404),
        ("/category/c-bank", 400),
        ("/category/search?lang=GB&bogus=1", 400),
        ("/category/search?lang=XX", 400),
    ] {
        let reply = ask(&stack, path, &fixtures.manager_1.key, "*").await;
        assert_eq!(
            (reply.status, reply.header("etag"), reply.header("cache-control")),
            (status, "", "no-store"),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_operations_have_no_tag_and_ignore_those_of_clients() {
    let (stack, fixtures) = start().await;
    for path in ["/user/me", "/user/search", "/user/stats", "/reviews", "/reviews/stats", "/business/search"] {
        let reply = ask(&stack, path, &fixtures.admin_1.key, "*").await;
        assert_eq!(
            (reply.status, reply.header("etag"), reply.header("cache-control")),
            (200, "", "no-store"),
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_may_be_kept_by_anyone_and_is_304_for_those_who_have_it() {
    let stack = TestStack::start().await;
    let whole = send_raw(stack.request("GET", "/openapi.json")).await;
    let tag = whole.header("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    for method in ["GET", "HEAD"] {
        for (list, status) in [(tag.as_str(), 304), ("*", 304), ("\"a\", W/\"b\"", 200)] {
            let request = stack.request(method, "/openapi.json").header("if-none-match", list);
            let reply = send_raw(request.header("accept-encoding", "gzip")).await;
            assert_eq!((reply.status, reply.header("etag")), (status, tag.as_str()), "{method} {list}");
            assert_eq!(reply.header("cache-control"), "public, max-age=300");
            assert_eq!(reply.bytes.is_empty(), status == 304 || method == "HEAD", "{method} {list}");
            assert_eq!(reply.header("content-encoding"), if status == 304 { "" } else { "gzip" }, "{method} {list}");
        }
    }
}
