//! Cost of limits: calls, round trips and units.

use presence_tests::{Cost, TestStack, counting_waves, path_of, routes, send};

use super::{advance, exhaust, limited, start};

/// Number of requests of a busy key for which a function writes once.
const LEASE: u32 = 20;
/// Leases that are counted.
const LEASES: u32 = 3;

fn add(cost: Cost, other: Cost) -> Cost {
    Cost {
        calls: cost.calls + other.calls,
        waves: cost.waves.max(other.waves),
        read_units: cost.read_units + other.read_units,
        write_units: cost.write_units + other.write_units,
    }
}

/// Returns the sum of the costs of requests, and their largest number of round trips.
async fn total(stack: &TestStack, path: &str, key: &str, requests: u32) -> Cost {
    let mut sum = Cost { calls: 0, waves: 0, read_units: 0.0, write_units: 0.0 };
    for _ in 0..requests {
        let reply = stack.get(path, key).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        sum = add(sum, reply.cost());
    }
    sum
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_key_writes_once_in_twenty_requests_and_waits_for_no_further_wave() {
    let (stack, fixtures) = start(counting_waves(limited(6_000))).await;
    let key = &fixtures.provider.key;
    let (unlimited, others) = start(counting_waves(presence_tests::long_timeouts())).await;
    for path in ["/user/me", "/user/stats", "/user/search?query=test", "/reviews"] {
        // Each function learns the key and its demand.
        total(&unlimited, path, &others.provider.key, 1).await;
        total(&stack, path, key, LEASE).await;
        let without = total(&unlimited, path, &others.provider.key, LEASE).await;
        let with = total(&stack, path, key, LEASES * LEASE).await;
        let read_units = f64::from(LEASES) * without.read_units;
        assert_eq!((with.waves, with.read_units), (without.waves, read_units), "{path}");
        let leases = u32::try_from(with.calls - u64::from(LEASES) * without.calls).expect("a few");
        assert!((LEASES..=LEASES + 1).contains(&leases), "{path}: {leases} leases in {LEASES} times {LEASE} requests");
        let write_units = with.write_units - f64::from(LEASES) * without.write_units;
        assert!((write_units - f64::from(leases)).abs() < 0.01, "{path}: {with:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_leases_beside_the_read_of_its_key() {
    let (stack, fixtures) = start(counting_waves(limited(1))).await;
    let unlimited = TestStack::with(counting_waves(presence_tests::long_timeouts())).await;
    let others = presence_tests::Fixtures::create(&unlimited).await;
    for route in routes() {
        let mut costs = Vec::new();
        for (stack, fixtures) in [(&stack, &fixtures), (&unlimited, &others)] {
            let send = || async {
                let path = path_of(&route, &fixtures.invited_1.id, "c-bank");
                let request = stack.request(route.method, &path).header("content-type", "application/json").body("{}");
                let reply = send(request.header("x-api-key", &fixtures.admin_1.key)).await;
                assert!(!reply.text.contains("too many requests"), "{}: {}", route.name, reply.text);
                // The bucket holds one request, which takes a minute: each request takes a lease, from a full bucket.
                advance(stack, 63_000);
                reply
            };
            send().await;
            costs.push(send().await.cost());
        }
        assert_eq!(costs[0].waves, costs[1].waves, "{}", route.name);
        let leases = costs[0].calls - costs[1].calls;
        assert_eq!(leases, 1, "{}: {costs:?}", route.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_costs_the_read_of_the_key() {
    let (stack, fixtures) = start(counting_waves(limited(30))).await;
    let key = &fixtures.provider.key;
    let (_, first) = exhaust(&stack, key).await;
    assert_eq!(first.cost().calls, 3, "its operation ran, and a write found the bucket empty");
    for path in ["/user/me", "/user/search", "/reviews", "/category/search?lang=GB"] {
        if path.starts_with("/reviews") || path.starts_with("/category") {
            // Another function: it asks once.
            assert_eq!(stack.get(path, key).await.status, 429, "{path}");
        }
        let refusal = stack.get(path, key).await;
        let expected = Cost { calls: 1, waves: 1, read_units: 1.0, write_units: 0.0 };
        assert_eq!((refusal.status, refusal.cost()), (429, expected), "{path}");
    }
}
