//! Hostile values in every parameter of every operation.

use presence_tests::{Cast, World};
use presence_users::{Operation, ROUTES};

use super::values::{NAMES, query};
use super::wire::{Raw, is_target};
use super::{Origin, sound, together};

/// The parameters of an operation in the query string, by the interface, without the key.
fn parameters(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::Get | Operation::Me => &["display_business_ids"],
        Operation::Search => {
            &["org_id", "last_name", "email", "status", "page", "per_page", "display_business_ids", "query"]
        }
        Operation::Stats | Operation::Create | Operation::Update | Operation::Delete | Operation::Invite => &[],
    }
}

/// Parameters that choose among the users.
const FILTERS: [&str; 5] = ["org_id", "last_name", "email", "status", "query"];

/// A request that would do what it asks for, were it not for the query.
fn request(operation: Operation, cast: &Cast, query: &[u8]) -> Raw {
    let route = ROUTES.iter().find(|route| route.operation == operation).expect("every operation has a route");
    let path = route.path.trim_start_matches("/api/v2").replace("{user_id}", &cast.invited_1.id);
    let raw = Raw::new(route.method, [path.as_bytes(), b"?", query].concat());
    match operation {
        Operation::Create => {
            let email = presence_tests::address("newcomer");
            raw.json(format!(r#"{{"email":"{email}","first_name":"New","last_name":"Comer"}}"#))
        }
        Operation::Update => raw.json(r#"{"last_name":"Changed"}"#),
        _ => raw,
    }
}

/// Whether the value, as far as it belongs to its parameter, is blank: then the parameter counts as not given. A tab and
/// a next-line character are control characters and blanks; alone, they are taken for blanks.
fn is_blank(value: &[u8]) -> bool {
    const BLANKS: [&str; 5] = ["%20", "%E3%80%80", "%09", "%C2%85", "+"];
    let own = value.split(|byte| *byte == b'&').next().unwrap_or_default();
    BLANKS.iter().fold(String::from_utf8_lossy(own).into_owned(), |text, blank| text.replace(blank, "")).is_empty()
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_values_of_parameters_break_nothing_and_never_show_everybody() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    let everybody = world.get("/user/search", &cast.admin_1.key).await.json()["count"].as_u64().expect("a count");
    let before = world.snapshot().await;
    let (mut requests, mut sent) = (Vec::new(), 0);
    for route in ROUTES {
        for name in parameters(route.operation).iter().copied().chain(["bogus"]) {
            for value in query() {
                let raw = request(route.operation, &cast, &[name.as_bytes(), b"=", &value].concat());
                let raw = raw.with("x-api-key", &cast.admin_1.key);
                let what =
                    format!("{} {}", route.name, String::from_utf8_lossy(&raw.target[..raw.target.len().min(120)]));
                requests.push((what, name, value, raw));
            }
        }
    }
    let world = &world;
    let calls =
        requests.into_iter().map(|(what, name, value, raw)| async move { (what, name, value, raw.send(world).await) });
    for (what, name, value, reply) in together(calls.collect()).await {
        sent += 1;
        let origin = sound(&reply, &what);
        assert_eq!(origin, if is_target(&value) { Origin::Service } else { Origin::Server }, "{what}");
        let statuses: &[u16] = if name == "bogus" { &[400] } else { &[200, 400, 403] };
        assert!(statuses.contains(&reply.status), "{what}: {}", reply.status);
        if reply.status == 200 && FILTERS.contains(&name) {
            let count = reply.json()["count"].as_u64().expect("a count");
            assert_eq!(count == everybody, is_blank(&value), "{what}: {count}");
        }
    }
    assert!(sent >= 18 * 30, "{sent}");
    assert_eq!(world.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_keys_in_the_query_give_no_access() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    let before = world.snapshot().await;
    for route in ROUTES {
        let (world, cast) = (&world, &cast);
        let calls = query().into_iter().map(|value| async move {
            let reply = request(route.operation, cast, &[b"api_key=", value.as_slice()].concat()).send(world).await;
            (format!("{} {}", route.name, String::from_utf8_lossy(&value)), reply)
        });
        for (what, reply) in together(calls.collect()).await {
            sound(&reply, &what);
            assert!([400, 401].contains(&reply.status), "{what}: {}", reply.status);
        }
    }
    assert_eq!(world.snapshot().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_that_no_operation_has_are_refused_on_every_one() {
    let world = World::start().await;
    let cast = Cast::enter(&world).await;
    let before = world.snapshot().await;
    for route in ROUTES {
        for name in NAMES {
            let raw = request(route.operation, &cast, format!("{name}=1").as_bytes());
            let reply = raw.with("x-api-key", &cast.admin_1.key).send(&world).await;
            let what = format!("{} ?{name}=1", route.name);
            assert_eq!((sound(&reply, &what), reply.status), (Origin::Service, 400), "{what}: {}", reply.text);
        }
    }
    assert_eq!(world.snapshot().await, before);
}
