//! Reader of the feed of events.

use std::time::Duration;

use async_stream::try_stream;
use futures::Stream;

use crate::Error;
use crate::types::{Event, EventPage};

/// Number of events in a request: the most that the service gives.
pub(crate) const LIMIT: i64 = 100;

/// Some events, oldest first, and the cursor to keep once they are dealt with. Without events, the cursor alone moved.
#[derive(Clone, Debug)]
pub struct EventBatch {
    /// Events of the feed, each once and in its order.
    pub events: Vec<Event>,
    /// Cursor after them.
    pub cursor: String,
}

/// Bounds of a reader of the feed.
#[derive(Clone, Copy, Debug)]
pub struct EventOptions {
    /// Pause at the end of the feed. Default 2 s.
    pub pause: Duration,
    /// False to stop at the end of the feed. Default true.
    pub follow: bool,
}

impl Default for EventOptions {
    fn default() -> Self {
        Self { pause: Duration::from_secs(2), follow: true }
    }
}

/// Yields the events after the cursor, each once and in the order of the feed, and those that come.
pub(crate) fn follow(
    list: impl AsyncFn(Option<String>) -> Result<EventPage, Error>,
    after: Option<String>,
    options: EventOptions,
) -> impl Stream<Item = Result<EventBatch, Error>> {
    try_stream! {
        let mut cursor = after;
        loop {
            let EventPage { events, next, has_more } = list(cursor.clone()).await?;
            let is_moved = cursor.as_ref() != Some(&next);
            cursor = Some(next.clone());
            if is_moved {
                yield EventBatch { events, cursor: next };
            }
            if !has_more && !options.follow {
                break;
            }
            // An event that was just written may not be visible yet, although the end of the feed is behind it.
            if !has_more || !is_moved {
                tokio::time::sleep(options.pause).await;
            }
        }
    }
}
