//! Logs: JSON lines, one for each request and one for each measurement. They never hold a key, token, password, name or address.

mod background;
mod lines;
mod metrics;
mod request_log;

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt as _, Targets, filter_fn};
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry};

use crate::config::log_levels;
use presence_domain::error::Error;
use request_log::VERSION;

pub use background::{Invocation, log_background_error};
pub use lines::{METRIC_TARGET, REQUEST_TARGET, WholeLines};
pub use metrics::{Metric, log_metric};
pub use request_log::{
    Cost, REQUEST_DIMENSIONS, REQUEST_METRIC, RequestIds, RequestLog, format_requests, log_request, observe_requests,
};

/// Prefixes of targets of other crates that log the requests that pass through them.
const VERBOSE_TARGETS: [&str; 5] = ["aws_", "hyper", "h2", "rustls", "lambda_"];

/// Sends the logs of this process to a writer, as JSON lines. The level is that of `RUST_LOG`, or `info`. Later calls in the same
/// process have no effect.
pub fn init<W>(writer: W)
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let _ = subscriber(&log_levels(), writer).try_init();
}

/// Sends the logs of this process to a layer that writes lines of another form. The level is that of `RUST_LOG`, or `info`. Later calls
/// in the same process have no effect.
pub fn init_with(lines: impl Layer<Registry> + Send + Sync) {
    let _ = filtered(&log_levels(), lines).try_init();
}

/// Returns a subscriber that writes JSON lines at these levels, such as `info,presence=debug`. Invalid levels count as `info`.
/// Tests capture logs with it.
pub fn subscriber<W>(levels: &str, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    filtered(levels, json_lines(writer))
}

/// Returns a layer that writes JSON lines.
pub fn json_lines<W>(writer: W) -> impl Layer<Registry> + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let json = fmt::format().json().flatten_event(true).with_current_span(false).with_span_list(false);
    fmt::layer().fmt_fields(JsonFields::new()).event_format(WholeLines(json)).with_writer(writer)
}

fn filtered(levels: &str, lines: impl Layer<Registry> + Send + Sync) -> impl Subscriber + Send + Sync {
    let levels = levels.parse().ok().filter(|_| !levels.is_empty());
    let levels = levels.unwrap_or_else(|| Targets::new().with_default(Level::INFO));
    tracing_subscriber::registry().with(lines.with_filter(levels.and(filter_fn(is_harmless))))
}

/// True if a line cannot hold personal data. Lines of the SDK below warnings show requests, and with them e-mail addresses.
///
/// A directive in the levels would not be enough: a longer one, such as `aws_sdk_dynamodb=debug`, would win over it.
fn is_harmless(line: &Metadata<'_>) -> bool {
    *line.level() <= Level::WARN || !VERBOSE_TARGETS.iter().any(|target| line.target().starts_with(target))
}

/// Logs the causes of an error that an operator must know. Other errors belong to normal operation and are not logged.
pub fn log_error(request_id: &str, function_version: &str, operation: &str, error: &Error) {
    let version = VERSION;
    match error {
        Error::Internal(source) => {
            let causes = causes(source.as_ref());
            tracing::error!(request_id, operation, causes, version, function_version, "internal error");
        }
        Error::Unavailable(source) => {
            let causes = causes(source.as_ref());
            tracing::warn!(request_id, operation, causes, version, function_version, "unavailable");
        }
        _ => {}
    }
}

/// Returns the texts of an error and of its sources.
fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| error.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
