//! Plays a script once unbroken, and then with each of its calls to `DynamoDB` broken in each way.

use presence::store::UserRecord;
use presence_local::Options;
use presence_tests::{FaultKind, Plan, Reply};
use serde_json::json;

use super::stage::{Done, Script, Stage};

/// How long a call site is broken.
const TIMES: [u64; 2] = [1, u64::MAX];

/// Whether the client is to see nothing of a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Masking {
    /// When it happens once, the SDK's retries and ours make up for it.
    IfOnce,
    /// It may always be 503.
    Never,
}

/// Plays the script with each of its calls broken in each of these ways, once and for good.
pub(super) async fn run(script: &Script, options: Options, kinds: &[(FaultKind, Masking)]) {
    let mut stage = Stage::new(options).await;
    let (calls, unbroken) = play_unbroken(&mut stage, script).await;
    for &(kind, masking) in kinds {
        for call in 1..=calls {
            for times in TIMES {
                let what = format!("{}: call {call} of {calls}, {kind:?}, {times} times", script.name);
                let plan = Plan::At { call, kind, times };
                let masked = masking == Masking::IfOnce && times == 1;
                play_broken(&mut stage, script, plan, masked, &unbroken, &what).await;
            }
        }
    }
    assert_eq!(stage.world.audit().await, [], "{}", script.name);
}

/// How many calls it makes, and what it is answered.
async fn play_unbroken(stage: &mut Stage, script: &Script) -> (u64, Reply) {
    stage.set(script).await;
    stage.faults.restart(Plan::None);
    let before = stage.watched(script).await;
    let reply = stage.ask_patiently(script, &script.ask(stage)).await;
    assert_eq!(reply.status, script.unbroken, "{}: {}", script.name, reply.text);
    let after = stage.watched(script).await;
    assert_eq!(is_done(script, before.as_ref(), after.as_ref()), script.unbroken == 200, "{}", script.name);
    (stage.faults.attempts(), reply)
}

async fn play_broken(stage: &mut Stage, script: &Script, plan: Plan, masked: bool, unbroken: &Reply, what: &str) {
    stage.set(script).await;
    let before = stage.watched(script).await;
    let ask = script.ask(stage);
    stage.faults.restart(plan);
    let reply = stage.ask(script, &ask).await;
    stage.faults.set_plan(Plan::None);

    check_answer(script, &reply, masked, unbroken, what);
    let after = stage.watched(script).await;
    let done = is_done(script, before.as_ref(), after.as_ref());
    assert!(done || after == before, "{what}: done by halves: {after:?}");
    assert!(reply.status != 200 || done, "{what}: a success that did not happen");

    let expected = if done { script.again } else { script.unbroken };
    let again = stage.ask_patiently(script, &ask).await;
    assert_eq!(again.status, expected, "{what}, then again: {}", again.text);
    let end = stage.watched(script).await;
    assert_eq!(is_done(script, before.as_ref(), end.as_ref()), script.unbroken == 200, "{what}: the end");
    assert!(end.is_none_or(|end| end.mails.len() <= 1), "{what}: two mails");
}

fn check_answer(script: &Script, reply: &Reply, masked: bool, unbroken: &Reply, what: &str) {
    if reply.status == 503 && !masked {
        assert_eq!(reply.header("retry-after"), "1", "{what}");
        assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}), "{what}");
        assert!(!reply.header("x-request-id").is_empty(), "{what}");
        return;
    }
    assert_eq!(reply.status, script.unbroken, "{what}: {}", reply.text);
    if matches!(script.done, Done::ChangesNothing) && script.unbroken == 200 {
        assert_eq!(reply.text, unbroken.text, "{what}");
    }
}

/// What changes nothing is done when nothing has changed.
fn is_done(script: &Script, before: Option<&UserRecord>, after: Option<&UserRecord>) -> bool {
    match script.done {
        Done::ChangesNothing => before == after && script.unbroken == 200,
        Done::Target(done) | Done::Fresh(done) => done(after),
        Done::TargetIs(done) => after.is_some_and(done),
    }
}
