//! Run of a scenario: once without faults, then with each kind of fault at each of its calls to `DynamoDB`.

use presence_local::Options;
use presence_tests::{Attempt, FaultKind, Plan, Reply, calls_apart};
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

/// Largest number of faults of a call, each once or for ever, of which one is in the sample.
const FAULTS_APART: usize = 6;
/// Number of reads of which one is in the sample, and of tests: each breaks other reads. A read that fails changes nothing.
const READS_APART: usize = 3;

/// True if the sample has a run with the fault of this number at the call. Each write and each read of a batch has a run, and
/// the next call has another fault. `PRESENCE_ROUNDS` takes all runs.
fn is_in_sample(attempt: &Attempt, first: usize, fault: usize, faults: usize) -> bool {
    let place = first + usize::try_from(attempt.number).expect("few calls");
    let apart = if attempt.is_write() || attempt.operation == "BatchGetItem" { 1 } else { calls_apart(READS_APART) };
    place.is_multiple_of(apart) && (place / apart + fault).is_multiple_of(faults.min(calls_apart(FAULTS_APART)))
}

/// Runs the scenario with these faults at each call, once and for ever. The number `first` chooses the sample.
pub(super) async fn run(scenario: &Scenario, first: usize, options: Options, kinds: &[(FaultKind, Masking)]) {
    let mut fixture = Fixture::new(options, scenario.operation).await;
    let unbroken = run_unbroken(&mut fixture, scenario).await;
    let attempts = fixture.faults.observed();
    // Single faults come first, since the SDK stops retrying for a while after many faults.
    for (order, times) in TIMES.into_iter().enumerate() {
        for attempt in &attempts {
            // From a call that the fault cannot break on, it breaks nothing, or what it breaks from a later call on.
            let kinds: Vec<_> = kinds.iter().filter(|(kind, _)| attempt.could_have(*kind)).copied().collect();
            let faults = TIMES.len() * kinds.len();
            for (number, (kind, masking)) in kinds.into_iter().enumerate() {
                if is_in_sample(attempt, first, TIMES.len() * number + order, faults) {
                    let call = attempt.number;
                    let what = format!("{}: call {call} of {}, {kind:?}, {times} times", scenario.name, attempts.len());
                    let plan = Plan::At { call, kind, times };
                    let masked = masking == Masking::IfOnce && times == 1;
                    run_broken(&mut fixture, scenario, plan, masked, &unbroken, &what).await;
                }
            }
        }
    }
    assert_eq!(fixture.stack.audit().await, [], "{}", scenario.name);
}

/// Returns the answer without faults. Repeats the request while a busy machine makes the function give up.
async fn run_unbroken(fixture: &mut Fixture, scenario: &Scenario) -> Reply {
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
    reply
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

    let again = try_again(fixture, scenario, before.as_ref(), done, &ask, what).await;
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
    mut done: bool,
    ask: &ScenarioRequest,
    what: &str,
) -> Reply {
    for _ in 0..TRIES {
        let expected = if done { scenario.again } else { scenario.unbroken };
        let again = fixture.send(scenario, ask).await;
        if again.status != 503 {
            assert_eq!(again.status, expected, "{what}, then again: {}", again.text);
            return again;
        }
        done = is_done(scenario, before, fixture.watched(scenario).await.as_ref());
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
