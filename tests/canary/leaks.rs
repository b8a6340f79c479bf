//! Detection of leaks, on which the other tests rely.

use presence_tests::logs::{Capture, NAME_CANARY, PHONE_CANARY};
use presence_tests::{Fixtures, address};

/// Logs with a filter, and returns the captured log.
pub(super) fn logged(filter: &str, log: impl FnOnce()) -> Capture {
    let capture = Capture::default();
    let writer = capture.clone();
    let subscriber = presence_runtime::telemetry::subscriber(filter, move || writer.clone());
    tracing::subscriber::with_default(subscriber, log);
    capture
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planted_leak_of_any_kind_is_caught() {
    let (_stack, fixtures) = Fixtures::start().await;
    let secrets = [
        ("a key", fixtures.admin_1.key.clone()),
        ("an address", address("ada")),
        ("an address in a query", format!("?email={}", address("ada").replace('@', "%40"))),
        ("a password", "canary-pass-1".to_owned()),
        ("a password in capitals", "CANARY-PASS-1".to_owned()),
        ("a password's hash", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA".to_owned()),
        ("a name", format!("Ada {NAME_CANARY}")),
        ("a name of the fixtures", "other-admin-1".to_owned()),
        ("a phone number", format!("{PHONE_CANARY}1")),
        ("an invitation's link", "https://x.example/invitation?user=7&token=abc".to_owned()),
        ("a token", "token=abc".to_owned()),
    ];
    for (what, secret) in secrets {
        let in_a_field = logged("info", || tracing::info!(field = secret, "planted"));
        let in_a_message = logged("info", || tracing::warn!("planted: {secret}"));
        let in_a_debug_line =
            logged("info,presence=debug", || tracing::debug!(target: "presence::x", ?secret, "planted"));
        for capture in [in_a_field, in_a_message, in_a_debug_line] {
            assert_eq!((capture.leaks().len(), capture.lines()), (1, 1), "{what}");
        }
    }
    let harmless = logged("info", || tracing::info!(request_id = "r-1", "request"));
    assert_eq!((harmless.leaks().len(), harmless.lines()), (0, 1));
}

#[test]
fn crates_that_log_requests_stay_silent_with_any_filter() {
    let filter = "trace,aws_sdk_dynamodb=trace,hyper::client=debug,lambda_http=info";
    let capture = logged(filter, || {
        tracing::trace!(target: "aws_sdk_dynamodb::operation", "a request");
        tracing::debug!(target: "hyper::client", "a request");
        tracing::info!(target: "lambda_http", "a request");
    });
    assert_eq!(capture.lines(), 0);
    let warned = logged(filter, || tracing::warn!(target: "aws_sdk_dynamodb", "a warning"));
    assert_eq!(warned.lines(), 1);
}
