//! Keys that may only read, and keys that may be called from some networks, as operators issue them.

use presence_ops::Exit;
use presence_store::schema::API_KEYS;
use presence_tests::{Fixtures, Reply, TestStack, path_of, routes, send};

use super::matrix::assert_forbidden;
use super::requests::{UNKNOWN_IDS, call, newcomer};

/// Network of the tests' own address, and one of nobody.
const HERE: &str = "127.0.0.0/8";
const ELSEWHERE: &str = "203.0.113.0/24";

/// Issues a key with these options.
async fn issue(stack: &TestStack, owner: &str, options: &str) -> String {
    let issued = stack.ops(&format!("--json key issue --user {owner} {options}")).await.expect(Exit::Done).json();
    issued["key"].as_str().expect("a key").to_owned()
}

/// Returns every item but the records of keys, which have the hour of the last use.
async fn without_keys(stack: &TestStack) -> Vec<String> {
    let keys = stack.items(&stack.stores().database.name(&API_KEYS)).await;
    stack.snapshot().await.into_iter().filter(|item| !keys.contains(item)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_may_only_read_changes_nothing_whatever_the_target() {
    let (stack, fixtures) = Fixtures::start().await;
    let key = issue(&stack, &fixtures.provider.id, &format!("--access read --network {HERE}")).await;
    let before = without_keys(&stack).await;
    // The second round has the key in the cache of each function.
    for round in ["cold", "warm"] {
        for route in routes() {
            let targets = [fixtures.manager_1.id.as_str(), UNKNOWN_IDS[0], UNKNOWN_IDS[6]];
            for target in targets {
                let what = format!("{} on {target}, {round}", route.name);
                let reply = call(&stack, &route, target, &key, &newcomer()).await;
                if route.method == "GET" {
                    assert!([200, 400, 404].contains(&reply.status), "{what}: {}", reply.text);
                    continue;
                }
                assert_forbidden(&reply, &what);
                assert_eq!(reply.json()["errors"]["authorization"], "this key may only read", "{what}");
                assert!(reply.logged_cost().calls <= 2, "{what} looks nothing up but the key, and records its use");
                let path = path_of(&route, target, "nothing");
                let keyed = stack.request(route.method, &path).header("x-api-key", &key).header("idempotency-key", "a");
                let reply = send(keyed.header("content-type", "application/json").body("{}")).await;
                assert_eq!((reply.status, reply.logged_cost().calls), (403, 1), "{what} with an idempotency key");
            }
        }
    }
    let head = send(stack.request("HEAD", "/user/me").header("x-api-key", &key)).await;
    assert_eq!(head.status, 200);
    assert_eq!(without_keys(&stack).await, before);
}

fn body(reply: &Reply) -> (u16, &str) {
    (reply.status, &reply.text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_from_outside_its_networks_is_refused_like_an_unknown_one_on_every_route() {
    let (stack, fixtures) = Fixtures::start().await;
    let owner = &fixtures.provider.id;
    let inside = issue(&stack, owner, &format!("--network {ELSEWHERE} --network {HERE}")).await;
    let outside = issue(&stack, owner, &format!("--network {ELSEWHERE}")).await;
    let before = stack.snapshot().await;
    let unknown = stack.get("/user/me", presence_domain::api_key::PlaintextApiKey::generate().expose()).await;
    for route in routes() {
        for target in [fixtures.manager_1.id.as_str(), UNKNOWN_IDS[0]] {
            let reply = call(&stack, &route, target, &outside, &newcomer()).await;
            assert_eq!(body(&reply), body(&unknown), "{}", route.name);
            assert_eq!(reply.header("www-authenticate"), unknown.header("www-authenticate"));
            // Categories are read beside the key. The result is discarded, if the read has begun at all when the key is refused.
            let most = if route.path.contains("/category/") { 2 } else { 1 };
            assert!((1..=most).contains(&reply.logged_cost().calls), "{}", route.name);
        }
    }
    // No header of a client counts.
    for header in ["x-forwarded-for", "x-real-ip", "forwarded", "cloudfront-viewer-address", "x-viewer-address"] {
        let request = stack.request("GET", "/user/me").header("x-api-key", &outside).header(header, "203.0.113.9");
        assert_eq!(send(request).await.status, 401, "{header}");
    }
    assert_eq!(stack.snapshot().await, before);
    assert_eq!(stack.get("/user/me", &inside).await.status, 200);
}
