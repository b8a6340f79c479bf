//! Order and completeness of entries with groups: random batches against a queue that refuses, fails and loses answers, and a function
//! that is killed.

use std::collections::BTreeMap;
use std::sync::Mutex;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_runtime::clock::Deadline;
use serde_json::json;

use super::*;
use crate::bus::PutError;

/// Number of random histories.
const HISTORIES: u64 = 2_000;

/// Version of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    group: String,
    version: u64,
}

impl Entry for Step {
    const SENT: Metric = Metric::RepliesSent;

    fn of_record(record: &Value) -> Result<Vec<Self>, Error> {
        let version = record["version"].as_u64();
        let group = record["group"].as_str().unwrap_or_default().to_owned();
        Ok(version.map(|version| Self { group, version }).into_iter().collect())
    }

    fn group(&self) -> Option<&str> {
        Some(&self.group)
    }
}

/// Small generator of random numbers: `SplitMix64`.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }
}

/// Queue whose calls end at random, until it is told to take everything.
struct RandomQueue {
    random: Mutex<Random>,
    taken: Mutex<Vec<Step>>,
    is_well: bool,
}

impl Bus for RandomQueue {
    type Entry = Step;

    fn put<'a>(&'a self, entries: &'a [Step]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        let mut random = self.random.lock().expect("no panic");
        let end = if self.is_well { 9 } else { random.below(10) };
        let refusals: Vec<_> = entries
            .iter()
            .map(|_| (end < 5 && random.below(2) == 0).then(|| "ThrottlingException".to_owned()))
            .collect();
        if end != 5 {
            let kept =
                entries.iter().zip(&refusals).filter(|(_, refusal)| refusal.is_none()).map(|(step, _)| step.clone());
            self.taken.lock().expect("no panic").extend(kept);
        }
        let is_lost = end == 5 || end == 6;
        std::future::ready(if is_lost { Err(PutError("NoConnection".to_owned())) } else { Ok(refusals) }).boxed()
    }
}

/// Hands a batch over until the answer names no record, as Lambda does. Now and then the answer is lost, and the whole batch comes again.
async fn deliver(queue: &mut RandomQueue, records: &[Value]) {
    let mut start = 0;
    for invocation in 0.. {
        queue.is_well = invocation > 20;
        let event = json!({ "Records": records[start..] });
        let answer = handle(queue, &event, Deadline::after(Duration::from_mins(1))).await;
        let is_killed = !queue.is_well && queue.random.lock().expect("no panic").below(4) == 0;
        if is_killed {
            continue;
        }
        let Some(failed) = answer.failures.first() else { return };
        let is_failed = |record: &Value| record["dynamodb"]["SequenceNumber"] == failed.id.as_str();
        start = records.iter().position(is_failed).expect("a record of the batch");
    }
}

#[tokio::test(start_paused = true)]
async fn no_step_is_lost_and_none_of_a_group_comes_before_an_earlier_one() {
    for seed in 0..HISTORIES {
        let mut random = Random(seed);
        let mut versions: BTreeMap<String, u64> = BTreeMap::new();
        let records: Vec<_> = (0..=random.below(30))
            .map(|number| {
                let group = format!("g{}", random.below(6));
                let version = versions.entry(group.clone()).or_default();
                *version += 1;
                json!({ "group": group, "version": version, "dynamodb": { "SequenceNumber": format!("s{number}") } })
            })
            .collect();
        let mut queue = RandomQueue { random: Mutex::new(random), taken: Mutex::default(), is_well: false };
        deliver(&mut queue, &records).await;
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        let mut last: BTreeMap<String, u64> = BTreeMap::new();
        for Step { group, version } in queue.taken.into_inner().expect("no panic") {
            let newest = seen.entry(group.clone()).or_default();
            assert!(version <= *newest + 1, "seed {seed}: version {version} of {group} overtakes");
            *newest = (*newest).max(version);
            last.insert(group, version);
        }
        assert_eq!(last, versions, "seed {seed}: the last one wins");
    }
}

#[test]
fn a_call_has_one_entry_of_a_group_and_ten_at_most() {
    let outgoing = |groups: &str| -> Vec<_> {
        let step = |group: char| Step { group: group.to_string(), version: 1 };
        groups.chars().map(|group| Outgoing { entry: step(group), sequence_number: String::new() }).collect()
    };
    for (groups, fitting) in [("", 0), ("a", 1), ("abc", 3), ("aab", 1), ("abab", 2), ("abcdefghijkl", 10)] {
        assert_eq!(count_fitting(&outgoing(groups)), fitting, "{groups}");
    }
}
