//! Messages that make a deliverer look at a webhook.

use std::time::Duration;

use presence_domain::error::Error;
use presence_domain::webhook::WebhookId;
use presence_runtime::aws::SqsQueue;

/// Largest number of messages in a call of SQS.
const CALL: usize = 10;

/// Message that makes a deliverer look at a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wake {
    /// Webhook.
    pub id: WebhookId,
    /// Time until the message arrives.
    pub delay: Duration,
}

/// Queue of messages. They may arrive twice.
pub trait Wakes: Send + Sync + 'static {
    /// Sends messages.
    fn send(&self, wakes: &[Wake]) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Queue of SQS.
#[derive(Clone, Debug)]
pub struct SqsWakes(pub SqsQueue);

impl Wakes for SqsWakes {
    async fn send(&self, wakes: &[Wake]) -> Result<(), Error> {
        for call in wakes.chunks(CALL) {
            let messages: Vec<_> = call.iter().map(|wake| (wake.id.to_string(), wake.delay)).collect();
            let refusals = self.0.send_delayed(&messages).await.map_err(Error::internal)?;
            if let Some(refusal) = refusals.into_iter().flatten().next() {
                return Err(Error::internal(format!("SQS did not take a message: {}", refusal.code)));
            }
        }
        Ok(())
    }
}
