//! Queue of SQS: <https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html>.

use std::collections::BTreeMap;
use std::time::Duration;

use aws_types::SdkConfig;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::service::{AnswerBody, CallError, Service};

/// Queue of SQS.
#[derive(Clone, Debug)]
pub struct SqsQueue {
    service: Service,
    url: String,
}

/// Message of a FIFO queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueMessage {
    /// Group, in which messages keep their order.
    pub group_id: String,
    /// Text that makes the queue drop a second sending within five minutes.
    pub deduplication_id: String,
    /// Body.
    pub body: String,
    /// Attributes by name, all of type `String`.
    pub attributes: BTreeMap<String, String>,
}

/// Error of one message of a call. Occurs when SQS does not take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedMessageError {
    /// Code of the reason.
    pub code: String,
    /// True if SQS refuses the message every time.
    pub is_final: bool,
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

impl QueueMessage {
    /// Returns the bytes of the message as the queue counts them: of its body, and of its attributes with names and types.
    pub fn size(&self) -> usize {
        let attributes = self.attributes.iter().map(|(name, value)| name.len() + value.len() + "String".len());
        self.body.len() + attributes.sum::<usize>()
    }

    fn entry(&self, id: usize) -> Value {
        let attribute =
            |(name, value): (&String, &String)| (name.clone(), json!({"DataType": "String", "StringValue": value}));
        json!({
            "Id": id.to_string(),
            "MessageBody": self.body,
            "MessageGroupId": self.group_id,
            "MessageDeduplicationId": self.deduplication_id,
            "MessageAttributes": self.attributes.iter().map(attribute).collect::<Map<_, _>>(),
        })
    }
}

impl SqsQueue {
    /// Builds the client of the queue with this URL. Makes no call.
    pub fn new(config: &SdkConfig, url: String) -> Self {
        Self { service: Service::new(config, "sqs", "sqs", AnswerBody::Whole), url }
    }

    /// Sends the messages of one call: ten at most, and 256 KB. Returns for each of them `None`, or why SQS did not take it.
    pub async fn send_call(&self, messages: &[&QueueMessage]) -> Result<Vec<Option<RefusedMessageError>>, CallError> {
        let entries: Vec<_> = messages.iter().enumerate().map(|(id, message)| message.entry(id)).collect();
        self.call_batch("AmazonSQS.SendMessageBatch", &entries).await
    }

    /// Sends texts to a queue that is not FIFO, each after a delay of 15 minutes at most: ten texts at most. Returns for each of them
    /// `None`, or why SQS did not take it.
    pub async fn send_delayed(
        &self,
        texts: &[(String, Duration)],
    ) -> Result<Vec<Option<RefusedMessageError>>, CallError> {
        let entries: Vec<_> = texts
            .iter()
            .enumerate()
            .map(|(id, (text, delay))| json!({"Id": id.to_string(), "MessageBody": text, "DelaySeconds": delay.as_secs()}))
            .collect();
        self.call_batch("AmazonSQS.SendMessageBatch", &entries).await
    }

    /// Lets received messages be received again after these times: ten at most, each by the handle of its receive. Returns for each of
    /// them `None`, or why SQS refused.
    pub async fn change_visibility(
        &self,
        messages: &[(&str, Duration)],
    ) -> Result<Vec<Option<RefusedMessageError>>, CallError> {
        let entries: Vec<_> = messages
            .iter()
            .enumerate()
            .map(|(id, (receipt_handle, after))| {
                let seconds = after.as_secs();
                json!({"Id": id.to_string(), "ReceiptHandle": receipt_handle, "VisibilityTimeout": seconds})
            })
            .collect();
        self.call_batch("AmazonSQS.ChangeMessageVisibilityBatch", &entries).await
    }

    /// Makes a call for each of these entries, whose ids are their positions.
    async fn call_batch(
        &self,
        target: &'static str,
        entries: &[Value],
    ) -> Result<Vec<Option<RefusedMessageError>>, CallError> {
        let input = json!({"QueueUrl": self.url, "Entries": entries});
        let BatchAnswer { failed } = self.service.call_json(target, "1.0", &input).await?;
        let mut refusals: BTreeMap<_, _> = failed.into_iter().map(FailedEntry::into_error).collect();
        Ok((0..entries.len()).map(|id| refusals.remove(&id.to_string())).collect())
    }
}

impl FailedEntry {
    fn into_error(self) -> (String, RefusedMessageError) {
        (self.id, RefusedMessageError { code: self.code, is_final: self.sender_fault })
    }
}

#[cfg(test)]
mod tests {
    use super::super::scripted::Script;
    use super::*;

    #[tokio::test]
    async fn each_entry_of_a_call_is_taken_or_refused() {
        const REFUSED: &str = r#"{"Failed":[{"Id":"1","Code":"InternalError","SenderFault":false}]}"#;
        let script = Script::new(&[(200, &[], "{}"), (200, &[], REFUSED), (200, &[], REFUSED), (200, &[], "no JSON")]);
        let queue = SqsQueue::new(&script.config(None), "https://queue".to_owned());
        let refused = || Some(RefusedMessageError { code: "InternalError".to_owned(), is_final: false });
        let message = QueueMessage {
            group_id: "g".to_owned(),
            deduplication_id: "d".to_owned(),
            body: "b".to_owned(),
            attributes: [("k".to_owned(), "v".to_owned())].into(),
        };
        assert_eq!((message.size(), queue.send_call(&[&message]).await.expect("an answer")), (9, vec![None]));
        let texts = ["a", "b"].map(|text| (text.to_owned(), Duration::from_mins(1)));
        assert_eq!(queue.send_delayed(&texts).await.expect("an answer"), [None, refused()]);
        let handles = [("h1", Duration::from_secs(1)), ("h2", Duration::from_secs(2))];
        assert_eq!(queue.change_visibility(&handles).await.expect("an answer"), [None, refused()]);
        assert!(queue.change_visibility(&handles).await.is_err(), "an answer that is no JSON");
        let requests: Vec<Value> =
            script.requests().iter().map(|(_, body)| serde_json::from_str(body).expect("JSON")).collect();
        let sent = json!({"Id": "0", "MessageBody": "b", "MessageGroupId": "g", "MessageDeduplicationId": "d",
            "MessageAttributes": {"k": {"DataType": "String", "StringValue": "v"}}});
        assert_eq!(requests[0], json!({"QueueUrl": "https://queue", "Entries": [sent]}));
        assert_eq!(requests[1]["Entries"][1], json!({"Id": "1", "MessageBody": "b", "DelaySeconds": 60}));
        assert_eq!(requests[2]["Entries"][1], json!({"Id": "1", "ReceiptHandle": "h2", "VisibilityTimeout": 2}));
    }
}
