//! The two events that the mailer is invoked with.

use std::collections::HashSet;
use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use presence::clock::time_left;
use presence::domain::ids::UserId;
use presence::error::Error;
use presence::store::keys::MAIL_SK_PREFIX;
use presence::telemetry::{self, Metric, measure};
use serde::Serialize;
use serde_json::Value;

use crate::deliver::{Delivered, Outbox};

/// Deliveries side by side: SES takes 14 mails a second of a new account in production.
const IN_FLIGHT: usize = 4;
/// A delivery is begun while at least so much time is left.
const DELIVERY_TIME: Duration = Duration::from_secs(15);

/// What a stream is answered: the records to be handed over again. A schedule does not look at it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BatchAnswer {
    /// The records that failed.
    #[serde(rename = "batchItemFailures")]
    pub failures: Vec<BatchFailure>,
}

/// A record that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BatchFailure {
    /// Its sequence number.
    #[serde(rename = "itemIdentifier")]
    pub id: String,
}

/// A record of the stream that tells of a mail that may be due.
struct Record {
    user_id: UserId,
    sequence_number: String,
}

/// Serves one event: a batch of the stream, or any other event as a call to sweep.
pub async fn handle(outbox: &Outbox, event: &Value, deadline: std::time::SystemTime) -> Result<BatchAnswer, Error> {
    let has_time = || time_left(deadline).is_none_or(|left| left > DELIVERY_TIME);
    if let Some(records) = event.get("Records").and_then(Value::as_array) {
        return Ok(deliver_records(outbox, records, has_time).await);
    }
    let swept = sweep(outbox, has_time).await;
    swept.inspect_err(|error| telemetry::log_error("none", "sweep_outbox", error))?;
    Ok(BatchAnswer::default())
}

/// Delivers what the records tell of. Those that there is no time for, or whose delivery failed, are named in the answer:
/// they come again. One that is no record of a mail is none of ours, however it looks, and is passed over.
async fn deliver_records(outbox: &Outbox, records: &[Value], has_time: impl Fn() -> bool) -> BatchAnswer {
    let now = outbox.clock.now().as_millisecond();
    let mails = records.iter().filter_map(|record| mail_in(record, now));
    let deliveries = mails.map(|record| {
        let has_time = &has_time;
        async move {
            let delivered = has_time() && try_deliver(outbox, record.user_id).await;
            (!delivered).then_some(BatchFailure { id: record.sequence_number })
        }
    });
    let failures = stream::iter(deliveries.collect::<Vec<_>>()).buffered(IN_FLIGHT);
    BatchAnswer { failures: failures.filter_map(std::future::ready).collect().await }
}

/// The mail that a record tells of, if it is one that may be sent now.
fn mail_in(record: &Value, now: i64) -> Option<Record> {
    let change = record.get("dynamodb")?;
    let text = |item: &str, name: &str| change.get(item)?.get(name)?.get("S")?.as_str();
    let due_at: i64 = change.get("NewImage")?.get("due_at")?.get("N")?.as_str()?.parse().ok()?;
    if !text("Keys", "sk")?.starts_with(MAIL_SK_PREFIX) || due_at > now {
        return None;
    }
    let user_id = UserId::parse(text("NewImage", "user_id")?)?;
    Some(Record { user_id, sequence_number: change.get("SequenceNumber")?.as_str()?.to_owned() })
}

/// Delivers what is due, as long as there is time, and as long as the index has something new to tell. Says how long the
/// mail that waits longest could have been sent before.
async fn sweep(outbox: &Outbox, has_time: impl Fn() -> bool) -> Result<(), Error> {
    let now = outbox.clock.now();
    let mut due = outbox.store.due_mails(now).await?;
    let age = due.iter().map(|row| row.overdue(now)).max().unwrap_or_default();
    measure(Metric::OutboxAgeSeconds, age.as_secs_f64());
    let mut seen = HashSet::new();
    loop {
        due.retain(|row| seen.insert(row.id().to_owned()));
        if due.is_empty() || !has_time() {
            return Ok(());
        }
        let users = due.iter().filter_map(|row| UserId::parse(&row.user_id));
        let deliveries = users.map(|user_id| {
            let has_time = &has_time;
            async move { !has_time() || try_deliver(outbox, user_id).await }
        });
        stream::iter(deliveries.collect::<Vec<_>>()).buffer_unordered(IN_FLIGHT).collect::<Vec<_>>().await;
        due = outbox.store.due_mails(outbox.clock.now()).await?;
    }
}

/// Whether the delivery came to an end, whichever.
async fn try_deliver(outbox: &Outbox, user_id: UserId) -> bool {
    match Box::pin(outbox.deliver(user_id)).await {
        Ok(Delivered::Nothing) => true,
        Ok(delivered) => {
            tracing::info!(%user_id, outcome = ?delivered, "mail");
            true
        }
        Err(error) => {
            telemetry::log_error("none", "deliver_mail", &error);
            false
        }
    }
}
