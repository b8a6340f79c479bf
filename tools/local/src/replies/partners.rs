//! Stand-in for the partners: takes each reply, and reports its outcome as a connector does.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::queue::{Received, ReplyQueue};

/// Times that the partners take.
const TIMES: Times = Times { usual: Duration::from_secs(2), late: Duration::from_mins(1) };
/// Number of messages in one receive.
const MESSAGES: usize = 10;
/// Longest wait for messages.
const WAIT: Duration = Duration::from_secs(20);
/// Reason of a rejection.
const REASON: &str = "the partner does not accept this text";

/// Background task of the stand-in. Dropping it stops it.
#[derive(Debug)]
pub(crate) struct Partners {
    _task: JoinSet<()>,
}

/// Times from a message to its outcome.
#[derive(Clone, Copy, Debug)]
struct Times {
    usual: Duration,
    late: Duration,
}

/// Reporter of outcomes to the API.
#[derive(Clone, Debug)]
struct Reporter {
    client: reqwest::Client,
    base_url: String,
    key: String,
    times: Times,
}

/// Answer of the partners to a message, by the magic words in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartnerAnswer {
    Done,
    Rejected,
    Lost,
    Late,
}

impl Partners {
    /// Starts the stand-in. It reports to the API at this URL, with the key of a PROVIDER.
    pub(crate) fn start(queue: Arc<ReplyQueue>, base_url: String, key: String) -> Self {
        let reporter = Reporter { client: reqwest::Client::new(), base_url, key, times: TIMES };
        let mut task = JoinSet::new();
        task.spawn(serve(queue, reporter));
        Self { _task: task }
    }
}

async fn serve(queue: Arc<ReplyQueue>, reporter: Reporter) {
    // Dropped with the stand-in, which ends what it began.
    let mut under_way = JoinSet::new();
    loop {
        for received in queue.receive(MESSAGES, WAIT).await {
            under_way.spawn(serve_message(Arc::clone(&queue), reporter.clone(), received));
        }
        while under_way.try_join_next().is_some() {}
    }
}

/// Serves one message. A report that fails leaves it to the queue, which hands it out again.
async fn serve_message(queue: Arc<ReplyQueue>, reporter: Reporter, received: Received) {
    let message: Value = serde_json::from_str(&received.body).unwrap_or_default();
    let answer = PartnerAnswer::of(message["content"].as_str().unwrap_or_default());
    match answer {
        PartnerAnswer::Lost => queue.delete(&received.receipt),
        PartnerAnswer::Late => {
            // A newer reply may overtake it meanwhile.
            queue.delete(&received.receipt);
            tokio::time::sleep(reporter.times.late).await;
            reporter.report(&message, answer).await;
        }
        PartnerAnswer::Done | PartnerAnswer::Rejected => {
            tokio::time::sleep(reporter.times.usual).await;
            if reporter.report(&message, answer).await {
                queue.delete(&received.receipt);
            }
        }
    }
}

impl PartnerAnswer {
    fn of(content: &str) -> Self {
        let words = [("[reject]", Self::Rejected), ("[lose]", Self::Lost), ("[late]", Self::Late)];
        words.into_iter().find(|(word, _)| content.contains(word)).map_or(Self::Done, |(_, answer)| answer)
    }
}

impl Reporter {
    /// Reports the outcome of a message. Returns true unless it must be reported again.
    async fn report(&self, message: &Value, answer: PartnerAnswer) -> bool {
        let outcome = match (answer, message["action"].as_str()) {
            (PartnerAnswer::Rejected, _) => json!({ "outcome": "rejected", "reason": REASON }),
            (_, Some("remove")) => json!({ "outcome": "removed" }),
            _ => json!({ "outcome": "published" }),
        };
        let mut body = outcome;
        body["version"] = message["version"].clone();
        let id = message["review_id"].as_str().unwrap_or_default();
        let url = format!("{}/reviews/{id}/reply/outcome", self.base_url);
        let request = self.client.post(url).bearer_auth(&self.key).json(&body);
        match request.send().await.map(|response| response.status()) {
            // A review that is gone, or a message that does not fit any more.
            Ok(status) if status.is_success() || status == 400 || status == 404 => true,
            Ok(status) => {
                tracing::warn!(status = status.as_u16(), "the outcome of a reply was not taken");
                false
            }
            Err(error) => {
                tracing::warn!(%error, "the outcome of a reply could not be reported");
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use axum::{Json, Router};
    use presence_runtime::aws::QueueMessage;
    use tokio::net::TcpListener;
    use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

    use super::*;

    /// Starts an API that takes every outcome. Returns its URL, and the outcomes in the order of their arrival.
    async fn outcomes() -> (String, UnboundedReceiver<Value>) {
        let (sender, outcomes) = unbounded_channel();
        let take = async |sender: UnboundedSender<Value>, Json(outcome): Json<Value>| {
            sender.send(outcome).expect("a test that waits");
        };
        let api = Router::new().fallback(move |outcome| take(sender.clone(), outcome));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(axum::serve(listener, api).into_future());
        (url, outcomes)
    }

    fn publish(version: u64, content: &str) -> QueueMessage {
        let body = json!({ "action": "publish", "review_id": "a", "version": version, "content": content });
        QueueMessage {
            group_id: "a".to_owned(),
            deduplication_id: version.to_string(),
            body: body.to_string(),
            attributes: BTreeMap::new(),
        }
    }

    #[tokio::test]
    async fn a_newer_reply_overtakes_one_whose_outcome_is_late() {
        let (base_url, mut outcomes) = outcomes().await;
        let times = Times { usual: Duration::from_millis(1), late: Duration::from_secs(2) };
        let reporter = Reporter { client: reqwest::Client::new(), base_url, key: String::new(), times };
        let queue = Arc::new(ReplyQueue::default());
        queue.send(&[publish(1, "Soon [late]"), publish(2, "Thank you")]).expect("a queue that takes everything");
        let mut task = JoinSet::new();
        task.spawn(serve(Arc::clone(&queue), reporter));
        for version in [2, 1] {
            let outcome = outcomes.recv().await.expect("an outcome");
            assert_eq!(outcome, json!({ "outcome": "published", "version": version }));
        }
    }

    #[test]
    fn a_magic_word_anywhere_in_the_text_decides() {
        for (text, answer) in [
            ("Thank you!", PartnerAnswer::Done),
            ("", PartnerAnswer::Done),
            ("[reject]", PartnerAnswer::Rejected),
            ("Sorry. [lose]", PartnerAnswer::Lost),
            ("Soon [late] or never", PartnerAnswer::Late),
            ("reject", PartnerAnswer::Done),
        ] {
            assert_eq!(PartnerAnswer::of(text), answer, "{text}");
        }
    }
}
