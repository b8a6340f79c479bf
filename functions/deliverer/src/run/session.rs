//! One claim of a webhook: what is in flight, and what is to be written.

use std::collections::{HashMap, VecDeque};

use futures::future::{BoxFuture, try_join_all};
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use jiff::{SignedDuration, Timestamp};
use presence_domain::error::Error;
use presence_domain::feed::{FeedCursor, FeedEvent, FeedStart};
use presence_domain::webhook::progress::{DeliveryState, Progress, WebhookState};
use presence_domain::webhook::{Attempt, Webhook};
use presence_runtime::telemetry::{Metric, log_metric};

use super::{Deliverer, LAG, attempt_at};
use crate::message::{Answer, Message, Sender};
use crate::tables::Tables;

/// Number of events that are read from the feed at a time: a whole chunk costs as much as one event of it.
const PAGE: usize = 100;
/// Time after which outcomes are written, while others are in flight.
const WRITE_INTERVAL: SignedDuration = SignedDuration::from_millis(100);
/// Number of outcomes that are written before that.
const MAX_UNWRITTEN: usize = 50;
/// Number of unwanted events after which the cursor alone is written, so that they are not read again.
const UNWANTED: u64 = 100;
/// Number of pages without a wanted event after which it is written at the latest: an invocation ends before a long feed does.
const MAX_UNWANTED_PAGES: usize = 20;

/// Event that was sent, with the start of the attempt and the answer.
type Sent = (u64, Timestamp, Answer);

pub(super) struct Session<'a, T, S> {
    deliverer: &'a Deliverer<T, S>,
    /// Number that this claim has, and no other one.
    claim: u64,
    /// Webhook as it is stored.
    stored: Webhook,
    progress: Progress,
    /// Events that follow the cursor.
    window: VecDeque<FeedEvent>,
    /// True if the feed may have more after them.
    may_have_more: bool,
    /// Pages that were read since a wanted event was found or the cursor was written.
    unwanted_pages: usize,
    /// Events that were taken, and are in flight or wait.
    events: HashMap<u64, FeedEvent>,
    /// Attempts that the log does not have yet.
    unwritten: Vec<Attempt>,
    written_at: Timestamp,
    /// True if an event was given up since. The next one about its object follows only when that is stored.
    gave_up: bool,
    /// Instant at which to look again at a feed whose end is not visible yet.
    lagging_until: Option<Timestamp>,
}

impl<'a, T: Tables, S: Sender> Session<'a, T, S> {
    pub(super) fn new(deliverer: &'a Deliverer<T, S>, stored: Webhook) -> Self {
        Self {
            deliverer,
            claim: fastrand::u64(..),
            progress: stored.progress.clone(),
            stored,
            window: VecDeque::new(),
            may_have_more: true,
            unwanted_pages: 0,
            events: HashMap::new(),
            unwritten: Vec::new(),
            written_at: deliverer.clock.now(),
            gave_up: false,
            lagging_until: None,
        }
    }

    /// True if something is to be sent. Passes the events that the webhook does not want.
    pub(super) async fn has_work(&mut self, now: Timestamp) -> Result<bool, Error> {
        if self.progress.due_at().is_some_and(|due_at| due_at <= now) {
            return Ok(true);
        }
        Ok(self.progress.has_room() && self.find_wanted(now).await?)
    }

    /// True if the feed has more, and the cursor is to be written before it is read.
    pub(super) fn is_behind(&self) -> bool {
        self.may_have_more && self.unwanted_pages >= MAX_UNWANTED_PAGES
    }

    /// Ends a look at which nothing was sent. Returns the instant of the next one.
    pub(super) async fn leave(mut self, now: Timestamp) -> Result<Option<Timestamp>, Error> {
        // A restored feed ends before the cursor. What it gets from then on must not count as passed.
        let passed = self.progress.cursor.checked_sub(self.stored.progress.cursor);
        if passed.is_none_or(|passed| passed >= UNWANTED) {
            self.write(|progress, _| progress).await?;
        }
        let due_at = self.progress.due_at().into_iter().chain(self.lagging_until).min();
        Ok(due_at.map(|due_at| due_at.max(now)))
    }

    /// Sends what is due, and what the feed has, until there is neither of it nor time. Ends early if another writer
    /// changed the webhook: its next reader goes on from there.
    pub(super) async fn deliver(&mut self, has_time: &(dyn Fn() -> bool + Sync)) -> Result<(), Error> {
        let mut in_flight: FuturesUnordered<BoxFuture<'a, Sent>> = FuturesUnordered::new();
        loop {
            while has_time()
                && let Some(number) = self.start_next().await?
            {
                in_flight.push(self.send(number));
            }
            let Some(sent) = in_flight.next().await else { break };
            self.record(sent);
            while let Some(Some(sent)) = in_flight.next().now_or_never() {
                self.record(sent);
            }
            if self.must_write() && !self.claim().await? {
                return Ok(());
            }
        }
        let is_to_go_on = self.is_behind() || !has_time();
        let resume_at = if is_to_go_on { Some(self.deliverer.clock.now()) } else { self.lagging_until };
        self.write(|progress, _| progress.released(resume_at)).await?;
        Ok(())
    }

    /// Claims the webhook, or renews the claim. False if another writer changed the webhook.
    pub(super) async fn claim(&mut self) -> Result<bool, Error> {
        let by = self.claim;
        self.write(|progress, now| progress.claimed(by, now)).await
    }

    /// Writes the log of attempts, then the progress. False if another writer changed the webhook.
    pub(super) async fn write(&mut self, change: impl FnOnce(Progress, Timestamp) -> Progress) -> Result<bool, Error> {
        let (tables, id) = (&self.deliverer.tables, self.stored.id);
        try_join_all(self.unwritten.iter().map(|attempt| tables.record_attempt(id, attempt))).await?;
        self.unwritten.clear();
        let now = self.deliverer.clock.now();
        self.progress = change(self.progress.clone(), now);
        let version = self.stored.version + 1;
        let after = Webhook { progress: self.progress.clone(), version, ..self.stored.clone() };
        if !tables.write(&self.stored, &after, now).await? && !self.is_stored(&after).await? {
            return Ok(false);
        }
        if after.progress.state() == WebhookState::Disabled && self.stored.progress.state() != WebhookState::Disabled {
            tracing::warn!(webhook = %id, "a webhook was disabled");
            log_metric(Metric::WebhooksDisabled, 1.0);
        }
        (self.stored, self.written_at, self.gave_up, self.unwanted_pages) = (after, now, false, 0);
        Ok(true)
    }

    /// True if the webhook is stored like this: the reply to the write was lost.
    async fn is_stored(&self, after: &Webhook) -> Result<bool, Error> {
        let stored = self.deliverer.tables.webhook(after.id).await?;
        Ok(stored.is_some_and(|stored| stored.version == after.version && stored.progress == after.progress))
    }

    fn must_write(&self) -> bool {
        self.deliverer.clock.now().duration_since(self.written_at) >= WRITE_INTERVAL
            || self.unwritten.len() >= MAX_UNWRITTEN
            || self.progress.state() == WebhookState::Disabled
            || self.gave_up
    }

    /// Starts an attempt, and returns the number of its event; `None` if nothing can be sent now.
    async fn start_next(&mut self) -> Result<Option<u64>, Error> {
        loop {
            let now = self.deliverer.clock.now();
            if let Some(number) = self.progress.start_next(now) {
                if self.events.contains_key(&number) || self.read_parked(number, now).await? {
                    return Ok(Some(number));
                }
                self.give_up_expired(number, now).await?;
            } else if self.progress.has_room() && self.progress.can_start() && self.find_wanted(now).await? {
                let Some(event) = self.window.pop_front() else { continue };
                self.progress.take(event.number, Some(&event.object()), now);
                self.events.insert(event.number, event);
            } else {
                return Ok(None);
            }
        }
    }

    /// Gives up an event that the feed no longer has. The log says so, if it has an attempt at the event.
    async fn give_up_expired(&mut self, number: u64, now: Timestamp) -> Result<(), Error> {
        tracing::warn!(webhook = %self.stored.id, number, "an event is no longer kept, and was given up");
        if let Some(last) = self.deliverer.tables.last_attempt(self.stored.id, number, now).await? {
            let error = Some("the event is no longer kept".to_owned());
            let state = DeliveryState::GivenUp;
            self.unwritten.push(Attempt { at: now, status: None, milliseconds: 0, error, state, ..last });
        }
        self.progress.remove(number);
        Ok(())
    }

    /// Moves the cursor to the next event that the webhook wants. True if the window begins with one.
    async fn find_wanted(&mut self, now: Timestamp) -> Result<bool, Error> {
        loop {
            while let Some(event) = self.window.front() {
                if self.stored.types.admits(event.kind) {
                    self.unwanted_pages = 0;
                    return Ok(true);
                }
                self.progress.take(event.number, None, now);
                self.window.pop_front();
            }
            if !self.may_have_more || self.is_behind() {
                return Ok(false);
            }
            self.read_window(now).await?;
            self.unwanted_pages += 1;
        }
    }

    /// Reads the events that follow the cursor.
    async fn read_window(&mut self, now: Timestamp) -> Result<(), Error> {
        let org_id = self.stored.id.org_id();
        let start = FeedStart::After(self.progress.cursor);
        match self.deliverer.tables.events(org_id, start, PAGE, now).await {
            Ok(page) => {
                // The end of a feed may not be visible yet. What was read first follows.
                self.may_have_more = page.has_more && !page.events.is_empty();
                self.lagging_until = (page.has_more && page.events.is_empty()).then(|| now + LAG);
                self.window.extend(page.events);
            }
            Err(Error::Gone { oldest }) => self.jump(&oldest, now).await?,
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Moves the cursor to the oldest event that is kept. A feed that was restored may end before the cursor: then to its end.
    async fn jump(&mut self, oldest: &str, now: Timestamp) -> Result<(), Error> {
        let cursor = self.progress.cursor;
        let oldest = FeedCursor::parse(oldest).map_or(0, |oldest| oldest.number);
        let number = if oldest > cursor {
            oldest
        } else {
            self.deliverer.tables.events(self.stored.id.org_id(), FeedStart::Now, PAGE, now).await?.last
        };
        tracing::warn!(webhook = %self.stored.id, cursor, number, "events of the feed are no longer kept");
        self.progress.cursor = number;
        Ok(())
    }

    /// Reads an event that an earlier run took. False if it is no longer kept.
    async fn read_parked(&mut self, number: u64, now: Timestamp) -> Result<bool, Error> {
        let start = FeedStart::After(number - 1);
        match self.deliverer.tables.events(self.stored.id.org_id(), start, 1, now).await {
            Ok(page) => {
                let event = page.events.into_iter().find(|event| event.number == number);
                // The feed has it, since it was taken: only this read does not see it yet.
                let event = event.ok_or_else(|| Error::Unavailable("an event is not visible yet".into()))?;
                self.events.insert(number, event);
                Ok(true)
            }
            Err(Error::Gone { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn send(&self, number: u64) -> BoxFuture<'a, Sent> {
        let at = self.deliverer.clock.now();
        let message = Message::of_event(&self.stored, &self.events[&number], at);
        let sender = &self.deliverer.sender;
        async move { (number, at, sender.send(&message).await) }.boxed()
    }

    fn record(&mut self, (number, at, answer): Sent) {
        let state = self.progress.record(number, answer.outcome(), self.deliverer.clock.now());
        self.unwritten.push(attempt_at(&self.events[&number], at, &answer, state));
        self.gave_up |= state == DeliveryState::GivenUp;
        if state != DeliveryState::Waiting {
            self.events.remove(&number);
        }
    }
}
