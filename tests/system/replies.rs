//! Replies: the queue of their requests, a connector that reports their outcomes, and the judge of both.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::Method;
use presence_domain::audit::AuditAction;
use presence_domain::review::{ReplyStatus, Review};
use presence_publisher::{Bus, PutError, ReplyMessage};
use presence_runtime::batch_response::BatchResponse;
use serde_json::{Value, json};

use super::clients::Client;
use super::queue::Queue;
use super::simulation::Simulation;

/// Number of the connector among the clients: one with the key of a PROVIDER.
const CONNECTOR: usize = 4_000;
/// Longest time until a partner has an outcome, in milliseconds.
const LONGEST_TIME: u64 = 3_000;

/// Version, action and text of a request.
type ReplyRequest = (u64, String, Option<String>);

/// Requests of each review, in their order.
pub(crate) type ReplyRequests = BTreeMap<String, Vec<ReplyRequest>>;

/// Returns the request of a review that is on its way.
pub(crate) fn request_of(review: &Review) -> Option<ReplyRequest> {
    let reply = review.reply.as_ref().filter(|reply| matches!(reply.status, ReplyStatus::OnItsWay { .. }))?;
    Some((reply.version, reply.action.as_str().to_owned(), review.reply_comment.clone()))
}

/// Queue of the requests, as the function sees it.
pub(crate) struct ReplyQueue(pub(crate) Arc<Queue>);

impl Bus for ReplyQueue {
    type Entry = ReplyMessage;

    fn put<'a>(&'a self, entries: &'a [ReplyMessage]) -> BoxFuture<'a, Result<Vec<Option<String>>, PutError>> {
        let put = async move {
            let taken = entries.iter().map(|ReplyMessage(message)| self.0.take_or_refuse(message.clone()));
            let answer = self.0.call(|| taken.collect()).await;
            answer.map_err(|_| PutError("Timeout".to_owned()))
        };
        put.boxed()
    }
}

/// Carries requests out, and reports each outcome until it is known to be recorded.
pub(crate) async fn connect(simulation: Arc<Simulation>) {
    let queue = Arc::clone(&simulation.replies);
    let mut connector = Client::new(&simulation, CONNECTOR);
    loop {
        let event = queue.receive().await;
        for record in event["Records"].as_array().expect("records") {
            connector.report(record["body"].as_str().expect("a text")).await;
        }
        queue.record_outcome(&event, &BatchResponse::default());
    }
}

impl Client {
    /// Reports the outcome of a request.
    async fn report(&mut self, request: &str) {
        let request: Value = serde_json::from_str(request).expect("JSON");
        tokio::time::sleep(Duration::from_millis(self.rng.u64(..LONGEST_TIME))).await;
        let outcome = match request["action"].as_str() {
            _ if self.rng.u8(..5) == 0 => "rejected",
            Some("publish") => "published",
            _ => "removed",
        };
        let id = request["review_id"].as_str().expect("an id").to_owned();
        let body = json!({ "version": request["version"], "outcome": outcome });
        let path = format!("/reviews/{id}/reply/outcome");
        while self.simulation.history().findings.is_empty() {
            self.simulation.history().asks_for(&id, AuditAction::ReplyOutcome);
            let request = self.request(Method::POST, path.clone(), body.clone());
            match self.send(&request).await {
                Some((200, _)) => return,
                None | Some((409 | 500.., _)) => {
                    tokio::time::sleep(Duration::from_millis(self.rng.u64(..LONGEST_TIME))).await;
                }
                Some(answer) => {
                    return self.simulation.history().found(format!("{path} with {body} is answered with {answer:?}"));
                }
            }
        }
    }
}

/// Judges that each request was handed on, first so in order.
pub(crate) fn judge_handed_on(simulation: &Simulation) {
    let handed_on = first_of_each(simulation.replies.bodies());
    let mut history = simulation.history();
    let requested = history.requested.clone();
    for (id, requested) in requested {
        let handed_on = handed_on.get(&id).cloned().unwrap_or_default();
        if handed_on != requested {
            history.found(format!("{requested:?} were requested for {id}, and {handed_on:?} were handed on"));
        }
    }
}

/// Judges that no reply waits for an outcome.
pub(crate) async fn judge_end(simulation: &Simulation) {
    let waiting = simulation.truth().reviews.list_pending_replies().await.expect("an answer");
    for review in waiting {
        simulation.history().found(format!("a reply to {} waits: {:?}", review.id.as_str(), review.reply));
    }
}

/// Returns the requests in messages, without those that came before.
fn first_of_each(bodies: Vec<String>) -> ReplyRequests {
    let mut requests = ReplyRequests::new();
    for body in bodies {
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let text = |name: &str| body[name].as_str().map(str::to_owned);
        let of_review = requests.entry(text("review_id").expect("an id")).or_default();
        let request =
            (body["version"].as_u64().expect("a version"), text("action").expect("an action"), text("content"));
        if !of_review.contains(&request) {
            of_review.push(request);
        }
    }
    requests
}
