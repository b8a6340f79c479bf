//! Logs: JSON lines, one for each request and one for each measurement. They never hold a key, token, password, name or address.

use std::time::Duration;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{FilterExt as _, Targets, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::log_levels;
use presence_domain::error::Error;

/// Prefixes of targets of other crates that log the requests that pass through them.
const VERBOSE_TARGETS: [&str; 5] = ["aws_", "hyper", "h2", "rustls", "lambda_"];

/// Cost of a request in `DynamoDB`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Number of operations sent to DynamoDB. The SDK's retries of an operation do not count.
    pub calls: u32,
    /// Number of read request units.
    pub read_units: f64,
    /// Number of write request units.
    pub write_units: f64,
}

/// Content of a request's line in the log.
#[derive(Clone, Copy, Debug)]
pub struct RequestLog<'a> {
    /// Id of the request, which the answer has too.
    pub request_id: &'a str,
    /// Name of the route.
    pub operation: &'static str,
    /// Status code of the answer.
    pub status: u16,
    /// Time from the event to the answer.
    pub duration: Duration,
    /// Cost in DynamoDB.
    pub cost: Cost,
}

/// Metric. Each measurement is a line of the log, and a metric filter of the log group counts the lines. So a function makes no call
/// for its metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Number of mails that were given up.
    MailsFailed,
    /// Age of the mail that has been due for the longest time, in seconds. Measured at each sweep.
    OutboxAgeSeconds,
    /// Number of searches that found counts of reviews that do not add up.
    LedgerDrift,
    /// Number of changes in the longest log of reviews that the schedule could not fold.
    UnfoldedChanges,
}

impl Metric {
    /// All metrics.
    pub const ALL: [Self; 4] = [Self::MailsFailed, Self::OutboxAgeSeconds, Self::LedgerDrift, Self::UnfoldedChanges];

    /// Returns the name in the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MailsFailed => "mails_failed",
            Self::OutboxAgeSeconds => "outbox_age_seconds",
            Self::LedgerDrift => "ledger_drift",
            Self::UnfoldedChanges => "unfolded_changes",
        }
    }
}

/// Logs a measurement.
pub fn log_metric(metric: Metric, value: f64) {
    tracing::info!(metric = metric.name(), value, "metric");
}

/// Sends the logs of this process to a writer, as JSON lines. The level is that of `RUST_LOG`, or `info`. Later calls in the same
/// process have no effect.
pub fn init<W>(writer: W)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let _ = subscriber(&log_levels(), writer).try_init();
}

/// Returns a subscriber that writes JSON lines at these levels, such as `info,presence=debug`. Invalid levels count as `info`.
/// Tests capture logs with it.
pub fn subscriber<W>(levels: &str, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let levels = levels.parse().ok().filter(|_| !levels.is_empty());
    let levels = levels.unwrap_or_else(|| Targets::new().with_default(Level::INFO));
    let lines = tracing_subscriber::fmt::layer().json().flatten_event(true);
    let lines = lines.with_current_span(false).with_span_list(false).with_writer(writer);
    tracing_subscriber::registry().with(lines.with_filter(levels.and(filter_fn(is_harmless))))
}

/// True if a line cannot hold personal data. Lines of the SDK below warnings show requests, and with them e-mail addresses.
///
/// A directive in the levels would not be enough: a longer one, such as `aws_sdk_dynamodb=debug`, would win over it.
fn is_harmless(line: &Metadata<'_>) -> bool {
    *line.level() <= Level::WARN || !VERBOSE_TARGETS.iter().any(|target| line.target().starts_with(target))
}

/// Logs a request.
pub fn log_request(request: &RequestLog<'_>) {
    let Cost { calls, read_units, write_units } = request.cost;
    tracing::info!(
        request_id = request.request_id,
        operation = request.operation,
        status = request.status,
        duration_ms = request.duration.as_secs_f64() * 1000.0,
        calls,
        read_units,
        write_units,
        "request"
    );
}

/// Logs the causes of an error that an operator must know. Other errors belong to normal operation and are not logged.
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

/// Returns the texts of an error and of its sources.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
