//! Memory of the functions: in the template, in the local stack, and as measured.

use std::collections::BTreeMap;

use presence_local::gateway::MEMORY_MB;
use serde_json::Value;

use super::template::{TEMPLATE, root};

/// The percentage of its memory that a function may use. Lambda counts its own runtime too, and ends a function that needs more
/// than it has.
const USABLE_PERCENT: f64 = 85.0;
/// Functions that the benchmark does not measure: no caller waits for them.
const UNMEASURED: [&str; 5] = ["auditor", "deliverer", "ingest", "publisher", "replies"];

/// Returns the memory of each function in MB, as it is deployed.
fn deployed() -> BTreeMap<&'static str, f64> {
    let every = TEMPLATE.at(&["Globals", "Function", "MemorySize"]).as_f64();
    let of = |own: Option<f64>| own.or(every).expect("a size for every function");
    TEMPLATE.functions().into_iter().map(|(name, one)| (name, of(one.property("MemorySize").as_f64()))).collect()
}

#[test]
fn the_local_stack_says_what_the_template_gives() {
    let local: BTreeMap<_, _> = MEMORY_MB.iter().map(|(name, megabytes)| (*name, f64::from(*megabytes))).collect();
    assert_eq!(local, deployed());
}

#[test]
fn every_function_has_room_for_the_most_that_was_measured() {
    let file = std::fs::read_to_string(root().join("tools/bench/lambda.jsonl")).expect("the figures");
    let operations: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let peaks = |function: &str| -> Vec<f64> {
        let own = operations.iter().filter(|one| one["function"] == function);
        own.map(|one| one["peak_mb"].as_f64().expect("a peak")).collect()
    };
    for (function, megabytes) in deployed().into_iter().filter(|(function, _)| !UNMEASURED.contains(function)) {
        let peak = peaks(function).into_iter().reduce(f64::max).expect("a measurement of every function");
        assert!(peak <= megabytes * USABLE_PERCENT / 100.0, "{function} used {peak} MB of {megabytes}");
    }
}
