//! Every call of a request broken in every way: the answer is right, or it is 503.

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
/// What they answer stays the same in every version of the test's directory.
const PATHS: [&str; 2] = ["/category/search?lang=FR&name=banque", "/category/c-bank?lang=FR"];

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_call_never_makes_an_answer_wrong() {
    let faults = FaultConnector::new();
    let client = Some(faults.over(plain_http()));
    let stack = TestStack::with(Options { http_client: client, ..short_retries() }).await;
    let fixtures = Fixtures::create(&stack).await;
    let key = &fixtures.admin_1.key;
    load(stack.stores(), parse(DIRECTORY)).await;
    assert_eq!(stack.get(PATHS[0], key).await.status, 200);
    let rights = [stack.get(PATHS[0], key).await.text, stack.get(PATHS[1], key).await.text];
    for kind in KINDS {
        for (path, right) in PATHS.into_iter().zip(&rights) {
            // Key and version, beside each other, and the scan after them: every function is cold after an import.
            for call in 1..=3 {
                load(stack.stores(), numbered(1, &format!("{kind:?} {path} {call}"))).await;
                faults.restart(Plan::At { call, kind, times: 1 });
                let reply = stack.get(path, key).await;
                assert!(
                    reply.status == 503 || (reply.status, &reply.text) == (200, right),
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
    assert_eq!(stack.get(PATHS[0], key).await.text, rights[0]);
}
