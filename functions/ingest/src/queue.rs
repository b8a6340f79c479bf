//! FIFO queue of SQS: <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html>.

use std::collections::HashSet;

use aws_types::SdkConfig;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_runtime::aws::{AnswerBody, Service, code_of};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::calls::calls;
use crate::failed_call;
use crate::outside::{GivenBack, Queue, QueueMessage};

/// Maximum number of attempts to send the messages of a call that SQS took only in part.
const MAX_ATTEMPTS: usize = 3;

/// FIFO queue of SQS.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    service: Service,
    url: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct BatchAnswer {
    /// Left out if SQS took all messages.
    #[serde(default)]
    failed: Vec<FailedEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct FailedEntry {
    id: String,
    code: String,
    sender_fault: bool,
}

impl SqsQueue {
    /// Builds the client of the queue with this URL. Makes no call.
    #[must_use]
    pub fn new(config: &SdkConfig, url: String) -> Self {
        Self { service: Service::new(config, "sqs", "sqs", AnswerBody::Whole), url }
    }

    async fn send_all(&self, messages: &[QueueMessage]) -> Result<(), Error> {
        for call in calls(messages) {
            self.send_call(call).await?;
        }
        Ok(())
    }

    /// Sends the messages of one call, and those again that SQS did not take.
    async fn send_call(&self, messages: &[QueueMessage]) -> Result<(), Error> {
        let mut entries: Vec<_> = (0..).map(|id: usize| id.to_string()).zip(messages).collect();
        for _ in 0..MAX_ATTEMPTS {
            let sent = entries.iter().map(|(id, message)| entry(id, message)).collect::<Vec<_>>();
            let input = json!({"QueueUrl": self.url, "Entries": sent});
            let answer = self.service.call_json("AmazonSQS.SendMessageBatch", "1.0", &input).await;
            let BatchAnswer { failed } = answer.map_err(|error| failed_call(error, code_of))?;
            if failed.is_empty() {
                return Ok(());
            }
            if let Some(wrong) = failed.iter().find(|failure| failure.sender_fault) {
                return Err(Error::internal(format!("SQS refused a message: {}", wrong.code)));
            }
            let failed: HashSet<String> = failed.into_iter().map(|failure| failure.id).collect();
            entries.retain(|(id, _)| failed.contains(id));
        }
        Err(Error::Unavailable("SQS did not take all messages of a batch".into()))
    }

    async fn give_all_back(&self, messages: &[GivenBack]) -> Result<(), Error> {
        let entry = |(id, message): (usize, &GivenBack)| {
            let GivenBack { receipt_handle, after } = message;
            json!({"Id": id.to_string(), "ReceiptHandle": receipt_handle, "VisibilityTimeout": after.as_secs()})
        };
        let entries: Vec<_> = messages.iter().enumerate().map(entry).collect();
        let input = json!({"QueueUrl": self.url, "Entries": entries});
        let answer = self.service.call_json("AmazonSQS.ChangeMessageVisibilityBatch", "1.0", &input).await;
        let BatchAnswer { failed } = answer.map_err(|error| failed_call(error, code_of))?;
        match failed.first() {
            Some(failure) => Err(Error::Unavailable(format!("SQS took no message back: {}", failure.code).into())),
            None => Ok(()),
        }
    }
}

impl Queue for SqsQueue {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        self.send_all(messages).boxed()
    }

    fn give_back<'a>(&'a self, messages: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        self.give_all_back(messages).boxed()
    }
}

fn entry(id: &str, message: &QueueMessage) -> Value {
    let attribute =
        |(name, value): (&String, &String)| (name.clone(), json!({"DataType": "String", "StringValue": value}));
    json!({
        "Id": id,
        "MessageBody": message.body,
        "MessageGroupId": message.group_id,
        "MessageDeduplicationId": message.deduplication_id,
        "MessageAttributes": message.attributes.iter().map(attribute).collect::<serde_json::Map<_, _>>(),
    })
}
