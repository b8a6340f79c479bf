//! Run of a deliverer at one webhook. A run may end at any point: what it does not record is sent again.
//!
//! 1. The webhook is read, and the feed after its cursor. Without anything to send, that is all.
//! 2. The claim is written. The stored progress has every event that was taken and is not done.
//! 3. Up to 16 events of different objects are in flight. Each outcome makes room for the next event. The log of attempts and the
//!    progress are written a few times a second.
//! 4. The claim is released, and the feed is looked at once more: a message that came meanwhile met the claim, and was dropped.

mod session;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use presence_domain::error::Error;
use presence_domain::feed::FeedEvent;
use presence_domain::webhook::progress::{DeliveryState, Outcome};
use presence_domain::webhook::{Attempt, Webhook, WebhookId};
use presence_runtime::clock::Clock;

use self::session::Session;
use crate::message::{Answer, Message, Sender};
use crate::tables::Tables;

/// Pause before the feed is read again if its end is not visible yet.
const LAG: SignedDuration = SignedDuration::from_secs(1);

/// Deliverer.
#[derive(Clone)]
pub struct Deliverer<T, S> {
    /// Webhooks and feeds.
    pub tables: T,
    /// Way to the receivers.
    pub sender: Arc<S>,
    /// Clock.
    pub clock: Arc<dyn Clock>,
}

/// End of one look at a webhook.
enum Round {
    /// Nothing is to be sent before this instant, without a new event.
    Idle(Option<Timestamp>),
    /// Something was sent, or events that the webhook does not want were passed.
    Passed,
}

impl<T: Tables, S: Sender> Deliverer<T, S> {
    /// Sends what is due to a webhook, as long as there is time. Returns the instant at which it should be looked at again, if that does
    /// not depend on new events.
    pub async fn run(&self, id: WebhookId, has_time: &(dyn Fn() -> bool + Sync)) -> Result<Option<Timestamp>, Error> {
        loop {
            match self.round(id, has_time).await? {
                Round::Idle(due_at) => return Ok(due_at),
                Round::Passed if !has_time() => return Ok(Some(self.clock.now())),
                Round::Passed => {}
            }
        }
    }

    async fn round(&self, id: WebhookId, has_time: &(dyn Fn() -> bool + Sync)) -> Result<Round, Error> {
        let Some(webhook) = self.tables.webhook(id).await? else { return Ok(Round::Idle(None)) };
        let now = self.clock.now();
        if !webhook.progress.is_free(now) {
            // Who holds the claim looks at the feed once more. If it died, the schedule finds the webhook.
            return Ok(Round::Idle(None));
        }
        let mut session = Session::new(self, webhook);
        if !session.has_work(now).await? {
            let is_behind = session.is_behind();
            let due_at = session.leave(now).await?;
            return Ok(if is_behind { Round::Passed } else { Round::Idle(due_at) });
        }
        if !session.claim().await? {
            return Ok(Round::Idle(Some(now + LAG)));
        }
        session.deliver(has_time).await?;
        Ok(Round::Passed)
    }
}

impl<T, S> std::fmt::Debug for Deliverer<T, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deliverer").finish_non_exhaustive()
    }
}

/// Sends a message once, outside the order, and returns the attempt. It is not in the log.
pub async fn send_once(
    sender: &impl Sender,
    webhook: &Webhook,
    event_id: &str,
    kind: &str,
    body: Vec<u8>,
    at: Timestamp,
) -> Attempt {
    let answer = sender.send(&Message::new(webhook, event_id, body, at)).await;
    let is_delivered = answer.outcome() == Outcome::Delivered;
    let state = if is_delivered { DeliveryState::Delivered } else { DeliveryState::GivenUp };
    attempt(0, event_id, kind, at, &answer, state)
}

/// Returns the attempt at an event, for the log.
fn attempt_at(event: &FeedEvent, at: Timestamp, answer: &Answer, state: DeliveryState) -> Attempt {
    attempt(event.number, &event.id, event.kind.as_str(), at, answer, state)
}

fn attempt(number: u64, event_id: &str, kind: &str, at: Timestamp, answer: &Answer, state: DeliveryState) -> Attempt {
    Attempt {
        number,
        event_id: event_id.to_owned(),
        kind: kind.to_owned(),
        at,
        status: answer.status,
        milliseconds: answer.milliseconds,
        error: answer.reason(),
        state,
    }
}

#[cfg(test)]
mod fleet;
#[cfg(test)]
mod simulation;
