//! Logs: JSON lines, one for each request. Never a key, token, password, name or address.

use std::time::Duration;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{FilterExt as _, Targets, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::log_levels;
use presence_domain::error::Error;

/// What the targets of other crates start with that show what passes through them.
const TALKATIVE: [&str; 5] = ["aws_", "hyper", "h2", "rustls", "lambda_"];

/// Calls and capacity units that a request spent in `DynamoDB`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Operations sent to DynamoDB; the SDK's own retries of one are not counted apart.
    pub calls: u32,
    /// Calls on the longest chain in which each had to wait for the one before it: what latency is proportional to.
    pub waves: u32,
    /// Read request units.
    pub read_units: f64,
    /// Write request units.
    pub write_units: f64,
}

/// What the log tells of a request.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The id that the answer carries too.
    pub request_id: &'a str,
    /// The route's name.
    pub operation: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// From event to answer.
    pub duration: Duration,
    /// What DynamoDB was asked.
    pub cost: Cost,
}

/// What is measured. A line of the log says each measurement; in operation a metric filter of the log group counts it, so
/// that a function calls nothing and waits for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// A mail was given up: 1 each.
    MailsFailed,
    /// For how long the mail that waits longest could have been sent, in seconds; at each sweep.
    OutboxAgeSeconds,
    /// A search found that the ledger does not add up: 1 each.
    LedgerDrift,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::MailsFailed, Self::OutboxAgeSeconds, Self::LedgerDrift];

    /// What the log calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MailsFailed => "mails_failed",
            Self::OutboxAgeSeconds => "outbox_age_seconds",
            Self::LedgerDrift => "ledger_drift",
        }
    }
}

/// Writes the line of a measurement.
pub fn measure(metric: Metric, value: f64) {
    tracing::info!(metric = metric.name(), value, "metric");
}

/// Sends the log as JSON lines to a writer, at the level that `RUST_LOG` names, else `info`. Later calls in the same
/// process change nothing.
pub fn init<W>(writer: W)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let _ = subscriber(&log_levels(), writer).try_init();
}

/// What [`init`] makes the process's own, at any levels, such as `info,presence=debug`: what tests listen with. Levels that are
/// none are `info`.
pub fn subscriber<W>(levels: &str, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let levels = levels.parse().ok().filter(|_| !levels.is_empty());
    let levels = levels.unwrap_or_else(|| Targets::new().with_default(Level::INFO));
    let lines = tracing_subscriber::fmt::layer().json().flatten_event(true);
    let lines = lines.with_current_span(false).with_span_list(false).with_writer(writer);
    tracing_subscriber::registry().with(lines.with_filter(levels.and(filter_fn(may_be_shown))))
}

/// The SDK's own lines show requests, and with them addresses: they stay off below warnings, whatever is asked for. A
/// directive of the filter would not do: a longer one, such as `aws_sdk_dynamodb=debug`, would win over it.
fn may_be_shown(line: &Metadata<'_>) -> bool {
    *line.level() <= Level::WARN || !TALKATIVE.iter().any(|target| line.target().starts_with(target))
}

/// Writes the line of a request.
pub fn log_request(report: &Report<'_>) {
    let Cost { calls, waves, read_units, write_units } = report.cost;
    tracing::info!(
        request_id = report.request_id,
        operation = report.operation,
        status = report.status,
        duration_ms = report.duration.as_secs_f64() * 1000.0,
        calls,
        waves,
        read_units,
        write_units,
        "request"
    );
}

/// Writes the causes of a failure that an operator must know of; others are answers, and not logged.
pub fn log_error(request_id: &str, operation: &str, error: &Error) {
    match error {
        Error::Internal(source) => {
            tracing::error!(request_id, operation, causes = causes(source.as_ref()), "internal error");
        }
        Error::Unavailable(source) => {
            tracing::warn!(request_id, operation, causes = causes(source.as_ref()), "unavailable");
        }
        _ => {}
    }
}

fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
