//! Partners, who send objects and messages, and the functions of ingest: each invoked as Lambda does it, and killed now and then.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use presence_domain::ingest::delivery::INVOCATION_TIME;
use presence_ingest::{Ingest, QueueMessage, handle};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::{Deadline, SystemTimer};
use presence_store::{RetryPolicy, WriteRate};
use presence_tests::connectors::NetworkFault;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::background::{judge_end_of, judged};
use super::reviews::move_business;
use super::rows::Row;
use super::simulation::Simulation;

/// Names of the objects: few, so that they are replaced.
const OBJECTS: [&str; 3] = ["a.jsonl", "partner 8/é.jsonl", "c.jsonl"];
/// Invocations that write at the same time.
const WRITERS: usize = 3;
/// Longest pause between two objects, messages or moves, in milliseconds.
const LONGEST_PAUSE: u64 = 18_000;
/// Longest time until S3 tells of an object, in milliseconds.
const LONGEST_NOTICE: u64 = 20_000;
/// Pause after a run of the splitter that failed. Lambda makes two more; an operator makes all others.
const RETRY: Duration = Duration::from_mins(1);
/// Time that is left to a splitter that reads one segment only.
const SHORT: Duration = Duration::from_secs(20);
/// Longest time after which a process is killed, in milliseconds.
const LONGEST_LIFE: u64 = 10_000;
/// Start of the deduplication ids of messages that nobody can read.
const UNREADABLE: &str = "unreadable";

/// Process of ingest, which other ones replace now and then.
struct Process {
    simulation: Arc<Simulation>,
    rng: Rng,
    ingest: Ingest,
}

impl Process {
    fn start(simulation: &Arc<Simulation>) -> Self {
        let rng = simulation.fork_rng();
        let ingest = Self::ingest(simulation);
        Self { simulation: Arc::clone(simulation), rng, ingest }
    }

    fn ingest(simulation: &Arc<Simulation>) -> Ingest {
        let rate = Arc::new(WriteRate::new(Arc::new(SystemTimer::start())));
        let database = simulation.stores().database.with_retry_policy(RetryPolicy::WhileImporting(rate));
        let clock = simulation.clock_of_process(simulation.clock_error);
        let (bucket, queue) = (Arc::clone(&simulation.bucket), Arc::clone(&simulation.queue));
        Ingest::new(&database, bucket, queue).with_clock(clock)
    }

    /// Hands an event over, with a time that Lambda leaves for it. Returns no answer if the process fails, or is killed.
    async fn invoke(&mut self, event: &Value, left: Duration) -> Option<BatchResponse> {
        let is_killed = self.simulation.network.has(NetworkFault::Kill) && self.rng.u8(..8) == 0;
        let life = if is_killed { Duration::from_millis(self.rng.u64(..LONGEST_LIFE)) } else { INVOCATION_TIME };
        let invocation = judged(&self.simulation, "ingest", handle(&self.ingest, event, Deadline::after(left)));
        let answer = tokio::time::timeout(life, invocation).await;
        judge_end_of(&self.simulation, "ingest", answer.is_ok() || is_killed);
        if answer.is_err() || self.rng.u8(..20) == 0 {
            self.ingest = Self::ingest(&self.simulation);
        }
        answer.ok().flatten()
    }
}

/// Starts the writers.
pub(crate) fn start(simulation: &Arc<Simulation>, tasks: &mut JoinSet<()>) {
    for _ in 0..WRITERS {
        tasks.spawn(write(Process::start(simulation)));
    }
}

/// Hands batches of the queue to a writer.
async fn write(mut process: Process) {
    let queue = Arc::clone(&process.simulation.queue);
    loop {
        let event = queue.receive().await;
        if let Some(answer) = process.invoke(&event, INVOCATION_TIME).await {
            queue.record_outcome(&event, &answer);
        }
    }
}

/// Hands the notice of an object to a splitter, and again until it is split.
async fn split(mut process: Process, object: &str) {
    tokio::time::sleep(Duration::from_millis(process.rng.u64(..LONGEST_NOTICE))).await;
    let event = crate::ingest::ingest_env::uploaded(object);
    let left = if process.rng.bool() { SHORT } else { INVOCATION_TIME };
    while process.invoke(&event, left).await.is_none() && process.simulation.history().findings.is_empty() {
        tokio::time::sleep(RETRY).await;
    }
}

/// Sends objects and messages, and moves a business now and then.
pub(crate) async fn send(simulation: Arc<Simulation>, time: Duration) {
    let mut rng = simulation.fork_rng();
    let mut splits = JoinSet::new();
    let end = Instant::now() + time;
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(rng.u64(..LONGEST_PAUSE))).await;
        match rng.u8(..12) {
            0 | 1 => move_business(&simulation, rng.u64(1..=2)).await,
            2 => send_message(&simulation, &mut rng),
            3 => send_unreadable(&simulation, &mut rng),
            _ => {
                let object = *rng.choice(&OBJECTS).expect("one");
                let (now, rows) = (simulation.now(), Row::some(&mut rng, simulation.now()));
                let text = Row::text(&rows).into_bytes();
                let second = simulation.bucket.upload(&format!("inbox/{object}"), text, now, None);
                simulation.sent().uploaded(object, second, rows);
                // S3 tells of an object once at least.
                for _ in 0..rng.usize(1..=2) {
                    splits.spawn(split(Process::start(&simulation), object));
                }
            }
        }
    }
    splits.join_all().await;
}

fn message(rng: &mut Rng, start: &str, body: String) -> QueueMessage {
    let group_id = format!("{}-{}", rng.u8(1..=2), rng.u8(..8));
    QueueMessage { group_id, deduplication_id: format!("{start} {}", rng.u64(..)), body, attributes: [].into() }
}

/// Sends rows as a partner who has no objects.
fn send_message(simulation: &Simulation, rng: &mut Rng) {
    let rows = Row::some(rng, simulation.now());
    let place = simulation.queue.push(message(rng, "rows", Row::text(&rows))).expect("a new message");
    simulation.sent().sent(place, rows);
}

/// Sends a message whose attributes make no sense.
fn send_unreadable(simulation: &Simulation, rng: &mut Rng) {
    let attributes = [("object".to_owned(), OBJECTS[0].to_owned())].into();
    simulation.queue.push(QueueMessage { attributes, ..message(rng, UNREADABLE, String::new()) });
    simulation.sent().unreadable += 1;
}

/// Judges what became of all rows, and of the messages.
pub(crate) fn judge_end(simulation: &Simulation) {
    let (waiting, dead) = simulation.queue.left();
    let (unreadable, good): (Vec<_>, Vec<_>) =
        dead.into_iter().partition(|message| message.deduplication_id.starts_with(UNREADABLE));
    let mut findings = simulation.sent().judge(simulation);
    findings.extend(good.iter().map(|message| format!("a good message is set aside: {message:?}")));
    if waiting > 0 || unreadable.len() != simulation.sent().unreadable {
        findings.push(format!("{waiting} messages wait, and {} that nobody can read are set aside", unreadable.len()));
    }
    for finding in findings {
        simulation.history().found(finding);
    }
}
