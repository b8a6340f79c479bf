//! Bus of `EventBridge`.
//!
//! Protocol: <https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html>. A call of 200 may have taken some of the
//! events only: `FailedEntryCount` and the codes of the entries say so.

use aws_sdk_eventbridge::Client;
use aws_sdk_eventbridge::error::{ProvideErrorMetadata as _, SdkError};
use aws_sdk_eventbridge::operation::put_events::PutEventsError;
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use aws_smithy_types::DateTime;
use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use presence_publisher::{Bus, BusEntry, PutError, SOURCE};

/// Bus of `EventBridge`, by its name. Cheap to clone.
#[derive(Clone, Debug)]
pub struct EventBridge {
    client: Client,
    bus: String,
}

impl EventBridge {
    /// Builds a client of the bus of this name. Makes no call.
    #[must_use]
    pub fn new(config: &SdkConfig, bus: String) -> Self {
        Self { client: Client::new(config), bus }
    }

    fn entry(&self, entry: &BusEntry) -> PutEventsRequestEntry {
        PutEventsRequestEntry::builder()
            .event_bus_name(&self.bus)
            .source(SOURCE)
            .detail_type(entry.detail_type)
            .detail(&entry.detail)
            .time(DateTime::from_secs(entry.time.as_second()))
            .build()
    }

    async fn put_events(&self, entries: &[BusEntry]) -> Result<Vec<Option<String>>, PutError> {
        let sent = entries.iter().map(|entry| self.entry(entry)).collect();
        let answer = self.client.put_events().set_entries(Some(sent)).send().await.map_err(|error| code(&error))?;
        if answer.entries().len() != entries.len() {
            return Err(PutError("IncompleteAnswer".to_owned()));
        }
        Ok(answer.entries().iter().map(|one| one.error_code().map(str::to_owned)).collect())
    }
}

impl Bus for EventBridge {
    fn put<'a>(&'a self, entries: &'a [BusEntry]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        self.put_events(entries).boxed()
    }
}

/// Returns the code of a failure, which never has the content of an event.
fn code(error: &SdkError<PutEventsError>) -> PutError {
    let kind = match error {
        SdkError::TimeoutError(_) => "Timeout",
        SdkError::DispatchFailure(_) => "NoConnection",
        SdkError::ConstructionFailure(_) => "InvalidRequest",
        _ => "InvalidAnswer",
    };
    PutError(error.code().unwrap_or(kind).to_owned())
}
