//! Compressed answers: the same texts in fewer bytes, for the clients that ask for them.

use presence_domain::invitation::ActivationToken;
use presence_domain::user::{Role, Status};
use presence_tests::{TestStack, send};

use super::{RawReply, request_with, sample_stack, send_raw};

/// Requests with answers above the limit.
const LARGE: [&str; 5] = [
    "/user/search?per_page=100",
    "/category/search?lang=FR&per_page=100",
    "/reviews?per_page=100",
    "/reviews/stats?group_by=month",
    "/openapi.json",
];

async fn get(stack: &TestStack, path: &str, accept_encoding: &str) -> RawReply {
    send_raw(request_with(stack, "GET", path, "accept-encoding", accept_encoding)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_has_the_same_text_and_tag_in_fewer_bytes() {
    let stack = sample_stack().await;
    for path in LARGE {
        let plain = get(&stack, path, "identity").await;
        let compressed = get(&stack, path, "gzip, deflate, br").await;
        assert_eq!((plain.status, compressed.status), (200, 200), "{path}: {}", plain.text());
        assert_eq!((plain.header("content-encoding"), compressed.header("content-encoding")), ("", "gzip"), "{path}");
        assert_eq!(compressed.text(), plain.text(), "{path}");
        assert!(compressed.bytes.len() * 2 < plain.bytes.len(), "{path}: {} bytes", compressed.bytes.len());
        for reply in [&plain, &compressed] {
            assert_eq!(reply.header("vary"), "accept-encoding", "{path}");
            assert_eq!(reply.header("content-length"), reply.bytes.len().to_string(), "{path}");
            assert_eq!(reply.header("etag"), plain.header("etag"), "{path}: the tag is weak");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_want_gzip_gets_the_text() {
    let stack = sample_stack().await;
    let path = "/reviews?per_page=100";
    let without = send_raw(stack.request("GET", path).header("x-api-key", &stack.local.keys()["ORG_ADMIN"])).await;
    assert_eq!((without.status, without.header("content-encoding")), (200, ""));
    for wish in ["", "identity", "br, zstd", "gzip;q=0, *", "gzip;q=0.1, identity;q=0.2", "*;q=0", "gzip;q=nonsense"] {
        let reply = get(&stack, path, wish).await;
        assert_eq!((reply.status, reply.header("content-encoding")), (200, ""), "{wish:?}");
        assert_eq!(
            (reply.bytes, reply.headers["vary"].as_bytes()),
            (without.bytes.clone(), &b"accept-encoding"[..]),
            "{wish:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_answer_is_compressed_only_for_a_client_that_refuses_others() {
    let stack = sample_stack().await;
    for (path, status) in [("/user/me", 200), ("/user/7", 404), ("/user/me?a=1", 400)] {
        let plain = get(&stack, path, "gzip").await;
        assert_eq!((plain.status, plain.header("content-encoding")), (status, ""), "{path}");
        assert_eq!(plain.header("vary"), "accept-encoding", "{path}");
        for wish in ["gzip, identity;q=0", "gzip, *;q=0"] {
            let compressed = get(&stack, path, wish).await;
            assert_eq!((compressed.status, compressed.header("content-encoding")), (status, "gzip"), "{path}");
            assert_eq!(compressed.text(), plain.text(), "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_error_is_compressed_too() {
    let stack = sample_stack().await;
    let names: Vec<_> = (0..60).map(|number| format!("unknown-{number}=1")).collect();
    let path = format!("/user/search?{}", names.join("&"));
    let (plain, compressed) = (get(&stack, &path, "identity").await, get(&stack, &path, "gzip").await);
    assert_eq!((plain.status, compressed.status, compressed.header("content-encoding")), (400, 400, "gzip"));
    assert_eq!(compressed.text(), plain.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_compressed_unless_they_have_the_token_of_a_link() {
    let stack = TestStack::start().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    let (live, unknown) = (token.expose().to_owned(), ActivationToken::generate().expose().to_owned());
    for (token, status, coding, vary) in [(&live, 200, "", ""), (&unknown, 404, "gzip", "accept-encoding")] {
        let request = stack.page("GET").query(&[("user", &person.id), ("token", token)]);
        let plain = send(request.try_clone().expect("a request without a body")).await;
        let reply = send_raw(request.header("accept-encoding", "gzip")).await;
        assert_eq!((reply.status, reply.header("content-encoding"), reply.header("vary")), (status, coding, vary));
        assert_eq!(reply.text(), plain.text);
    }
}
