//! Stand-in for the partners: takes each reply, and reports its outcome as a connector does.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::queue::{Received, ReplyQueue};

/// Time that the partners take.
const USUAL_TIME: Duration = Duration::from_secs(2);
/// Time after which a late outcome comes.
const LATE_TIME: Duration = Duration::from_mins(1);
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

/// Reporter of outcomes to the API.
#[derive(Clone, Debug)]
struct Reporter {
    client: reqwest::Client,
    base_url: String,
    key: String,
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
        let reporter = Reporter { client: reqwest::Client::new(), base_url, key };
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
            tokio::time::sleep(LATE_TIME).await;
            reporter.report(&message, answer).await;
        }
        PartnerAnswer::Done | PartnerAnswer::Rejected => {
            tokio::time::sleep(USUAL_TIME).await;
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
    use super::*;

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
