//! Run of a scenario: once without faults, then with each kind of fault at each of its calls to `DynamoDB`.

use presence_local::Options;
use presence_tests::{FaultKind, Plan, Reply, calls_apart};
use serde_json::{Value, json};

use super::fixture::{Fixture, Scenario, ScenarioRequest, StoredEffect, Watched};

/// Maximum number of tries, with room for a busy machine.
const TRIES: usize = 20;
/// Numbers of attempts with a fault: one, or all from the call on.
const TIMES: [u64; 2] = [1, u64::MAX];

/// Rule that says if the client may see a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Masking {
    /// A single fault is masked by retries.
    IfOnce,
    /// The answer may always be 503.
    Never,
}

/// Largest number of faults, each once or for ever, of which one is in the sample at each call.
const SAMPLE: usize = 12;

/// True if the sample has a run with the fault of this number. Each call gets one fault in twelve, and the next call gets other ones.
/// `PRESENCE_ROUNDS` takes all runs.
fn is_in_sample(kind: usize, kinds: usize, call: u64, times: u64) -> bool {
    let at = TIMES.len() * kind + usize::try_from(call).expect("few calls") + usize::from(times == 1);
    at.is_multiple_of((TIMES.len() * kinds).min(calls_apart(SAMPLE)))
}

/// Runs the scenario with these faults at each call, once and for ever.
pub(super) async fn run(scenario: &Scenario, options: Options, kinds: &[(FaultKind, Masking)]) {
    let mut fixture = Fixture::new(options).await;
    let (calls, unbroken) = run_unbroken(&mut fixture, scenario).await;
    // Without a call that the fault can break, a run with it is the run without faults again.
    let kinds: Vec<_> = kinds.iter().filter(|(kind, _)| fixture.faults.could_break(*kind)).copied().collect();
    // Single faults come first, since the SDK stops retrying for a while after many faults.
    for times in TIMES {
        for (number, (kind, masking)) in kinds.iter().copied().enumerate() {
            for call in (1..=calls).filter(|call| is_in_sample(number, kinds.len(), *call, times)) {
                let what = format!("{}: call {call} of {calls}, {kind:?}, {times} times", scenario.name);
                let plan = Plan::At { call, kind, times };
                let masked = masking == Masking::IfOnce && times == 1;
                run_broken(&mut fixture, scenario, plan, masked, &unbroken, &what).await;
            }
        }
    }
    assert_eq!(fixture.stack.audit().await, [], "{}", scenario.name);
}

/// Returns the number of calls and the answer without faults. Repeats the request while a busy machine makes the function give
/// up.
async fn run_unbroken(fixture: &mut Fixture, scenario: &Scenario) -> (u64, Reply) {
    let (reply, before) = loop {
        fixture.prepare(scenario).await;
        fixture.faults.restart(Plan::None);
        let before = fixture.watched(scenario).await;
        let reply = fixture.send(scenario, &scenario.request(fixture)).await;
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
    fixture.prepare(scenario).await;
    let (before, recorded) = (fixture.watched(scenario).await, fixture.records(scenario).await);
    let ask = scenario.request(fixture);
    fixture.faults.restart(plan.clone());
    let mut reply = fixture.send(scenario, &ask).await;
    // On a busy machine the retry of a read may come too late, but not three times.
    for _ in 0..2 {
        if reply.status == 503 && masked && matches!(scenario.done, StoredEffect::ChangesNothing) {
            fixture.faults.restart(plan.clone());
            reply = fixture.send(scenario, &ask).await;
        }
    }
    fixture.faults.set_plan(Plan::None);

    check_answer(scenario, &reply, masked, unbroken, what);
    let after = fixture.watched(scenario).await;
    let done = is_done(scenario, before.as_ref(), after.as_ref());
    assert!(done || after == before, "{what}: applied in part: {after:?}");
    assert!(reply.status != 200 || done, "{what}: a success that did not happen");
    let new_records = fixture.records(scenario).await - recorded;
    assert_eq!(new_records, usize::from(after != before), "{what}: each change is recorded once");

    let again = try_again(fixture, scenario, before.as_ref(), &ask, what).await;
    if scenario.is_keyed {
        let is_same = without_key(&again) == without_key(&reply);
        assert!(reply.status != 200 || is_same, "{what}: {} and then {}", reply.text, again.text);
        let new_records = fixture.records(scenario).await - recorded;
        assert_eq!(new_records, usize::from(scenario.unbroken == 200), "{what}, then again: recorded once");
        let is_replay = again.header("idempotency-replayed") == "true";
        assert!(is_replay || !done || scenario.unbroken != 200, "{what}, then again: a second effect");
    }
    let end = fixture.watched(scenario).await;
    assert_eq!(is_done(scenario, before.as_ref(), end.as_ref()), scenario.unbroken == 200, "{what}: the end");
    assert!(end.as_ref().and_then(Watched::user).is_none_or(|end| end.mails.len() <= 1), "{what}: two mails");
}

/// Repeats the request as a careful client does, and returns the last answer. Only a busy machine makes more than one repetition necessary.
async fn try_again(
    fixture: &Fixture,
    scenario: &Scenario,
    before: Option<&Watched>,
    ask: &ScenarioRequest,
    what: &str,
) -> Reply {
    for _ in 0..TRIES {
        let done = is_done(scenario, before, fixture.watched(scenario).await.as_ref());
        let expected = if done { scenario.again } else { scenario.unbroken };
        let again = fixture.send(scenario, ask).await;
        if again.status != 503 {
            assert_eq!(again.status, expected, "{what}, then again: {}", again.text);
            return again;
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
    if reply.status == 409 && scenario.is_keyed && !masked {
        assert_eq!(reply.header("retry-after"), "1", "{what}");
        let text = "a request with this Idempotency-Key is under way: try again";
        return assert_eq!(reply.json(), json!({"errors": {"json": text}}), "{what}");
    }
    assert_eq!(reply.status, scenario.unbroken, "{what}: {}", reply.text);
    if matches!(scenario.done, StoredEffect::ChangesNothing) && scenario.unbroken == 200 {
        assert_eq!(reply.text, unbroken.text, "{what}");
    }
}

/// Returns the answer without a new key, which is shown once.
fn without_key(reply: &Reply) -> Value {
    let mut answer = reply.json();
    if let Some(fields) = answer.as_object_mut() {
        fields.remove("key");
    }
    answer
}

/// True if the effect of the scenario is stored. A request that changes nothing must leave what it is about as it was.
fn is_done(scenario: &Scenario, before: Option<&Watched>, after: Option<&Watched>) -> bool {
    match scenario.done {
        StoredEffect::ChangesNothing => before == after && scenario.unbroken == 200,
        StoredEffect::Target(done) | StoredEffect::Fresh(done) => done(after.and_then(Watched::user)),
        StoredEffect::TargetIs(done) => after.and_then(Watched::user).is_some_and(done),
        StoredEffect::Review(done) => matches!(after, Some(Watched::Review(review)) if done(review)),
    }
}
