//! Changes that a page is told of, as server-sent events. The page then asks for what it lacks, so that an idle page costs nothing.

use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use aws_types::SdkConfig;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive};
use axum::response::{IntoResponse as _, Response, Sse};
use axum::routing::get;
use futures::stream::{FuturesUnordered, StreamExt as _, unfold};
use presence_store::Database;
use presence_store::schema::{EVENTS, REVIEWS, Table, USERS};
use tokio::sync::watch;

use crate::events::EventLog;
use crate::history::RequestHistory;
use crate::local_only::same_origin_only;
use crate::mail::Mailbox;
use crate::streams::TableStream;

/// Pause after a change. A page that shows the first of a thousand changes waits for the others.
const PAUSE: Duration = Duration::from_millis(200);
/// Interval at which a page looks at a table without a stream.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Parts of a stack whose changes pages are told of.
#[derive(Clone)]
pub(crate) struct Changes {
    /// Connection to `DynamoDB` without limits.
    pub(crate) config: SdkConfig,
    /// Names of the tables.
    pub(crate) database: Database,
    /// Sent mails.
    pub(crate) mailbox: Arc<Mailbox>,
    /// Events of the bus.
    pub(crate) events: Arc<EventLog>,
    /// Requests to the API.
    pub(crate) history: Arc<RequestHistory>,
    /// Id of this start of the stack: with another one, a page is loaded again.
    pub(crate) start_id: u64,
    /// Channel that closes when the stack stops.
    pub(crate) stopped: watch::Receiver<()>,
}

/// Sources of the changes of one subject.
struct Sources {
    logs: Vec<watch::Receiver<()>>,
    table: Option<Writes>,
}

/// Writes to a table.
enum Writes {
    Stream(TableStream),
    /// The table has no stream: it may have changed at each look.
    Unknown,
}

/// Builds the route of the changes.
pub(crate) fn router(changes: Changes) -> Router {
    same_origin_only(Router::new().route("/changes/{subject}", get(stream)).with_state(changes))
}

/// Streams an event for each change of a subject, the first one at once.
async fn stream(State(changes): State<Changes>, Path(subject): Path<String>) -> Response {
    let sources = match changes.sources(&subject).await {
        Ok(Some(sources)) => sources,
        Ok(None) => return StatusCode::NOT_FOUND.into_response(),
        Err(error) => return (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
    };
    let told = unfold((changes, sources, true), |(mut changes, mut sources, is_first)| async move {
        if !is_first {
            tokio::select! {
                () = sources.next() => {}
                // Otherwise the stop of the gateway would wait for this response.
                _ = changes.stopped.changed() => return None,
            }
        }
        let event = Event::default().data(changes.start_id.to_string());
        Some((Ok::<_, Infallible>(event), (changes, sources, false)))
    });
    Sse::new(told).keep_alive(KeepAlive::default()).into_response()
}

impl Changes {
    /// Returns the sources of a subject; `None` if there is no such subject.
    async fn sources(&self, subject: &str) -> anyhow::Result<Option<Sources>> {
        let (logs, table) = match subject {
            "home" => (vec![self.history.changes(), self.mailbox.changes(), self.events.changes()], None),
            // For a page that shows no changes: it is told of this start alone.
            "stack" => (Vec::new(), None),
            "requests" => (vec![self.history.changes()], None),
            "events" => (vec![self.events.changes()], None),
            "mailbox" => (vec![self.mailbox.changes()], Some(self.writes_to(&USERS).await?)),
            "webhooks" => (Vec::new(), Some(self.writes_to(&EVENTS).await?)),
            "reviews" => (Vec::new(), Some(self.writes_to(&REVIEWS).await?)),
            _ => return Ok(None),
        };
        Ok(Some(Sources { logs, table }))
    }

    async fn writes_to(&self, table: &Table) -> anyhow::Result<Writes> {
        let stream = TableStream::open(&self.config, &self.database.name(table)).await?;
        Ok(stream.map_or(Writes::Unknown, Writes::Stream))
    }
}

impl Sources {
    /// Waits for the next change.
    async fn next(&mut self) {
        let Self { logs, table } = self;
        let mut logged: FuturesUnordered<_> = logs.iter_mut().map(watch::Receiver::changed).collect();
        let written = async {
            match table {
                Some(Writes::Stream(stream)) => drop(stream.next_event().await),
                Some(Writes::Unknown) => tokio::time::sleep(LOOK_INTERVAL).await,
                None => pending().await,
            }
        };
        tokio::select! {
            // A log that is gone tells of nothing.
            Some(Ok(())) = logged.next() => {}
            () = written => {}
        }
        tokio::time::sleep(PAUSE).await;
    }
}
