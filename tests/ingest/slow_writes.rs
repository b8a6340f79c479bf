//! Files that arrive faster than the table takes writes: the shipped function behind the queue of the local stack, in virtual time.
//!
//! Each call of DynamoDB takes 100 ms, and the table throttles writes above its throughput. Eight batches are written at a time, each
//! by a process of its own. So an hour of the simulation takes seconds.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use presence_domain::ingest::delivery::INVOCATION_TIME;
use presence_ingest::{Ingest, Queue as _, QueueMessage, handle};
use presence_local::Options;
use presence_local::connectors::{WavesConnector, count_waves};
use presence_local::inbox::{LocalQueue, consume};
use presence_runtime::clock::{Deadline, SystemTimer};
use presence_tests::connectors::ThroughputConnector;
use presence_tests::{ConnectorLayer as _, in_process_client, long_timeouts};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::ingest_env::{IngestEnv, json_lines, titled_row, uploaded};
use crate::imports::import_env::rows;
use crate::imports::throttling::importing;

/// Batches that are written at a time: the default of the template.
const BATCHES: usize = 8;
/// Interval between two looks at the queue.
const LOOK: Duration = Duration::from_secs(1);
/// Number of looks after which a simulation ends without a result: a day.
const MAX_LOOKS: usize = 86_400;
const OBJECT: &str = "a.jsonl";

/// Simulation of one table.
struct Simulation {
    env: IngestEnv,
    table: ThroughputConnector,
    queue: Arc<LocalQueue>,
}

impl Simulation {
    /// Returns a process of the function that was just started.
    fn process(&self) -> Ingest {
        let client = self.table.over(WavesConnector.over(in_process_client()));
        let options = Options { retry_policy: importing(SystemTimer::start()), ..long_timeouts() };
        let stores = self.env.stack.stores_through(client, options, self.env.stack.table_prefix());
        Ingest::new(&stores.database, Arc::new(self.env.outside.clone()), Arc::clone(&self.queue) as _)
    }

    /// Splits the object, and writes its rows. Returns the time until the queue is empty.
    async fn run(&self) -> Duration {
        let start = Instant::now();
        let split = handle(&self.process(), &uploaded(OBJECT), Deadline::after(INVOCATION_TIME)).await;
        split.expect("the object is split");
        let mut consumers = JoinSet::new();
        for _ in 0..BATCHES {
            consumers.spawn(consume(self.process(), Arc::clone(&self.queue)));
        }
        for _ in 0..MAX_LOOKS {
            tokio::time::sleep(LOOK).await;
            if self.queue.is_idle() {
                return start.elapsed();
            }
        }
        panic!("rows wait for a day");
    }
}

/// Message with rows of a lane, which nobody can read, as in front of all others.
fn poison() -> QueueMessage {
    let attributes = BTreeMap::from([("object".to_owned(), OBJECT.to_owned())]);
    let body = json_lines(&[titled_row("s1", "poison", "t")]);
    QueueMessage { group_id: "1-0".to_owned(), deduplication_id: "poison".to_owned(), body, attributes }
}

/// Lets so many rows arrive at once, behind a message that nobody can read, at a table that takes so many write units a second. All rows are
/// written, and the message alone is set aside.
#[expect(clippy::print_stdout, reason = "the numbers belong to the report")]
fn assert_poison_alone_is_set_aside(count: usize, units: f64) {
    let real_time = Runtime::new().expect("a runtime can be started");
    let env = real_time.block_on(IngestEnv::new());
    env.outside.upload(&format!("inbox/{OBJECT}"), rows(count, 0).into_bytes());
    let run = async {
        let simulation = Simulation { env, table: ThroughputConnector::new(units), queue: Arc::default() };
        simulation.queue.send_batch(&[poison()]).await.expect("sent");
        let time = simulation.run().await;
        (simulation, time)
    };
    let (Simulation { env, table, queue }, time) = count_waves(run).0;
    let (set_aside, throttled) = (queue.set_aside(), table.throttled());
    let receives = queue.most_receives();
    println!(
        "{count} rows at {units} units/s: {time:?}, {receives} receives, {throttled} throttled, {set_aside} set aside"
    );
    let created = env.summary(OBJECT).unwrap_or(Value::Null)["created"].clone();
    assert_eq!((set_aside, created), (1, json!(count)), "{count} rows at {units} units a second");
    assert!(throttled > 0, "the table is slower than {BATCHES} processes");
}

#[test]
fn slow_writes_set_no_good_message_aside() {
    for (count, units) in [(4_000, 25.0), (4_000, 1_000.0)] {
        assert_poison_alone_is_set_aside(count, units);
    }
}

#[test]
#[ignore = "it takes minutes"]
fn slow_writes_of_many_rows_set_no_good_message_aside() {
    for (count, units) in [(4_000, 100.0), (40_000, 1_000.0), (40_000, 4_000.0)] {
        assert_poison_alone_is_set_aside(count, units);
    }
}
