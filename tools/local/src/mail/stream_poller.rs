//! Invocations of the mailer as AWS makes them: batches of the users table's stream, the sweep of the schedule, and feedback of SES.

use std::sync::Arc;
use std::time::Duration;

use aws_types::SdkConfig;
use presence_mailer::{OutboxProcessor, handle};
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::mailbox::Mailbox;
use crate::streams::{TableStream, with_records};

/// Interval between two sweeps: that of the schedule in the template.
const SWEEP_INTERVAL: Duration = Duration::from_mins(1);
/// Interval between two sweeps of a database without streams, where the sweep alone finds new mails.
const SWEEP_INTERVAL_WITHOUT_STREAM: Duration = Duration::from_secs(1);
/// Pause before feedback is handed over again after an error.
const ERROR_PAUSE: Duration = Duration::from_secs(1);
/// Time limit of an invocation: the mailer's timeout in the template.
const INVOCATION_TIMEOUT: Duration = Duration::from_mins(1);
/// Number of retries for failed records and feedback. The template allows more for records, but the sweep finds the mails as well.
const RETRIES: u32 = 2;

/// Background tasks that invoke the mailer. Dropping it stops them.
#[derive(Debug)]
pub(crate) struct StreamPoller {
    _tasks: JoinSet<()>,
}

impl StreamPoller {
    /// Starts to sweep, to poll the table's stream for writes from now on, and to hand over the feedback of the local SES.
    pub(crate) async fn start(
        outbox: OutboxProcessor,
        config: &SdkConfig,
        table: &str,
        mailbox: Arc<Mailbox>,
    ) -> anyhow::Result<Self> {
        let stream = TableStream::open(config, table).await?;
        let interval = if stream.is_some() { SWEEP_INTERVAL } else { SWEEP_INTERVAL_WITHOUT_STREAM };
        let mut tasks = JoinSet::new();
        tasks.spawn(sweep(outbox.clone(), interval));
        tasks.spawn(hand_over(outbox.clone(), mailbox));
        if let Some(stream) = stream {
            tasks.spawn(poll(outbox, stream));
        }
        Ok(Self { _tasks: tasks })
    }
}

async fn sweep(outbox: OutboxProcessor, interval: Duration) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let event = json!({ "source": "aws.scheduler", "detail-type": "Scheduled Event", "detail": {} });
        // The mailer logs its failure, and the next sweep tries again.
        let _ = handle(&outbox, &event, Deadline::after(INVOCATION_TIMEOUT)).await;
    }
}

async fn hand_over(outbox: OutboxProcessor, mailbox: Arc<Mailbox>) {
    loop {
        let event = mailbox.next_feedback().await;
        for _ in 0..=RETRIES {
            if handle(&outbox, &event, Deadline::after(INVOCATION_TIMEOUT)).await.is_ok() {
                break;
            }
            // The mailer logged its failure. Lambda tries again, too.
            tokio::time::sleep(ERROR_PAUSE).await;
        }
    }
}

async fn poll(outbox: OutboxProcessor, mut stream: TableStream) {
    loop {
        let event = stream.next_event().await;
        invoke_with_retries(&outbox, event).await;
    }
}

/// Invokes the mailer with a batch, then with the records that failed, as Lambda does with `ReportBatchItemFailures`.
async fn invoke_with_retries(outbox: &OutboxProcessor, event: Value) {
    let mut batch = Some(event);
    for _ in 0..=RETRIES {
        let Some(event) = batch else { return };
        let answer = handle(outbox, &event, Deadline::after(INVOCATION_TIMEOUT)).await;
        let BatchResponse { failures } = answer.unwrap_or_default();
        let failed: Vec<_> = failures.into_iter().map(|failure| failure.id).collect();
        batch = with_records(&event, &failed);
    }
}
