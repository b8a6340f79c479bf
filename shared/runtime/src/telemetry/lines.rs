//! Lines that are written whole: JSON objects of requests and of metrics.
//!
//! Such a line is an event of `tracing` with the whole text in its one field. The subscriber writes that text as it is.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::Serialize;
use tracing::Event;
use tracing::field::{Field, Visit};

use crate::clock::{Clock as _, SystemClock};

/// Target of the lines of requests.
pub const REQUEST_TARGET: &str = "presence_runtime::request";
/// Target of the lines of metrics.
pub const METRIC_TARGET: &str = "presence_runtime::metric";

/// Fields with which every line begins.
#[derive(Serialize)]
pub(super) struct Head {
    timestamp: String,
    /// Milliseconds since 1970.
    #[serde(skip)]
    pub(super) milliseconds: i64,
    level: &'static str,
    message: &'static str,
}

impl Head {
    /// Returns the fields of a line that is written now.
    pub(super) fn now(message: &'static str) -> Self {
        let now = SystemClock.now();
        Self { timestamp: microsecond(now), milliseconds: now.as_millisecond(), level: "INFO", message }
    }
}

/// Returns the text of an instant, to the microsecond.
pub(super) fn microsecond(instant: Timestamp) -> String {
    Timestamp::from_microsecond(instant.as_microsecond()).unwrap_or(instant).to_string()
}

/// Returns the text of a line, with its end.
pub(super) fn text(line: &impl Serialize) -> Cow<'static, str> {
    // Names are texts and values are plain, so that nothing fails.
    serde_json::to_string(line)
        .map_or(Cow::Borrowed("{\"level\":\"ERROR\",\"message\":\"a line cannot be written\"}\n"), |text| {
            Cow::Owned(text + "\n")
        })
}

/// Returns the text of an event that is a whole line; `None` if it is none.
pub fn whole_line(event: &Event<'_>) -> Option<String> {
    if ![REQUEST_TARGET, METRIC_TARGET].contains(&event.metadata().target()) {
        return None;
    }
    let mut line = WholeLine(String::new());
    event.record(&mut line);
    Some(line.0)
}

/// Visitor that takes the text of the one field.
struct WholeLine(String);

impl Visit for WholeLine {
    fn record_str(&mut self, _: &Field, text: &str) {
        text.clone_into(&mut self.0);
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}
