//! Sending of any number of messages to a FIFO queue of SQS.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use presence_domain::error::Error;
use presence_runtime::aws::{QueueMessage, SqsQueue, code_of};

use crate::calls::calls;
use crate::failed_call;
use crate::outside::{GivenBack, Queue};

/// Maximum number of attempts to send the messages of a call that SQS took only in part.
const MAX_ATTEMPTS: usize = 3;

impl Queue for SqsQueue {
    fn send_batch<'a>(&'a self, messages: &'a [QueueMessage]) -> BoxFuture<'a, Result<(), Error>> {
        async move {
            for call in calls(messages) {
                send_call(self, call).await?;
            }
            Ok(())
        }
        .boxed()
    }

    fn give_back<'a>(&'a self, messages: &'a [GivenBack]) -> BoxFuture<'a, Result<(), Error>> {
        give_all_back(self, messages).boxed()
    }
}

async fn give_all_back(queue: &SqsQueue, messages: &[GivenBack]) -> Result<(), Error> {
    let messages: Vec<_> = messages.iter().map(|message| (message.receipt_handle.as_str(), message.after)).collect();
    let refusals = queue.change_visibility(&messages).await.map_err(|error| failed_call(error, code_of))?;
    match refusals.into_iter().flatten().next() {
        Some(refusal) => Err(Error::Unavailable(format!("SQS took no message back: {}", refusal.code).into())),
        None => Ok(()),
    }
}

/// Sends the messages of one call, and those again that SQS did not take.
async fn send_call(queue: &SqsQueue, messages: &[QueueMessage]) -> Result<(), Error> {
    let mut waiting: Vec<&QueueMessage> = messages.iter().collect();
    for _ in 0..MAX_ATTEMPTS {
        let refusals = queue.send_call(&waiting).await.map_err(|error| failed_call(error, code_of))?;
        if let Some(wrong) = refusals.iter().flatten().find(|refusal| refusal.is_final) {
            return Err(Error::internal(format!("SQS refused a message: {}", wrong.code)));
        }
        waiting = waiting.into_iter().zip(refusals).filter_map(|(message, refusal)| refusal.map(|_| message)).collect();
        if waiting.is_empty() {
            return Ok(());
        }
    }
    Err(Error::Unavailable("SQS did not take all messages of a batch".into()))
}
