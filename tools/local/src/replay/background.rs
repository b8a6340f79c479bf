//! Functions that no request invokes: mailer, auditor, publisher, deliverer and ingest, on the tables of a stack.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::bail;
use presence_deliverer::{Deliverer, HttpSender, StoredTables, Wake, Wakes};
use presence_domain::error::Error;
use presence_domain::webhook::WebhookReach;
use presence_ingest::Ingest;
use presence_mailer::OutboxProcessor;
use presence_runtime::clock::Deadline;
use presence_runtime::config::AuditConfig;
use presence_store::{AuditSettings, FeedStore};
use serde_json::{Map, Value, json};

use super::Event;
use crate::Stack;
use crate::inbox::{FolderObjects, LocalQueue};

/// Rows of the object that the event of a new object names.
const ROWS: &str = include_str!("../../sample/reviews.jsonl");
/// Path of that object below the folder in the place of the bucket.
const OBJECT: &str = "inbox/partner 8/may.jsonl";

/// Invokes a function that no request invokes. Returns its answer, and what it did beside the tables.
///
/// # Errors
/// Returns an error if there is no such function, or if it has no answer.
pub async fn answer_in_background(stack: &Stack, event: &Event, deadline: Deadline) -> anyhow::Result<Value> {
    let (stores, document) = (stack.stores(), &event.document);
    match event.function {
        "mailer" => deliver(stack, stack.outbox(), document, deadline).await,
        "publisher" => Ok(publish(stack, &stores.feed, document, deadline).await),
        "auditor" => audit(stack, deadline).await,
        "deliverer" => send(stack, document, deadline).await,
        "ingest" => ingest(stack, document, deadline).await,
        other => bail!("{other} is invoked by requests"),
    }
}

/// Returns the answer of the mailer, and the mails that it sent.
///
/// # Errors
/// Returns an error if the mailer has no answer.
pub async fn deliver(
    stack: &Stack,
    mailer: &OutboxProcessor,
    event: &Value,
    deadline: Deadline,
) -> anyhow::Result<Value> {
    let before = stack.mailbox().mails().len();
    let answer = presence_mailer::handle(mailer, event, deadline).await?;
    let mails = stack.mailbox().mails();
    let mut mails: Vec<_> =
        mails[before..].iter().map(|mail| json!({ "to": mail.to, "subject": mail.subject })).collect();
    mails.sort_by_key(ToString::to_string);
    Ok(json!({ "answer": answer, "mails": mails }))
}

/// Returns the answer of the publisher, and the events that it sent to the bus.
pub async fn publish(stack: &Stack, feed: &FeedStore, event: &Value, deadline: Deadline) -> Value {
    let before = stack.events().events().len();
    let clock = &stack.outbox().clock;
    let answer = presence_publisher::fan_out(&stack.event_bus, feed, clock.as_ref(), event, deadline).await;
    json!({ "answer": answer, "events": stack.events().events().split_off(before) })
}

/// Returns the answer of the auditor.
async fn audit(stack: &Stack, deadline: Deadline) -> anyhow::Result<Value> {
    let config = AuditConfig::parse("", "")?;
    let settings = AuditSettings::new(config.units, config.mends);
    let clock = &stack.outbox().clock;
    let run = presence_auditor::handle(&stack.stores().reviews, clock.as_ref(), settings, deadline).await?;
    Ok(serde_json::to_value(run)?)
}

/// Queue of the deliverer that keeps its messages.
#[derive(Debug, Default)]
pub struct KeptWakes(Mutex<Vec<Wake>>);

impl KeptWakes {
    /// Returns the number of messages.
    pub fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

impl Wakes for KeptWakes {
    async fn send(&self, wakes: &[Wake]) -> Result<(), Error> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(wakes);
        Ok(())
    }
}

/// Returns the answer of the deliverer, and the number of messages that it sent to its queue.
async fn send(stack: &Stack, event: &Value, deadline: Deadline) -> anyhow::Result<Value> {
    let (stores, clock) = (stack.stores(), &stack.outbox().clock);
    let deliverer = Deliverer {
        tables: StoredTables { webhooks: stores.webhooks.clone(), feed: stores.feed.clone() },
        sender: Arc::new(HttpSender::new(WebhookReach::ThisMachine, Arc::clone(clock))),
        clock: Arc::clone(clock),
    };
    let queue = KeptWakes::default();
    let answer = Box::pin(presence_deliverer::handle(&deliverer, &queue, event, deadline)).await?;
    Ok(json!({ "answer": answer, "messages": queue.count() }))
}

/// Returns the answer of ingest, and the reports that it wrote once it has taken its own messages, too. The bucket has the object that the
/// events name.
async fn ingest(stack: &Stack, event: &Value, deadline: Deadline) -> anyhow::Result<Value> {
    let folder = tempfile::tempdir()?;
    let objects = FolderObjects::open(folder.path())?;
    let object = folder.path().join(OBJECT);
    object.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    std::fs::write(object, ROWS)?;
    let queue = Arc::new(LocalQueue::default());
    let function = Ingest::new(&stack.stores().database, Arc::new(objects), Arc::clone(&queue) as _);
    let answer = presence_ingest::handle(&function, event, deadline).await?;
    while !queue.is_idle() {
        let batch = queue.receive().await;
        let outcome = presence_ingest::handle(&function, &batch.event(), deadline).await?;
        queue.record_outcome(batch, Some(&outcome));
    }
    let mut reports = Map::new();
    for kind in ["done", "rejected"] {
        collect(folder.path(), &folder.path().join(kind), &mut reports)?;
    }
    Ok(json!({ "answer": answer, "reports": reports }))
}

/// Collects the files below a folder, with their paths below the root.
fn collect(root: &Path, folder: &Path, files: &mut Map<String, Value>) -> anyhow::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for file in std::fs::read_dir(folder)? {
        let path = file?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            files.insert(name, Value::String(std::fs::read_to_string(&path)?));
        }
    }
    Ok(())
}
