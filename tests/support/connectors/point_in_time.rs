//! Connector that gives the embedded database point-in-time recovery: copies of its tables, and tables that are restored from them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use aws_sdk_dynamodb::Client;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use jiff::Timestamp;
use presence_store::schema::{TABLES, Table};
use serde_json::{Value, json};

use super::{Answer, ConnectorLayer, Next};
use crate::wire::{Call, Item, RecordedReply, put_all, sdk_config};

/// Connector that answers the calls of point-in-time recovery. Clones share one state.
#[derive(Clone)]
pub struct PointInTimeConnector {
    shared: Arc<Shared>,
}

struct Shared {
    /// Client of the database without this connector.
    client: Client,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Contents of the tables by full name, at an instant.
    copies: BTreeMap<Timestamp, HashMap<String, Vec<Item>>>,
    /// Tables whose recovery is on.
    recoverable: BTreeSet<String>,
    restored: HashMap<String, RestoredTable>,
    /// True if restored tables can be used and changed at once.
    is_fast: bool,
}

struct RestoredTable {
    source: String,
    at: i64,
    /// True until its first description, which tells that it cannot be used yet.
    is_unfinished: bool,
    /// True after the first, refused attempt to switch its recovery on.
    was_too_new: bool,
}

impl PointInTimeConnector {
    /// Returns a connector for a database without copies.
    pub fn new(database_url: &str) -> Self {
        let client = Client::from_conf(sdk_config(database_url));
        Self { shared: Arc::new(Shared { client, state: Mutex::default() }) }
    }

    /// Copies tables as they are, for restores to this instant and later ones. Their recovery is on from now on.
    ///
    /// # Panics
    /// Panics if the database does not answer.
    pub async fn take_copy(&self, at: Timestamp, tables: &[String]) {
        let mut copies = HashMap::new();
        for table in tables {
            let mut pages = self.shared.client.scan().table_name(table).into_paginator().items().send();
            let mut items = Vec::new();
            while let Some(item) = pages.next().await {
                items.push(item.expect("the database answers"));
            }
            copies.insert(table.clone(), items);
        }
        let mut state = self.shared.state();
        state.recoverable.extend(tables.iter().cloned());
        state.copies.insert(at, copies);
    }

    /// Lets restored tables be used and changed at once from now on. In AWS they take a while.
    pub fn hurry(&self) {
        self.shared.state().is_fast = true;
    }

    /// Switches the recovery of a table off.
    pub fn switch_off(&self, table: &str) {
        self.shared.state().recoverable.remove(table);
    }

    /// True if the recovery of a table is on.
    pub fn is_on(&self, table: &str) -> bool {
        self.shared.state().recoverable.contains(table)
    }
}

impl ConnectorLayer for PointInTimeConnector {
    async fn call(&self, request: HttpRequest, next: Next) -> Answer {
        let call = Call::read(&request);
        let table = call.body["TableName"].as_str().unwrap_or_default();
        match call.operation.as_str() {
            "DescribeContinuousBackups" => self.shared.describe_backups(table).into_response(),
            "UpdateContinuousBackups" => self.shared.switch_on(table).into_response(),
            "RestoreTableToPointInTime" => self.shared.restore(&call.body).await.into_response(),
            "DescribeTable" => {
                let mut reply = RecordedReply::of(&next, request).await?;
                self.shared.add_restore_summary(table, &mut reply);
                reply.into_response()
            }
            _ => next.call(request).await,
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn describe_backups(&self, table: &str) -> RecordedReply {
        let state = self.state();
        let mut recovery = json!({ "PointInTimeRecoveryStatus": "DISABLED" });
        let instants = state.copies.keys().next().zip(state.copies.keys().last());
        if let Some((earliest, latest)) = instants.filter(|_| state.recoverable.contains(table)) {
            recovery = json!({
                "PointInTimeRecoveryStatus": "ENABLED",
                "EarliestRestorableDateTime": earliest.as_second(),
                "LatestRestorableDateTime": latest.as_second(),
            });
        }
        let backups = json!({ "ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery });
        RecordedReply::success(&json!({ "ContinuousBackupsDescription": backups }))
    }

    /// Switches the recovery of a table on. A restored table is too new at first, as in AWS.
    fn switch_on(&self, table: &str) -> RecordedReply {
        let mut state = self.state();
        if let Some(restored) = state.restored.get_mut(table).filter(|restored| !restored.was_too_new) {
            restored.was_too_new = true;
            let message = "Backups are being enabled for the table. Please retry later";
            return RecordedReply::error(400, "ContinuousBackupsUnavailableException", json!({ "message": message }));
        }
        state.recoverable.insert(table.to_owned());
        drop(state);
        self.describe_backups(table)
    }

    /// Makes a table from the last copy before the instant. It has neither stream nor expiry of items, as in AWS.
    async fn restore(&self, body: &Value) -> RecordedReply {
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let (source, target) = (text("SourceTableName"), text("TargetTableName"));
        let second = body["RestoreDateTime"].as_f64().unwrap_or_default();
        #[expect(clippy::cast_possible_truncation, reason = "the seconds of a test are whole and small")]
        let second = second as i64;
        let at = Timestamp::from_second(second).expect("an instant");
        let copy = self.state().copies.range(..=at).next_back().and_then(|(_, tables)| tables.get(&source).cloned());
        let Some(items) = copy else {
            return RecordedReply::error(
                400,
                "InvalidRestoreTimeException",
                json!({ "message": "outside the window" }),
            );
        };
        let schema = TABLES.iter().find(|table| source.ends_with(table.name)).expect("a table of the service");
        let bare = Table { stream: None, ..*schema };
        if bare.create(&self.client, &target).send().await.is_err() {
            return RecordedReply::error(400, "TableAlreadyExistsException", json!({ "message": "it is there" }));
        }
        put_all(&self.client, &target, items).await;
        let mut state = self.state();
        let is_fast = state.is_fast;
        let restored = RestoredTable { source, at: second, is_unfinished: !is_fast, was_too_new: is_fast };
        state.restored.insert(target.clone(), restored);
        RecordedReply::success(&json!({ "TableDescription": { "TableName": target, "TableStatus": "CREATING" } }))
    }

    /// Adds to the description of a restored table where it comes from. The first looks find it unfinished.
    fn add_restore_summary(&self, table: &str, reply: &mut RecordedReply) {
        let mut state = self.state();
        let Some(restored) = state.restored.get_mut(table).filter(|_| reply.is_success()) else { return };
        let mut body: Value = serde_json::from_slice(&reply.body).expect("JSON");
        let is_unfinished = std::mem::take(&mut restored.is_unfinished);
        body["Table"]["RestoreSummary"] = json!({
            "SourceTableArn": format!("arn:aws:dynamodb:eu-west-1:000000000000:table/{}", restored.source),
            "RestoreDateTime": restored.at,
            "RestoreInProgress": is_unfinished,
        });
        if is_unfinished {
            body["Table"]["TableStatus"] = json!("CREATING");
        }
        reply.body = body.to_string().into_bytes();
    }
}
