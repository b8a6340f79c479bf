//! FIFO queue of SQS.

use std::collections::HashSet;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{MessageAttributeValue, SendMessageBatchRequestEntry};
use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_ingest::{Queue, QueueMessage, calls};

use crate::failed;

/// Maximum number of attempts to send the messages of a call that SQS took only in part.
const MAX_ATTEMPTS: usize = 3;

/// FIFO queue of SQS.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    client: Client,
    url: String,
}

impl SqsQueue {
    /// Builds the client of the queue with this URL. Makes no call.
    #[must_use]
    pub fn new(config: &SdkConfig, url: String) -> Self {
        Self { client: Client::new(config), url }
    }

    async fn send_all(&self, messages: &[QueueMessage]) -> Result<(), Error> {
        for call in calls(messages) {
            self.send_call(call).await?;
        }
        Ok(())
    }

    /// Sends the messages of one call, and those again that SQS did not take.
    async fn send_call(&self, messages: &[QueueMessage]) -> Result<(), Error> {
        let mut entries = messages.iter().enumerate().map(entry).collect::<Result<Vec<_>, _>>()?;
        for _ in 0..MAX_ATTEMPTS {
            let call = self.client.send_message_batch().queue_url(&self.url).set_entries(Some(entries.clone()));
            let output = call.send().await.map_err(failed)?;
            if output.failed.is_empty() {
                return Ok(());
            }
            if let Some(wrong) = output.failed.iter().find(|failure| failure.sender_fault) {
                return Err(Error::internal(format!("SQS refused a message: {}", wrong.code)));
            }
            let failed: HashSet<String> = output.failed.into_iter().map(|failure| failure.id).collect();
            entries.retain(|entry| failed.contains(entry.id()));
        }
        Err(Error::Unavailable("SQS did not take all messages of a batch".into()))
    }
}

impl Queue for SqsQueue {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        self.send_all(messages).boxed()
    }
}

fn entry((number, message): (usize, &QueueMessage)) -> Result<SendMessageBatchRequestEntry, Error> {
    let mut entry = SendMessageBatchRequestEntry::builder()
        .id(number.to_string())
        .message_body(&message.body)
        .message_group_id(&message.group_id)
        .message_deduplication_id(&message.deduplication_id);
    for (name, value) in &message.attributes {
        let value = MessageAttributeValue::builder().data_type("String").string_value(value);
        entry = entry.message_attributes(name, value.build().map_err(Error::internal)?);
    }
    entry.build().map_err(Error::internal)
}
