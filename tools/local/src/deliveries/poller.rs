//! Invocations of the deliverer as AWS makes them: batches of the stream of events, messages of a queue, and sweeps.

use std::time::Duration;

use aws_types::SdkConfig;
use presence_deliverer::{Deliverer, HttpSender, StoredTables, Wake, Wakes, handle};
use presence_domain::error::Error;
use presence_runtime::clock::Deadline;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::streams::TableStream;

/// Interval between two sweeps. It is shorter than that of the schedule in the template, so that a test may move its clock.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// Pause before an event is handed over again after an error.
const ERROR_PAUSE: Duration = Duration::from_secs(1);
/// Time limit of an invocation: the deliverer's timeout in the template.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(1);
/// Number of times that an event is handed over.
const ATTEMPTS: u32 = 5;

/// Background tasks that invoke the deliverer. Dropping it stops them.
#[derive(Debug)]
pub(crate) struct DeliveryPoller {
    _tasks: JoinSet<()>,
}

/// Deliverer with the queue of its messages.
#[derive(Clone)]
struct Function {
    deliverer: Deliverer<StoredTables, HttpSender>,
    queue: LocalQueue,
}

#[derive(Clone)]
struct LocalQueue(UnboundedSender<Wake>);

impl Wakes for LocalQueue {
    async fn send(&self, wakes: &[Wake]) -> Result<(), Error> {
        for wake in wakes {
            // Nobody receives when the stack stops.
            let _ = self.0.send(*wake);
        }
        Ok(())
    }
}

impl DeliveryPoller {
    /// Starts to sweep, to poll the stream of events for writes from now on, and to hand over the messages of the queue. What was not
    /// delivered at the last stop is delivered now.
    pub(crate) async fn start(
        deliverer: Deliverer<StoredTables, HttpSender>,
        config: &SdkConfig,
        table: &str,
    ) -> anyhow::Result<Self> {
        let (sender, receiver) = unbounded_channel();
        let function = Function { deliverer, queue: LocalQueue(sender) };
        let stream = TableStream::open(config, table).await?;
        let mut tasks = JoinSet::new();
        tasks.spawn(sweep(function.clone()));
        tasks.spawn(receive(function.clone(), receiver));
        if let Some(stream) = stream {
            tasks.spawn(poll(function, stream));
        }
        Ok(Self { _tasks: tasks })
    }
}

async fn sweep(function: Function) {
    let mut ticks = tokio::time::interval(SWEEP_INTERVAL);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    function.invoke(json!({ "detail": { "all": true } })).await;
    loop {
        ticks.tick().await;
        function.invoke(json!({ "detail": {} })).await;
    }
}

async fn poll(function: Function, mut stream: TableStream) {
    loop {
        let event = stream.next_event().await;
        function.invoke(event).await;
    }
}

/// Hands over each message after its delay, in an invocation of its own.
async fn receive(function: Function, mut messages: UnboundedReceiver<Wake>) {
    // Dropped with this task, which ends what it began.
    let mut invocations = JoinSet::new();
    while let Some(wake) = messages.recv().await {
        let function = function.clone();
        invocations.spawn(async move {
            tokio::time::sleep(wake.delay).await;
            let message = json!({ "eventSource": "aws:sqs", "messageId": "1", "body": wake.id.to_string() });
            function.invoke(json!({ "Records": [message] })).await;
        });
        while invocations.try_join_next().is_some() {}
    }
}

impl Function {
    /// Hands an event over, and again if that failed. The deliverer logs its failures.
    async fn invoke(&self, event: Value) {
        for _ in 0..ATTEMPTS {
            let invocation = handle(&self.deliverer, &self.queue, &event, Deadline::after(INVOCATION_TIMEOUT));
            // On the heap: the SDK's futures are large.
            if Box::pin(invocation).await.is_ok_and(|answer| answer.failures.is_empty()) {
                return;
            }
            tokio::time::sleep(ERROR_PAUSE).await;
        }
    }
}
