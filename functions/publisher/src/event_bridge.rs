//! Bus of `EventBridge`.
//!
//! Protocol: <https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html>. A call of 200 may have taken some of the
//! events only: `FailedEntryCount` and the codes of the entries say so.

use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_runtime::aws::{AnswerBody, Service};
use serde::Deserialize;
use serde_json::json;

use crate::bus::{Bus, PutError};
use crate::wire::{BusEntry, SOURCE};

/// Bus of `EventBridge`, by its name. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EventBridge {
    service: Service,
    bus: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PutEventsAnswer {
    entries: Vec<EntryResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EntryResult {
    error_code: Option<String>,
}

impl EventBridge {
    /// Builds a client of the bus of this name. Makes no call.
    pub fn new(config: &SdkConfig, bus: String) -> Self {
        Self { service: Service::new(config, "events", "events", AnswerBody::Whole), bus }
    }

    async fn put_events(&self, entries: &[BusEntry]) -> Result<Vec<Option<String>>, PutError> {
        let sent = entries.iter().map(|entry| {
            json!({
                "EventBusName": self.bus,
                "Source": SOURCE,
                "DetailType": entry.detail_type,
                "Detail": entry.detail,
                "Time": entry.time.as_second(),
            })
        });
        let input = json!({"Entries": sent.collect::<Vec<_>>()});
        let answer = self.service.call_json("AWSEvents.PutEvents", "1.1", &input).await;
        let PutEventsAnswer { entries: results } = answer.map_err(|error| PutError::of_call(&error))?;
        if results.len() != entries.len() {
            return Err(PutError("IncompleteAnswer".to_owned()));
        }
        Ok(results.into_iter().map(|one| one.error_code).collect())
    }
}

impl Bus for EventBridge {
    type Entry = BusEntry;

    fn put<'a>(&'a self, entries: &'a [BusEntry]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        self.put_events(entries).boxed()
    }
}
