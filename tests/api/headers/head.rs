//! HEAD: the status and the headers of GET, without its body.

use presence_domain::user::{Role, Status};
use presence_tests::{Fixtures, logs, path_of, routes, send};

use super::{RawReply, sample_stack, send_raw};
use crate::api::categories::{DIRECTORY, load, parse};
use crate::api::reviews::fixtures::seed;

/// Asserts that the answer to HEAD is that to GET without its body.
fn assert_is_head_of(head: &RawReply, get: &RawReply, what: &str) {
    assert_eq!(head.status, get.status, "{what}");
    assert_eq!(head.stable_headers(), get.stable_headers(), "{what}");
    assert_eq!(head.header("content-length"), get.bytes.len().to_string(), "{what}");
    assert_eq!(head.bytes, b"", "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_that_reads_answers_head_like_get() {
    let (stack, fixtures) = Fixtures::start().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    seed(&stack).await;
    for route in routes().iter().filter(|route| route.method == "GET") {
        let found = path_of(route, &fixtures.manager_1.id, "c-bank");
        let lang = if route.path.contains("/category/") { "?lang=GB" } else { "" };
        let missing = path_of(route, "7", "nothing");
        for (path, key) in [
            (format!("{found}{lang}"), fixtures.admin_1.key.as_str()),
            (format!("{missing}{lang}"), &fixtures.admin_1.key),
            (format!("{found}?bogus=1&page=x&per_page=1000&bogus=2"), &fixtures.admin_1.key),
            (format!("{found}{lang}"), "no key"),
        ] {
            for coding in ["identity", "gzip", "gzip, identity;q=0"] {
                let ask =
                    |method| stack.request(method, &path).header("x-api-key", key).header("accept-encoding", coding);
                let (get, head) = (send_raw(ask("GET")).await, send_raw(ask("HEAD")).await);
                let what = format!("{path} as {key}, {coding}");
                assert_is_head_of(&head, &get, &what);
                let logged = logs::request_line(head.header("x-request-id"));
                assert_eq!(
                    (&logged["operation"], &logged["status"]),
                    (&route.name.into(), &get.status.into()),
                    "{what}"
                );
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn head_costs_the_reads_of_get() {
    let (stack, fixtures) = Fixtures::counting_waves().await;
    load(stack.stores(), parse(DIRECTORY)).await;
    seed(&stack).await;
    stack.seed_webhook().await;
    for route in routes().iter().filter(|route| route.method == "GET") {
        let lang = if route.path.contains("/category/") { "?lang=GB" } else { "" };
        let path = format!("{}{lang}", path_of(route, &fixtures.manager_1.id, "c-bank"));
        let ask = |method| send(stack.request(method, &path).header("x-api-key", &fixtures.admin_1.key));
        // The first request of a function fills its caches.
        ask("GET").await;
        let (get, head) = (ask("GET").await, ask("HEAD").await);
        assert_eq!((head.status, head.cost()), (200, get.cost()), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_the_description_answer_head_like_get() {
    let stack = sample_stack().await;
    let person = stack.create_user("invited-1", Role::BusinessManager, Some(1), Status::Invited).await;
    let token = stack.link(&person.id).await;
    let base = stack.local.base_url();
    let origin = base.trim_end_matches("/api/v2");
    let invitation = format!("{origin}/invitation?user={}&token=", person.id);
    for url in [
        format!("{base}/openapi.json"),
        format!("{base}/elsewhere"),
        format!("{invitation}{}", token.expose()),
        format!("{invitation}unknown"),
        stack.local.docs_url().clone(),
        stack.local.mailbox_url().clone(),
        format!("{}.json", stack.local.mailbox_url()),
        format!("{origin}/stats"),
        format!("{origin}/events"),
        format!("{origin}/events.json"),
    ] {
        for coding in ["identity", "gzip"] {
            let ask = |method| stack.request_at(method, &url).header("accept-encoding", coding);
            let (get, head) = (send_raw(ask("GET")).await, send_raw(ask("HEAD")).await);
            assert_is_head_of(&head, &get, &url);
        }
    }
}
