//! Access: every valid key reads all categories, and no other request does.

use jiff::SignedDuration;
use presence_domain::ids::UserId;
use presence_runtime::clock::Clock as _;
use presence_store::NewApiKey;
use presence_tests::{Fixtures, TestStack, send};

use super::{DIRECTORY, load, parse};

const PATHS: [&str; 3] = ["/category/search?lang=GB", "/category/c-bank?lang=GB", "/category/nowhere?lang=GB"];
const REFUSED: &str = r#"{"errors":{"authentication":"a valid API key is required: in the header x-api-key or Authorization: Bearer, or in the parameter api_key"}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_role_reads_the_same() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let callers = [
        &fixtures.provider,
        &fixtures.provider_in_1,
        &fixtures.admin_1,
        &fixtures.manager_1,
        &fixtures.admin_2,
        &fixtures.manager_2,
    ];
    for (path, status) in PATHS.into_iter().zip([200, 200, 404]) {
        let first = stack.get(path, &fixtures.provider.key).await;
        assert_eq!(first.status, status, "{path}: {}", first.text);
        for caller in callers {
            let reply = stack.get(path, &caller.key).await;
            assert_eq!((reply.status, &reply.text), (status, &first.text), "{path} by {}", caller.email);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_accepted_in_every_place_of_other_operations() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let key = &fixtures.manager_1.key;
    let path = "/category/c-bank?lang=GB";
    for (name, value) in
        [("x-api-key", key.clone()), ("x-apikey", key.clone()), ("authorization", format!("Bearer {key}"))]
    {
        assert_eq!(send(stack.request("GET", path).header(name, value)).await.status, 200, "{name}");
    }
    assert_eq!(send(stack.request("GET", &format!("{path}&api_key={key}"))).await.status, 200);
    let two =
        send(stack.request("GET", &format!("{path}&api_key={key}")).header("x-api-key", &fixtures.admin_1.key)).await;
    assert_eq!(
        (two.status, two.text.as_str()),
        (400, r#"{"errors":{"json":"the request has two different API keys"}}"#)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_gives_no_access_is_refused_from_the_next_request_on() {
    let stack = TestStack::start().await;
    let fixtures = Fixtures::create(&stack).await;
    load(stack.stores(), parse(DIRECTORY)).await;
    let now = stack.clock.now();
    let owner = UserId::parse(&fixtures.admin_1.id).expect("an id");
    let expires_at = Some(now + SignedDuration::from_secs(60));
    let expiring = stack
        .stores()
        .users
        .issue_key(owner, &NewApiKey { label: None, expires_at }, &presence_tests::operator(), now)
        .await
        .expect("a key");
    let revoked = stack
        .stores()
        .users
        .issue_key(owner, &NewApiKey::default(), &presence_tests::operator(), now)
        .await
        .expect("a key");
    let unknown = "pk_0000000000000000000000000000000000000000";
    let keys = [expiring.key.expose(), revoked.key.expose(), &fixtures.manager_1.key];
    for path in PATHS {
        for invalid in ["", "nonsense", unknown, &fixtures.admin_1.key[1..]] {
            let reply = stack.get(path, invalid).await;
            assert_eq!((reply.status, reply.text.as_str()), (401, REFUSED), "{path}");
        }
        for key in keys {
            assert_ne!(stack.get(path, key).await.status, 401, "{path}");
        }
    }
    stack.stores().users.revoke_key(revoked.id, &presence_tests::operator(), now).await.expect("a key");
    stack.clock.advance(SignedDuration::from_secs(60));
    assert_eq!(stack.delete(&format!("/user/{}", fixtures.manager_1.id), &fixtures.admin_1.key).await.status, 200);
    assert!(stack.stores().users.get(presence_tests::operator_scope(), owner).await.expect("an answer").is_some());
    for path in PATHS {
        for key in keys {
            let reply = stack.get(path, key).await;
            assert_eq!((reply.status, reply.text.as_str()), (401, REFUSED), "{path}");
            assert_eq!(reply.header("www-authenticate"), r#"Bearer realm="presence""#);
        }
    }
}
