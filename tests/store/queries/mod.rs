//! Every request of the store: its bounds, and its shape.
//!
//! A broad scenario is recorded on its way to the database; then each request is judged by itself, and the shapes of all of them against a
//! list. A new shape fails until somebody has looked at it.

mod expression;
mod rules;
mod scenario;
mod shapes;

use presence_domain::rate_limit::{MAX_REQUESTS_PER_MINUTE, RateLimit};
use presence_local::Options;
use presence_store::schema::{EMAIL_INDEX, LISTING_INDEX, OUTBOX_INDEX, REVIEWS, STATUS_INDEX, USERS};
use presence_tests::ConnectorLayer as _;
use presence_tests::{Attempt, FaultConnector, Plan, TestStack, in_process_client, long_timeouts, routes};

/// Prefix of the tables. It is not the usual one, so that the test finds a table name that is spelled out.
const PREFIX: &str = "other-";

async fn recorded() -> Vec<Attempt> {
    let faults = FaultConnector::new();
    let options = Options {
        // It refuses nothing, and every function leases.
        rate_limit: RateLimit::new(MAX_REQUESTS_PER_MINUTE),
        http_client: Some(faults.over(in_process_client())),
        table_prefix: PREFIX.to_owned(),
        ..long_timeouts()
    };
    let stack = TestStack::with(options).await;
    // Functions open their connection by eventual reads. The first request proves what they found.
    faults.restart(Plan::None);
    scenario::of_requests(&stack).await;
    scenario::of_operators(&stack, &faults).await;
    scenario::of_categories(&stack, &faults).await;
    for route in routes() {
        assert!(scenario::operations_done().contains(route.name), "{} is not in the scenario", route.name);
    }
    assert_eq!(stack.audit().await, []);
    faults.observed()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_has_a_known_shape_and_keeps_the_bounds() {
    let attempts = recorded().await;
    let broken: Vec<String> = attempts
        .iter()
        .flat_map(|attempt| {
            let broken = rules::broken_by(attempt);
            broken.into_iter().map(|rule| format!("{}: {rule}: {}", attempt.operation, attempt.request))
        })
        .collect();
    assert_eq!(broken, Vec::<String>::new());
    // A new shape of request must be looked at: does it read strongly, with a limit, what its index has?
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(".");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("shapes", shapes::of(&attempts)));
}

#[test]
fn attributes_read_from_an_index_are_in_it() {
    let listed =
        ["id", "version", "status", "role", "first_name", "last_name", "email", "email_key", "phone", "org", "listing"];
    for attribute in listed {
        assert!(STATUS_INDEX.holds(&USERS, attribute), "{attribute}");
    }
    for attribute in ["id", "org", "status", "email_domain", "email_key"] {
        assert!(EMAIL_INDEX.holds(&USERS, attribute), "{attribute}");
    }
    for secret in ["password_hash", "keys"] {
        assert!(!STATUS_INDEX.holds(&USERS, secret), "{secret} must not be in an index");
        assert!(!EMAIL_INDEX.holds(&USERS, secret), "{secret} must not be in an index");
    }
    let mail = ["pk", "sk", "user_id", "outbox", "due_at", "created_at", "state", "attempts"];
    for attribute in mail {
        assert!(OUTBOX_INDEX.holds(&USERS, attribute), "{attribute}");
    }
    for attribute in ["id", "version", "org_id", "business_id", "city_key", "content", "effective_listing"] {
        assert!(LISTING_INDEX.holds(&REVIEWS, attribute), "{attribute}");
    }
}
