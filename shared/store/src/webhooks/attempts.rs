//! Log of the attempts to deliver events: a row for each attempt, which expires.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::WebhookStore;
use crate::client::read::{Consistency, Order, Partition, text};
use crate::client::tables::ItemWrite;
use crate::format::{ATTEMPT, item_as, parse_as};
use crate::keys::{attempt_sk, attempts_below, attempts_pk};
use crate::schema::EVENTS;
use presence_domain::error::Error;
use presence_domain::webhook::{Attempt, Delivery, DeliveryState, WebhookId};

/// Items in one page of a query.
const PAGE: i32 = 200;

/// Item of an attempt.
#[derive(Serialize, Deserialize)]
struct AttemptItem {
    pk: String,
    sk: String,
    number: u64,
    event_id: String,
    kind: String,
    /// Milliseconds since 1970.
    at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    milliseconds: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    state: String,
    /// Seconds since 1970 after which `DynamoDB` deletes the item.
    ttl: i64,
}

impl WebhookStore {
    /// Writes an attempt into the log.
    pub async fn record_attempt(&self, id: WebhookId, attempt: &Attempt) -> Result<(), Error> {
        let Attempt { number, event_id, kind, at, status, milliseconds, error, state } = attempt.clone();
        let (pk, sk) = (attempts_pk(id), attempt_sk(number, at));
        let (ttl, at) = ((at + Attempt::LIFETIME).as_second(), at.as_millisecond());
        let state = state.as_str().to_owned();
        let item = AttemptItem { pk, sk, number, event_id, kind, at, status, milliseconds, error, state, ttl };
        self.db.write(ItemWrite::put(&EVENTS, item_as(ATTEMPT, &item)?, [])).await.map(drop)
    }

    /// Returns up to `limit` deliveries to a webhook of events with numbers below this one, newest first, and true if there are more.
    pub async fn deliveries(
        &self,
        id: WebhookId,
        below: Option<u64>,
        limit: usize,
        now: Timestamp,
    ) -> Result<(Vec<Delivery>, bool), Error> {
        let value = text(attempts_pk(id));
        let between = below.map(attempts_below);
        let partition = Partition { table: &EVENTS, index: None, value, between, page: PAGE, max_pages: 1 };
        let (mut deliveries, mut start): (Vec<Delivery>, _) = (Vec::new(), None);
        loop {
            let (items, next) =
                self.db.query_page_with(&partition, start, Consistency::Eventual, Order::Descending).await?;
            for item in items {
                let attempt = read(parse_as(ATTEMPT, item)?)?;
                if attempt.at + Attempt::LIFETIME <= now {
                    continue;
                }
                let is_same = |delivery: &Delivery| delivery.0[0].number == attempt.number;
                if deliveries.last().is_some_and(is_same) {
                    deliveries.last_mut().expect("a delivery").0.insert(0, attempt);
                } else if deliveries.len() == limit {
                    return Ok((deliveries, true));
                } else {
                    deliveries.push(Delivery(vec![attempt]));
                }
            }
            start = next;
            if start.is_none() {
                return Ok((deliveries, false));
            }
        }
    }
}

fn read(stored: AttemptItem) -> Result<Attempt, Error> {
    let AttemptItem { number, event_id, kind, at, status, milliseconds, error, state, .. } = stored;
    let state = DeliveryState::parse(&state).zip(Timestamp::from_millisecond(at).ok());
    let (state, at) = state.ok_or_else(|| Error::internal("a stored attempt breaks the rules of its fields"))?;
    Ok(Attempt { number, event_id, kind, at, status, milliseconds, error, state })
}
