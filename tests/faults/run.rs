//! Runs a scenario once unbroken, and then with each of its calls to `DynamoDB` broken in each way.

use presence_local::Options;
use presence_tests::StoredUser;
use presence_tests::{FaultKind, Plan, Reply};
use serde_json::json;

use super::fixture::{Ask, Done, Fixture, Scenario};

/// Tries that even a busy machine does not use up.
const TRIES: usize = 20;
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

/// Runs the scenario with each of its calls broken in each of these ways, once and for good.
pub(super) async fn run(scenario: &Scenario, options: Options, kinds: &[(FaultKind, Masking)]) {
    let mut fixture = Fixture::new(options).await;
    let (calls, unbroken) = run_unbroken(&mut fixture, scenario).await;
    for &(kind, masking) in kinds {
        for call in 1..=calls {
            for times in TIMES {
                let what = format!("{}: call {call} of {calls}, {kind:?}, {times} times", scenario.name);
                let plan = Plan::At { call, kind, times };
                let masked = masking == Masking::IfOnce && times == 1;
                run_broken(&mut fixture, scenario, plan, masked, &unbroken, &what).await;
            }
        }
    }
    assert_eq!(fixture.stack.audit().await, [], "{}", scenario.name);
}

/// How many calls it makes, and what it is answered; anew where a busy machine makes an impatient function give up.
async fn run_unbroken(fixture: &mut Fixture, scenario: &Scenario) -> (u64, Reply) {
    let (reply, before) = loop {
        fixture.set(scenario).await;
        fixture.faults.restart(Plan::None);
        let before = fixture.watched(scenario).await;
        let reply = fixture.ask(scenario, &scenario.ask(fixture)).await;
        if reply.status != 503 {
            break (reply, before);
        }
    };
    assert_eq!(reply.status, scenario.unbroken, "{}: {}", scenario.name, reply.text);
    let after = fixture.watched(scenario).await;
    assert_eq!(is_done(scenario, before.as_ref(), after.as_ref()), scenario.unbroken == 200, "{}", scenario.name);
    (fixture.faults.attempts(), reply)
}

async fn run_broken(
    fixture: &mut Fixture,
    scenario: &Scenario,
    plan: Plan,
    masked: bool,
    unbroken: &Reply,
    what: &str,
) {
    fixture.set(scenario).await;
    let before = fixture.watched(scenario).await;
    let ask = scenario.ask(fixture);
    fixture.faults.restart(plan);
    let reply = fixture.ask(scenario, &ask).await;
    fixture.faults.set_plan(Plan::None);

    check_answer(scenario, &reply, masked, unbroken, what);
    let after = fixture.watched(scenario).await;
    let done = is_done(scenario, before.as_ref(), after.as_ref());
    assert!(done || after == before, "{what}: done by halves: {after:?}");
    assert!(reply.status != 200 || done, "{what}: a success that did not happen");

    try_again(fixture, scenario, before.as_ref(), &ask, what).await;
    let end = fixture.watched(scenario).await;
    assert_eq!(is_done(scenario, before.as_ref(), end.as_ref()), scenario.unbroken == 200, "{what}: the end");
    assert!(end.is_none_or(|end| end.mails.len() <= 1), "{what}: two mails");
}

/// What a careful client does: asks again until it is answered. Only a busy machine makes that more than once.
async fn try_again(fixture: &Fixture, scenario: &Scenario, before: Option<&StoredUser>, ask: &Ask, what: &str) {
    for _ in 0..TRIES {
        let done = is_done(scenario, before, fixture.watched(scenario).await.as_ref());
        let expected = if done { scenario.again } else { scenario.unbroken };
        let again = fixture.ask(scenario, ask).await;
        if again.status != 503 {
            return assert_eq!(again.status, expected, "{what}, then again: {}", again.text);
        }
    }
    panic!("{what}, then again: 503 for {TRIES} times");
}

fn check_answer(scenario: &Scenario, reply: &Reply, masked: bool, unbroken: &Reply, what: &str) {
    if reply.status == 503 && !masked {
        assert_eq!(reply.header("retry-after"), "1", "{what}");
        assert_eq!(reply.json(), json!({"errors": {"json": "temporarily unavailable: try again"}}), "{what}");
        assert!(!reply.header("x-request-id").is_empty(), "{what}");
        return;
    }
    assert_eq!(reply.status, scenario.unbroken, "{what}: {}", reply.text);
    if matches!(scenario.done, Done::ChangesNothing) && scenario.unbroken == 200 {
        assert_eq!(reply.text, unbroken.text, "{what}");
    }
}

/// What changes nothing is done when nothing has changed.
fn is_done(scenario: &Scenario, before: Option<&StoredUser>, after: Option<&StoredUser>) -> bool {
    match scenario.done {
        Done::ChangesNothing => before == after && scenario.unbroken == 200,
        Done::Target(done) | Done::Fresh(done) => done(after),
        Done::TargetIs(done) => after.is_some_and(done),
    }
}
