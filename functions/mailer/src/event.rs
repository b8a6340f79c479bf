//! Events that invoke the mailer: a batch of the users table's stream, feedback of SES, or a call to sweep.

use std::time::Duration;

use futures::stream::{self, StreamExt as _};
use jiff::SignedDuration;
use presence_domain::error::Error;
use presence_domain::ids::UserId;
use presence_domain::invitation::OutboxMessage;
use presence_domain::webhook::WebhookId;
use presence_runtime::batch_response::BatchResponse;
use presence_runtime::clock::Deadline;
use presence_runtime::telemetry::{self, Metric, log_metric};
use presence_store::keys::{MAIL_SK_PREFIX, NOTICE_PK_PREFIX};
use presence_store::{OutboxPage, UnreadableMessage, with_retries_for};
use serde_json::Value;

use crate::deliver::{DeliveryOutcome, OutboxProcessor};
use crate::feedback;

/// Number of concurrent deliveries: SES takes 14 mails a second of a new account in production.
const IN_FLIGHT: usize = 4;
/// Time that must be left to start a delivery.
const DELIVERY_TIME: Duration = Duration::from_secs(15);
/// Time before the deadline at which no call to DynamoDB is tried again, so that the answer leaves in time.
const ANSWER_TIME: Duration = Duration::from_secs(1);

/// Largest number of pages that one sweep reads, of 1,000 messages each: it reads them within some seconds. Of more messages it
/// sees those that are due first.
const MAX_PAGES: usize = 50;
/// Largest number of messages that one sweep starts to deliver. That is seven times what SES takes of a new account in that time,
/// since some of them belong to nobody.
const MAX_DUE: usize = 5_000;

/// Record of the stream about a message or a notice that may be due.
struct StreamRecord {
    due: Due,
    sequence_number: String,
}

/// Item of the outbox that is due.
enum Due {
    /// Mail of this user.
    Mail(UserId),
    /// Notice of this webhook, with its id.
    Notice(WebhookId, String),
}

/// Serves one event. Any event that is neither a batch of the stream nor feedback of SES is a call to sweep. After an error, Lambda
/// hands feedback over again.
pub async fn handle(processor: &OutboxProcessor, event: &Value, deadline: Deadline) -> Result<BatchResponse, Error> {
    match deadline.time_left() {
        Some(left) => with_retries_for(left.saturating_sub(ANSWER_TIME), serve(processor, event, deadline)).await,
        None => serve(processor, event, deadline).await,
    }
}

async fn serve(processor: &OutboxProcessor, event: &Value, deadline: Deadline) -> Result<BatchResponse, Error> {
    if let Some(records) = event.get("Records").and_then(Value::as_array) {
        return Ok(deliver_records(processor, records, deadline).await);
    }
    if feedback::is_feedback(event) {
        let received = feedback::receive(&processor.users, event).await;
        received.inspect_err(|error| telemetry::log_background_error("mark_address", error))?;
        return Ok(BatchResponse::default());
    }
    let swept = sweep(processor, deadline).await;
    swept.inspect_err(|error| telemetry::log_background_error("sweep_outbox", error))?;
    Ok(BatchResponse::default())
}

fn has_time(deadline: Deadline) -> bool {
    deadline.time_left().is_none_or(|left| left > DELIVERY_TIME)
}

/// Delivers the messages of the records. The response names those that there is no time for, or whose delivery failed: they come
/// again. Records about anything else are skipped.
async fn deliver_records(processor: &OutboxProcessor, records: &[Value], deadline: Deadline) -> BatchResponse {
    let now = processor.clock.now().as_millisecond();
    let due = records.iter().filter_map(|record| parse_record(record, now));
    let deliveries = due.map(|record| async move {
        let is_done = has_time(deadline) && record.due.serve(processor).await;
        (!is_done).then_some(record.sequence_number)
    });
    let failed = stream::iter(deliveries.collect::<Vec<_>>()).buffered(IN_FLIGHT);
    BatchResponse::failed(failed.filter_map(std::future::ready).collect::<Vec<_>>().await)
}

/// Parses a record about a message that is due by `now`, in milliseconds since 1970; `None` for any other record.
fn parse_record(record: &Value, now: i64) -> Option<StreamRecord> {
    let change = record.get("dynamodb")?;
    let text = |item: &str, name: &str| change.get(item)?.get(name)?.get("S")?.as_str();
    let due_at: i64 = change.get("NewImage")?.get("due_at")?.get("N")?.as_str()?.parse().ok()?;
    if !text("Keys", "sk")?.starts_with(MAIL_SK_PREFIX) || due_at > now {
        return None;
    }
    let due = match text("Keys", "pk")?.strip_prefix(NOTICE_PK_PREFIX) {
        // A mailer at work changes the notice, which shall not wake another one.
        Some(_) if record.get("eventName")? != "INSERT" => return None,
        Some(webhook) => Due::Notice(WebhookId::parse(webhook)?, text("Keys", "sk")?.to_owned()),
        None => Due::Mail(UserId::parse(text("NewImage", "user_id")?)?),
    };
    Some(StreamRecord { due, sequence_number: change.get("SequenceNumber")?.as_str()?.to_owned() })
}

impl Due {
    /// Serves the item. False after a failure, which is logged.
    async fn serve(self, processor: &OutboxProcessor) -> bool {
        match self {
            Self::Mail(user_id) => try_deliver(processor, user_id).await.is_some(),
            Self::Notice(webhook, id) => tell_admins(processor, webhook, &id).await,
        }
    }
}

/// Puts the mails of a notice into the outbox. False after a failure, which is logged.
async fn tell_admins(processor: &OutboxProcessor, webhook: WebhookId, id: &str) -> bool {
    // On the heap: the SDK's futures are large.
    let told = Box::pin(processor.tell_admins(webhook, id)).await;
    told.inspect_err(|error| telemetry::log_background_error("tell_admins", error)).is_ok()
}

/// Messages that a sweep found.
#[derive(Default)]
struct SweptMessages {
    /// Messages that are due, the longest due first.
    due: Vec<OutboxMessage>,
    /// Longest time for which a message could have been sent by now.
    age: SignedDuration,
}

/// Reads all messages and notices that wait, and puts the mails of the notices. Then reports the age, and delivers the messages that are
/// due, as long as there is time. A sweep that cannot read reports nothing: the alarm takes silence for the worst.
async fn sweep(processor: &OutboxProcessor, deadline: Deadline) -> Result<(), Error> {
    let SweptMessages { due, age } = list_due(processor, deadline).await?;
    log_metric(Metric::OutboxAgeSeconds, age.as_secs_f64());
    let deliveries = due.into_iter().map(|message| async move {
        if has_time(deadline) {
            deliver_swept(processor, &message).await;
        }
    });
    stream::iter(deliveries).buffer_unordered(IN_FLIGHT).collect::<Vec<_>>().await;
    Ok(())
}

async fn list_due(processor: &OutboxProcessor, deadline: Deadline) -> Result<SweptMessages, Error> {
    let now = processor.clock.now();
    let (mut swept, mut start) = (SweptMessages::default(), None);
    for _ in 0..MAX_PAGES {
        let OutboxPage { messages, notices, unreadable, next } = processor.outbox.list_waiting(start).await?;
        for message in unreadable {
            set_aside(processor, &message).await;
        }
        for notice in notices {
            swept.age = swept.age.max(now.duration_since(notice.created_at));
            if has_time(deadline) {
                tell_admins(processor, notice.webhook.id, &notice.id).await;
            }
        }
        for message in messages {
            swept.age = swept.age.max(message.overdue(now));
            if message.is_due(now) && swept.due.len() < MAX_DUE {
                swept.due.push(message);
            }
        }
        start = next;
        if start.is_none() {
            return Ok(swept);
        }
    }
    tracing::warn!(pages = MAX_PAGES, "more mails wait than a sweep looks at");
    Ok(swept)
}

/// Takes an unreadable message out of the way of those behind it, and reports it to the log and to the alarm.
async fn set_aside(processor: &OutboxProcessor, message: &UnreadableMessage) {
    match processor.outbox.set_aside(message).await {
        Ok(()) => {
            tracing::error!(mail = message.id(), of = message.partition(), "a mail cannot be read and was set aside");
            log_metric(Metric::MailsFailed, 1.0);
        }
        Err(error) => telemetry::log_background_error("set_mail_aside", &error),
    }
}

/// Delivers a message that the sweep found, or removes it if it belongs to nobody.
async fn deliver_swept(processor: &OutboxProcessor, message: &OutboxMessage) {
    if try_deliver(processor, message.user_id).await != Some(DeliveryOutcome::Nothing) {
        return;
    }
    if let Err(error) = processor.remove_orphan(message).await {
        telemetry::log_background_error("remove_mail", &error);
    }
}

/// Delivers the mail of a user. Returns the outcome, or `None` after a failure, which is logged.
async fn try_deliver(processor: &OutboxProcessor, user_id: UserId) -> Option<DeliveryOutcome> {
    // On the heap: the SDK's futures are large.
    match Box::pin(processor.deliver(user_id)).await {
        Ok(DeliveryOutcome::Nothing) => Some(DeliveryOutcome::Nothing),
        Ok(outcome) => {
            if outcome == DeliveryOutcome::Sent {
                log_metric(Metric::InvitationsSent, 1.0);
            }
            tracing::info!(%user_id, outcome = ?outcome, "mail");
            Some(outcome)
        }
        Err(error) => {
            telemetry::log_background_error("deliver_mail", &error);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_records_about_items_that_are_due_are_served() {
        let record = |name: &str, pk: &str, sk: &str, due_at: i64| {
            let keys = json!({ "pk": { "S": pk }, "sk": { "S": sk } });
            let image = json!({ "due_at": { "N": due_at.to_string() }, "user_id": { "S": "7" } });
            json!({ "eventName": name, "dynamodb": { "Keys": keys, "NewImage": image, "SequenceNumber": "1" } })
        };
        let (mail, notice) = (format!("{MAIL_SK_PREFIX}1"), format!("{NOTICE_PK_PREFIX}1-900000000000"));
        for (name, pk, sk, due_at, is_served) in [
            ("INSERT", "USER#7", &*mail, 999, true),
            ("MODIFY", "USER#7", &*mail, 1_000, true),
            ("INSERT", "USER#7", &*mail, 1_001, false),
            ("INSERT", "USER#7", "USER", 999, false),
            ("INSERT", &*notice, &*mail, 1_000, true),
            ("MODIFY", &*notice, &*mail, 1_000, false),
        ] {
            let parsed = parse_record(&record(name, pk, sk, due_at), 1_000);
            assert_eq!(parsed.is_some(), is_served, "{name} {pk} {sk} {due_at}");
        }
    }
}
