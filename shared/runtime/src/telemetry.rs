//! Logs: JSON lines, one for each request and one for each measurement. They never hold a key, token, password, name or address.

use std::time::Duration;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::{FilterExt as _, Targets, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::log_levels;
use presence_domain::access::Principal;
use presence_domain::api_key::ApiKeyId;
use presence_domain::error::Error;
use presence_domain::ids::OrgId;

/// Version of the service.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Prefixes of targets of other crates that log the requests that pass through them.
const VERBOSE_TARGETS: [&str; 5] = ["aws_", "hyper", "h2", "rustls", "lambda_"];

/// Cost of a request in `DynamoDB`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Number of operations sent to DynamoDB. The SDK's retries of an operation do not count.
    pub calls: u32,
    /// Number of round trips that the request waited for: calls at the same time share one.
    pub waves: u32,
    /// Number of read request units.
    pub read_units: f64,
    /// Number of write request units.
    pub write_units: f64,
}

/// Ids of a request. Each joins its line with the log of someone else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestIds {
    /// Id of the invocation, which the answer has too.
    pub request_id: String,
    /// Id that the gateway gave to the request, for its access log.
    pub gateway_request_id: Option<String>,
    /// Id that the client gave to the request.
    pub client_request_id: Option<String>,
    /// Id of the trace in X-Ray.
    pub trace_id: Option<String>,
}

/// Content of a request's line in the log.
#[derive(Clone, Copy, Debug)]
pub struct RequestLog<'a> {
    /// Ids of the request.
    pub ids: &'a RequestIds,
    /// Name of the route.
    pub operation: &'static str,
    /// Status code of the answer.
    pub status: u16,
    /// Kind of the error; `None` if there is none.
    pub error_kind: Option<&'static str>,
    /// Names of the bad fields. Names that the client chose are not among them.
    pub bad_fields: &'a [&'static str],
    /// Caller; `None` before a key gave access.
    pub caller: Option<Principal>,
    /// Id of the caller's key; `None` if no such key is stored.
    pub key_id: Option<ApiKeyId>,
    /// Time from the event to the answer.
    pub duration: Duration,
    /// Cost in DynamoDB.
    pub cost: Cost,
    /// True for the first request of a process.
    pub is_cold_start: bool,
    /// Version of the Lambda function.
    pub function_version: &'a str,
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
    let RequestIds { request_id, gateway_request_id, client_request_id, trace_id } = request.ids;
    let Cost { calls, waves, read_units, write_units } = request.cost;
    let bad_fields = (!request.bad_fields.is_empty()).then(|| request.bad_fields.join(","));
    tracing::info!(
        request_id,
        gateway_request_id,
        client_request_id,
        trace_id,
        operation = request.operation,
        status = request.status,
        error = request.error_kind,
        bad_fields,
        caller = request.caller.map(|caller| caller.user_id.to_string()),
        key_id = request.key_id.map(|id| id.to_string()),
        org_id = request.caller.and_then(|caller| caller.org_id).map(OrgId::get),
        role = request.caller.map(|caller| caller.role.as_str()),
        duration_ms = (request.duration.as_secs_f64() * 10_000.0).round() / 10.0,
        calls,
        waves,
        read_units,
        write_units,
        cold_start = request.is_cold_start,
        version = VERSION,
        function_version = request.function_version,
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
