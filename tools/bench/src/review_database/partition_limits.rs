//! Layer in virtual time: each call takes a while, each partition has a rate, and the load of partitions is recorded.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use presence_local::connectors::{Answer, ConnectorLayer, Next};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Units that a partition has in a second: <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html>.
const READ_RATE: f64 = 3_000.0;
const WRITE_RATE: f64 = 1_000.0;

/// Units of partitions of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PartitionLoad {
    /// Most units that one partition took in one second.
    pub(crate) most_in_second: f64,
    /// Units of all partitions.
    pub(crate) units: f64,
    /// Number of calls that were throttled at such a partition.
    pub(crate) throttled: u64,
}

/// Partition of the table or of its index, and the kind of its units.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Partition {
    is_read: bool,
    is_index: bool,
    key: String,
}

/// Layer that works inside a runtime of paused time only.
#[derive(Clone)]
pub(super) struct PartitionLimits {
    /// Runtime of the genuine calls.
    real_time: Handle,
    /// Virtual time of a call.
    call_time: Duration,
    record: Arc<Mutex<Record>>,
}

/// Loads since the start of the record.
struct Record {
    started_at: Instant,
    buckets: HashMap<Partition, TokenBucket>,
    loads: BTreeMap<String, PartitionLoad>,
}

/// Units that a partition has, at most those of a second. They may be negative, since a call is throttled only if none are left.
struct TokenBucket {
    units: f64,
    updated_at: Duration,
    /// Second of virtual time, and the units taken in it.
    second: (u64, f64),
}

impl PartitionLimits {
    /// Returns a layer whose genuine calls run on the current runtime.
    pub(super) fn new(call_time: Duration) -> Self {
        let record = Record { started_at: Instant::now(), buckets: HashMap::new(), loads: BTreeMap::new() };
        Self { real_time: Handle::current(), call_time, record: Arc::new(Mutex::new(record)) }
    }

    /// Starts the record again, with full partitions.
    pub(super) fn restart(&self) {
        *self.record() = Record { started_at: Instant::now(), buckets: HashMap::new(), loads: BTreeMap::new() };
    }

    /// Returns the loads so far, by the kind of partition.
    pub(super) fn loads(&self) -> BTreeMap<String, PartitionLoad> {
        self.record().loads.clone()
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConnectorLayer for PartitionLimits {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let operation = request.headers().get("x-amz-target").and_then(|target| target.rsplit('.').next());
        let operation = operation.unwrap_or_default().to_owned();
        let body: Value = serde_json::from_slice(request.body().bytes().unwrap_or_default()).unwrap_or_default();
        if self.record().throttles(&shares(&operation, &body, 0.0)) {
            tokio::time::sleep(self.call_time).await;
            return throttled(&operation);
        }
        let real_time = self.real_time.clone();
        let call = async move {
            let mut response = next.call(request).await?;
            let units = read_consumed_units(&mut response).await?;
            Ok((response, units))
        };
        // The clock of a paused runtime stands still while a blocking task runs.
        let answer = tokio::task::spawn_blocking(move || real_time.block_on(call)).await;
        let (response, units) = answer.map_err(|error| ConnectorError::other(error.into(), None))??;
        self.record().spend(shares(&operation, &body, units));
        tokio::time::sleep(self.call_time).await;
        Ok(response)
    }
}

impl Record {
    /// True if one of the partitions has no units left. Counts the call there.
    fn throttles(&mut self, shares: &[(Partition, f64)]) -> bool {
        let now = self.started_at.elapsed();
        let is_empty = |partition: &Partition| {
            self.buckets.get(partition).is_some_and(|bucket| bucket.units_at(now, partition.rate()) <= 0.0)
        };
        let empty = shares.iter().map(|(partition, _)| partition).find(|partition| is_empty(partition));
        if let Some(partition) = empty {
            self.loads.entry(partition.kind()).or_default().throttled += 1;
        }
        empty.is_some()
    }

    fn spend(&mut self, shares: Vec<(Partition, f64)>) {
        let now = self.started_at.elapsed();
        for (partition, units) in shares {
            let (kind, rate) = (partition.kind(), partition.rate());
            let full = TokenBucket { units: rate, updated_at: now, second: (now.as_secs(), 0.0) };
            let bucket = self.buckets.entry(partition).or_insert(full);
            let taken = if bucket.second.0 == now.as_secs() { bucket.second.1 } else { 0.0 } + units;
            let left = bucket.units_at(now, rate) - units;
            *bucket = TokenBucket { units: left, updated_at: now, second: (now.as_secs(), taken) };
            let load = self.loads.entry(kind).or_default();
            load.units += units;
            load.most_in_second = load.most_in_second.max(taken);
        }
    }
}

impl TokenBucket {
    fn units_at(&self, now: Duration, rate: f64) -> f64 {
        (self.units + now.saturating_sub(self.updated_at).as_secs_f64() * rate).min(rate)
    }
}

impl Partition {
    fn rate(&self) -> f64 {
        if self.is_read { READ_RATE } else { WRITE_RATE }
    }

    /// Returns the kind of the partition: reads or writes of the index, or of the first parts of its key.
    fn kind(&self) -> String {
        let mut parts = self.key.split(['#', ':']);
        let place = match (self.is_index, parts.next().unwrap_or_default(), parts.next().unwrap_or_default()) {
            (true, ..) => "listing-index, of an organisation",
            (false, "R", _) => "a review",
            (false, "LOG", _) => "the log of an organisation",
            (false, "DIR", _) => "the buckets of a directory",
            (false, "TREE", "o") => "the trees of an organisation",
            (false, "TREE", "c") => "the trees of a city",
            (false, "TREE", _) => "the tree of a business",
            _ => "other",
        };
        format!("{}: {place}", if self.is_read { "reads" } else { "writes" })
    }
}

/// Returns the units of an answer, whose `ConsumedCapacity` is one object, or a list with one for each table. Reads the body to its
/// end, and leaves it in the answer.
async fn read_consumed_units(response: &mut HttpResponse) -> Result<f64, ConnectorError> {
    let bytes = ByteStream::new(response.take_body()).collect().await;
    let bytes = bytes.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    *response.body_mut() = SdkBody::from(bytes);
    let capacity = &answer["ConsumedCapacity"];
    let tables = capacity.as_array().map_or(std::slice::from_ref(capacity), Vec::as_slice);
    Ok(tables.iter().filter_map(|table| table["CapacityUnits"].as_f64()).sum())
}

/// Returns the partitions that a call takes units from, with their parts of the units.
fn shares(operation: &str, body: &Value, units: f64) -> Vec<(Partition, f64)> {
    let read = |key: &str| Partition { is_read: true, is_index: false, key: key.to_owned() };
    match operation {
        "Query" => {
            let partition = &body["ExpressionAttributeValues"][":partition"];
            let key = partition["S"].as_str().or(partition["N"].as_str()).unwrap_or_default();
            vec![(Partition { is_index: body["IndexName"].is_string(), ..read(key) }, units)]
        }
        "GetItem" => vec![(read(key_of(body)), units)],
        "BatchGetItem" => {
            let tables = body["RequestItems"].as_object().into_iter().flatten();
            let keys = tables.flat_map(|(_, table)| table["Keys"].as_array().into_iter().flatten());
            let keys: Vec<&str> = keys.filter_map(|key| key["pk"]["S"].as_str()).collect();
            let share = units / keys.len().max(1) as f64;
            keys.into_iter().map(|key| (read(key), share)).collect()
        }
        "TransactWriteItems" => {
            let actions = body["TransactItems"].as_array().into_iter().flatten();
            let actions = actions.filter_map(|action| action.as_object()?.values().next()).collect::<Vec<_>>();
            write_shares(&actions, units, 2.0)
        }
        _ => write_shares(&[body], units, 1.0),
    }
}

/// Returns the partitions that writes take units from. A generated review has less than 1 KB: `body_units` in the table, and one in
/// the index. The other writes share the rest.
fn write_shares(actions: &[&Value], units: f64, body_units: f64) -> Vec<(Partition, f64)> {
    let write = |key: &str, is_index| Partition { is_read: false, is_index, key: key.to_owned() };
    let listed_in = |action: &Value| {
        let is_listed = action["Item"]["effective_listing"].is_object();
        action["Item"]["org_id"]["N"].as_str().filter(|_| is_listed).map(str::to_owned)
    };
    let reviews = actions.iter().filter(|action| listed_in(action).is_some()).count();
    let rest = units - reviews as f64 * (body_units + 1.0);
    let share = rest.max(0.0) / (actions.len() - reviews).max(1) as f64;
    let of_action = |action: &&Value| match listed_in(action) {
        Some(org_id) => vec![(write(key_of(action), false), body_units), (write(&org_id, true), 1.0)],
        None => vec![(write(key_of(action), false), share)],
    };
    actions.iter().flat_map(of_action).collect()
}

/// Returns the partition key of a read or write of one item.
fn key_of(action: &Value) -> &str {
    let key = if action["Item"].is_object() { &action["Item"] } else { &action["Key"] };
    key["pk"]["S"].as_str().unwrap_or_default()
}

/// Returns the answer to a throttled call.
fn throttled(operation: &str) -> Answer {
    let prefix = "com.amazonaws.dynamodb.v20120810#";
    let body = if operation == "TransactWriteItems" {
        let error = format!("{prefix}TransactionCanceledException");
        json!({ "__type": error, "CancellationReasons": [{ "Code": "ThrottlingError" }] })
    } else {
        json!({ "__type": format!("{prefix}ProvisionedThroughputExceededException"), "message": "no units are left" })
    };
    let status = 400.try_into().map_err(|_| ConnectorError::user("no status".into()))?;
    Ok(HttpResponse::new(status, SdkBody::from(body.to_string())))
}
