//! Record of the capacity that calls take, and the limits of partitions in virtual time.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use presence_local::aws_limits::{CapacityKind, CapacityScope, PartitionRates, Throttling};
use serde_json::Value;
use tokio::time::Instant;

use super::connector::Answer;
use super::writes::WriteKind;

/// Name of the table in scopes. There is one.
const TABLE: &str = "reviews";
/// Name of its index.
const INDEX: &str = "listing-index";

/// Number of writes of items of one kind, and their units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrittenUnits {
    /// Number of writes.
    pub writes: u64,
    /// Write units. Those of a transaction count twice in the table.
    pub units: f64,
}

/// Most units of one second of virtual time, and all units, of partitions of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartitionLoad {
    /// Most units that one partition took in one second.
    pub most_in_second: f64,
    /// Units of all partitions.
    pub units: f64,
    /// Number of calls that were throttled at such a partition.
    pub throttled: u64,
}

/// Recorder of capacity.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    written: Mutex<BTreeMap<WriteKind, WrittenUnits>>,
    virtual_time: Mutex<Option<VirtualTime>>,
}

/// Virtual time, in which calls take a while and partitions have limits.
#[derive(Debug)]
struct VirtualTime {
    started_at: Instant,
    call_time: Duration,
    rates: PartitionRates,
    /// Second of each partition, and the units in it.
    seconds: HashMap<CapacityScope, (u64, f64)>,
    loads: BTreeMap<String, PartitionLoad>,
}

impl Recorder {
    /// Starts virtual time: each call takes a while, and partitions, tables and indexes have the rates of a limit.
    pub(super) fn start_virtual_time(&self, call_time: Duration, rates: Throttling) {
        *self.virtual_time() = Some(VirtualTime {
            started_at: Instant::now(),
            call_time,
            rates: PartitionRates::new(rates),
            seconds: HashMap::new(),
            loads: BTreeMap::new(),
        });
    }

    /// Ends virtual time. Returns the load of partitions by kind.
    pub(super) fn end_virtual_time(&self) -> BTreeMap<String, PartitionLoad> {
        self.virtual_time().take().map(|time| time.loads).unwrap_or_default()
    }

    /// True if a partition of the call has no units left.
    pub(super) fn throttles(&self, operation: &str, body: &Value) -> bool {
        let mut time = self.virtual_time();
        let Some(time) = time.as_mut() else { return false };
        let now = time.started_at.elapsed();
        let throttled = scopes_of(operation, body).into_iter().find(|scope| !time.rates.admits(now, scope));
        if let Some(scope) = &throttled {
            time.loads.entry(kind_of(scope)).or_default().throttled += 1;
        }
        throttled.is_some()
    }

    /// Waits for the time that a call takes.
    pub(super) async fn pause(&self) {
        let call_time = self.virtual_time().as_ref().map(|time| time.call_time);
        if let Some(call_time) = call_time {
            tokio::time::sleep(call_time).await;
        }
    }

    /// Records the capacity of an answered call.
    pub(super) fn record(&self, answer: &Answer) {
        if let Some(time) = self.virtual_time().as_mut() {
            time.spend(answer);
        }
        let mut written = self.written();
        for cost in &answer.writes {
            let of_kind = written.entry(cost.kind).or_default();
            of_kind.writes += 1;
            of_kind.units += cost.units;
        }
    }

    /// Returns what was written since the last call.
    pub(super) fn take_written(&self) -> BTreeMap<WriteKind, WrittenUnits> {
        std::mem::take(&mut self.written())
    }

    fn written(&self) -> MutexGuard<'_, BTreeMap<WriteKind, WrittenUnits>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn virtual_time(&self) -> MutexGuard<'_, Option<VirtualTime>> {
        self.virtual_time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl VirtualTime {
    fn spend(&mut self, answer: &Answer) {
        let writes = answer.writes.iter().map(|cost| {
            let is_index = cost.kind == WriteKind::IndexEntry;
            (scope(CapacityKind::Write, is_index, &cost.partition), cost.units)
        });
        let reads =
            answer.reads.iter().map(|cost| (scope(CapacityKind::Read, cost.is_index, &cost.partition), cost.units));
        let now = self.started_at.elapsed();
        for (scope, units) in writes.chain(reads).collect::<Vec<_>>() {
            self.rates.spend(now, &scope, units);
            let load = self.loads.entry(kind_of(&scope)).or_default();
            let (second, in_second) = self.seconds.entry(scope).or_default();
            if *second != now.as_secs() {
                (*second, *in_second) = (now.as_secs(), 0.0);
            }
            *in_second += units;
            load.units += units;
            load.most_in_second = load.most_in_second.max(*in_second);
        }
    }
}

fn scope(kind: CapacityKind, is_index: bool, partition: &str) -> CapacityScope {
    CapacityScope::new(kind, TABLE, is_index.then_some(INDEX), Some(partition.to_owned()))
}

/// Returns the kind of a partition: reads or writes, the index, or the set of a tree, or the first part of its key.
fn kind_of(scope: &CapacityScope) -> String {
    let partition = scope.partition.as_deref().unwrap_or_default();
    let prefix = partition.split(['#', ':']).collect::<Vec<_>>();
    let place = match (&scope.index, prefix[..].first().copied().unwrap_or_default()) {
        (Some(index), _) => format!("{index}, of an organisation"),
        (None, "R") => "a review".to_owned(),
        (None, "LOG") => "the log of an organisation".to_owned(),
        (None, "DIR") => "the buckets of a directory".to_owned(),
        (None, "TREE") => match prefix.get(1).copied() {
            Some("o") => "the trees of an organisation".to_owned(),
            Some("c") => "the trees of a city".to_owned(),
            _ => "the tree of a business".to_owned(),
        },
        (None, _) => "other".to_owned(),
    };
    format!("{}: {place}", if scope.kind == CapacityKind::Write { "writes" } else { "reads" })
}

/// Returns the partitions that a call takes units from.
fn scopes_of(operation: &str, body: &Value) -> Vec<CapacityScope> {
    let text = |value: &Value| value["S"].as_str().or(value["N"].as_str()).unwrap_or_default().to_owned();
    let read = |key: &Value| scope(CapacityKind::Read, false, &text(&key["pk"]));
    match operation {
        "Query" => {
            let partition = text(&body["ExpressionAttributeValues"][":partition"]);
            vec![scope(CapacityKind::Read, body["IndexName"].is_string(), &partition)]
        }
        "GetItem" => vec![read(&body["Key"])],
        "BatchGetItem" => {
            let tables = body["RequestItems"].as_object().into_iter().flatten();
            tables.flat_map(|(_, table)| table["Keys"].as_array().into_iter().flatten().map(read)).collect()
        }
        "TransactWriteItems" => {
            let actions = body["TransactItems"].as_array().into_iter().flatten();
            let actions = actions.filter_map(|action| action.as_object()?.values().next());
            actions.flat_map(write_scopes).collect()
        }
        _ => write_scopes(body),
    }
}

/// Returns the partitions that a write of one item takes units from.
fn write_scopes(action: &Value) -> Vec<CapacityScope> {
    let item = if action["Item"].is_object() { &action["Item"] } else { &action["Key"] };
    let table = item["pk"]["S"].as_str().map(|partition| scope(CapacityKind::Write, false, partition));
    let index = item["org_id"]["N"].as_str().filter(|_| item["effective_listing"].is_object());
    table.into_iter().chain(index.map(|partition| scope(CapacityKind::Write, true, partition))).collect()
}
