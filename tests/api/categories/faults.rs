//! Faults in every call of a request: the answer is correct or 503.

use presence_local::Options;
use presence_tests::ConnectorLayer as _;
use presence_tests::{FaultConnector, FaultKind, Fixtures, Plan, TestStack, plain_http, short_retries};

use super::{DIRECTORY, load, numbered, parse};

const KINDS: [FaultKind; 5] = [
    FaultKind::Throttle,
    FaultKind::ServerError,
    FaultKind::RefuseConnection,
    FaultKind::CutBody,
    FaultKind::LoseReply,
];
/// Paths with the same answer for every directory that this test imports.
const PATHS: [&str; 2] = ["/category/search?lang=FR&name=banque", "/category/c-bank?lang=FR"];

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_call_never_causes_a_wrong_answer() {
    let faults = FaultConnector::new();
    let client = Some(faults.over(plain_http()));
    let stack = TestStack::with(Options { http_client: client, ..short_retries() }).await;
    let fixtures = Fixtures::create(&stack).await;
    let key = &fixtures.admin_1.key;
    load(stack.stores(), parse(DIRECTORY)).await;
    assert_eq!(stack.get(PATHS[0], key).await.status, 200);
    let correct_answers = [stack.get(PATHS[0], key).await.text, stack.get(PATHS[1], key).await.text];
    for kind in KINDS {
        for (path, correct) in PATHS.into_iter().zip(&correct_answers) {
            // Calls 1 and 2 read the key and the version, call 3 scans: an import makes the directory in memory outdated.
            for call in 1..=3 {
                load(stack.stores(), numbered(1, &format!("{kind:?} {path} {call}"))).await;
                faults.restart(Plan::At { call, kind, times: 1 });
                let reply = stack.get(path, key).await;
                assert!(
                    reply.status == 503 || (reply.status, &reply.text) == (200, correct),
                    "{kind:?} {path}: {}",
                    reply.text
                );
            }
        }
    }
    for kind in [FaultKind::Throttle, FaultKind::RefuseConnection, FaultKind::LoseReply] {
        faults.restart(Plan::EveryAttempt(kind));
        let reply = stack.get(PATHS[0], key).await;
        assert_eq!((reply.status, reply.header("retry-after")), (503, "1"), "{kind:?}: {}", reply.text);
    }
    faults.set_plan(Plan::None);
    assert_eq!(stack.get(PATHS[0], key).await.text, correct_answers[0]);
}
