//! The two events that the mailer is invoked with.

use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use jiff::SignedDuration;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_runtime::clock::time_left;
use presence_runtime::telemetry::{self, Metric, log_metric};
use presence_store::keys::MAIL_SK_PREFIX;
use presence_store::{OutboxRow, UnreadableRow, WaitingMails};
use serde::Serialize;
use serde_json::Value;

use crate::deliver::{Delivered, Outbox};

/// Deliveries side by side: SES takes 14 mails a second of a new account in production.
const IN_FLIGHT: usize = 4;
/// A delivery is begun while at least so much time is left.
const DELIVERY_TIME: Duration = Duration::from_secs(15);

/// Pages of waiting mails that one sweep looks at, of 1,000 each: what it reads within some seconds. Of more mails it sees
/// those that are due first.
const MAX_PAGES: usize = 50;
/// Mails that one sweep begins to deliver: seven times what SES takes of a new account in that time, since rows that are
/// nobody's are among them.
const MAX_DUE: usize = 5_000;

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
            let delivered = has_time() && try_deliver(outbox, record.user_id).await.is_some();
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

/// The result of one look at everything that waits.
#[derive(Default)]
struct Waiting {
    /// The mails that are due, the longest due first.
    due: Vec<(UserId, OutboxRow)>,
    /// For how long the mail that waits longest could have been sent by now.
    age: SignedDuration,
}

/// Looks at everything that waits, says for how long, and delivers what is due, as long as there is time. A sweep that cannot
/// look says nothing: the alarm takes silence for the worst.
async fn sweep(outbox: &Outbox, has_time: impl Fn() -> bool) -> Result<(), Error> {
    let Waiting { due, age } = look(outbox).await?;
    log_metric(Metric::OutboxAgeSeconds, age.as_secs_f64());
    let deliveries = due.into_iter().map(|(user_id, row)| {
        let has_time = &has_time;
        async move {
            if has_time() {
                deliver_row(outbox, user_id, &row).await;
            }
        }
    });
    stream::iter(deliveries).buffer_unordered(IN_FLIGHT).collect::<Vec<_>>().await;
    Ok(())
}

async fn look(outbox: &Outbox) -> Result<Waiting, Error> {
    let now = outbox.clock.now();
    let (mut waiting, mut start) = (Waiting::default(), None);
    for _ in 0..MAX_PAGES {
        let WaitingMails { rows, unreadable, next } = outbox.outbox.list_waiting(start).await?;
        for row in unreadable {
            set_aside(outbox, &row).await;
        }
        for row in rows {
            waiting.age = waiting.age.max(row.overdue(now));
            let user_id = UserId::parse(&row.user_id).filter(|_| row.is_due(now) && waiting.due.len() < MAX_DUE);
            waiting.due.extend(user_id.map(|user_id| (user_id, row)));
        }
        start = next;
        if start.is_none() {
            return Ok(waiting);
        }
    }
    tracing::warn!(pages = MAX_PAGES, "more mails wait than a sweep looks at");
    Ok(waiting)
}

/// Takes a row that cannot be read out of the way of those behind it, and says so to the log and to the alarm.
async fn set_aside(outbox: &Outbox, row: &UnreadableRow) {
    match outbox.outbox.set_aside(row).await {
        Ok(()) => {
            tracing::error!(mail = row.id(), of = row.partition(), "a mail cannot be read and was set aside");
            log_metric(Metric::MailsFailed, 1.0);
        }
        Err(error) => telemetry::log_error("none", "set_mail_aside", &error),
    }
}

/// Delivers a mail that the sweep found, or removes it if it is nobody's.
async fn deliver_row(outbox: &Outbox, user_id: UserId, row: &OutboxRow) {
    if try_deliver(outbox, user_id).await != Some(Delivered::Nothing) {
        return;
    }
    if let Err(error) = outbox.remove_orphan(user_id, row).await {
        telemetry::log_error("none", "remove_mail", &error);
    }
}

/// Returns how a delivery ended; `None` after a failure, which is logged.
async fn try_deliver(outbox: &Outbox, user_id: UserId) -> Option<Delivered> {
    match Box::pin(outbox.deliver(user_id)).await {
        Ok(Delivered::Nothing) => Some(Delivered::Nothing),
        Ok(delivered) => {
            tracing::info!(%user_id, outcome = ?delivered, "mail");
            Some(delivered)
        }
        Err(error) => {
            telemetry::log_error("none", "deliver_mail", &error);
            None
        }
    }
}
