//! Every caller reads all categories; nobody else does.

use jiff::SignedDuration;
use presence::access::Scope;
use presence::clock::Clock as _;
use presence::domain::ids::UserId;
use presence::store::NewApiKey;
use presence_tests::{Cast, World, send};

use super::{DIRECTORY, load, parse};

const PATHS: [&str; 3] = ["/category/search?lang=GB", "/category/c-bank?lang=GB", "/category/nowhere?lang=GB"];
const REFUSED: &str = r#"{"errors":{"authentication":"a valid API key is required"}}"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_role_reads_the_same() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    load(world.store(), parse(DIRECTORY)).await;
    let callers = [&cast.provider, &cast.provider_in_1, &cast.admin_1, &cast.manager_1, &cast.admin_2, &cast.manager_2];
    for (path, status) in PATHS.into_iter().zip([200, 200, 404]) {
        let first = world.get(path, &cast.provider.key).await;
        assert_eq!(first.status, status, "{path}: {}", first.text);
        for caller in callers {
            let reply = world.get(path, &caller.key).await;
            assert_eq!((reply.status, &reply.text), (status, &first.text), "{path} by {}", caller.email);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_may_stand_wherever_other_operations_take_it() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    load(world.store(), parse(DIRECTORY)).await;
    let key = &cast.manager_1.key;
    let path = "/category/c-bank?lang=GB";
    for (name, value) in
        [("x-api-key", key.clone()), ("x-apikey", key.clone()), ("authorization", format!("Bearer {key}"))]
    {
        assert_eq!(send(world.request("GET", path).header(name, value)).await.status, 200, "{name}");
    }
    assert_eq!(send(world.request("GET", &format!("{path}&api_key={key}"))).await.status, 200);
    let two = send(world.request("GET", &format!("{path}&api_key={key}")).header("x-api-key", &cast.admin_1.key)).await;
    assert_eq!(
        (two.status, two.text.as_str()),
        (400, r#"{"errors":{"json":"the request has two different API keys"}}"#)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_gives_no_access_is_refused_from_the_next_request_on() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    load(world.store(), parse(DIRECTORY)).await;
    let now = world.clock.now();
    let owner = UserId::parse(&cast.admin_1.id).expect("an id");
    let expires_at = Some(now + SignedDuration::from_secs(60));
    let expiring = world.store().issue_key(owner, &NewApiKey { label: None, expires_at }, now).await.expect("a key");
    let revoked = world.store().issue_key(owner, &NewApiKey::default(), now).await.expect("a key");
    let unknown = "pk_0000000000000000000000000000000000000000";
    let keys = [expiring.key.expose(), revoked.key.expose(), &cast.manager_1.key];
    for path in PATHS {
        for dead in ["", "nonsense", unknown, &cast.admin_1.key[1..]] {
            let reply = world.get(path, dead).await;
            assert_eq!((reply.status, reply.text.as_str()), (401, REFUSED), "{path}");
        }
        for key in keys {
            assert_ne!(world.get(path, key).await.status, 401, "{path}");
        }
    }
    world.store().revoke_key(&revoked.id, now).await.expect("a key");
    world.clock.advance(SignedDuration::from_secs(60));
    assert_eq!(world.delete(&format!("/user/{}", cast.manager_1.id), &cast.admin_1.key).await.status, 200);
    assert!(world.store().user(Scope::for_operator(), owner).await.expect("an answer").is_some());
    for path in PATHS {
        for key in keys {
            let reply = world.get(path, key).await;
            assert_eq!((reply.status, reply.text.as_str()), (401, REFUSED), "{path}");
            assert_eq!(reply.header("www-authenticate"), r#"Bearer realm="presence""#);
        }
    }
}
