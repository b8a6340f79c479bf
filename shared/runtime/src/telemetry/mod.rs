//! Logs: JSON lines, one for each request and one for each measurement. They never hold a key, token, password, name or address.

mod background;
mod lines;
mod metrics;
mod request_log;
mod subscriber;

use std::io::Write;

use tracing::{Metadata, Subscriber};

use self::request_log::VERSION;
use self::subscriber::JsonLines;
use crate::config::log_levels;
use presence_domain::error::Error;

pub use background::{Invocation, log_background_error};
pub use lines::{METRIC_TARGET, REQUEST_TARGET, whole_line};
pub use metrics::{Metric, log_metric};
pub use request_log::{
    Cost, REQUEST_DIMENSIONS, REQUEST_METRIC, RequestIds, RequestLog, format_requests, log_request, observe_requests,
};
pub use subscriber::Levels;

/// Sends the logs of this process to a writer, as JSON lines. The level is that of `RUST_LOG`, or `info`. Later calls in the same
/// process have no effect.
pub fn init<W: Write>(make_writer: impl Fn() -> W + Send + Sync + 'static) {
    init_with(|_| true, make_writer);
}

/// Sends the logs of this process to a writer like [`init`], without the events that the filter refuses.
pub fn init_with<W: Write>(filter: fn(&Metadata<'_>) -> bool, make_writer: impl Fn() -> W + Send + Sync + 'static) {
    let _ = tracing::subscriber::set_global_default(JsonLines { levels: levels(), filter, make_writer });
}

/// Returns the levels of `RUST_LOG`, or `info`.
pub fn levels() -> Levels {
    Levels::parse(&log_levels())
}

/// Returns a subscriber that writes JSON lines at these levels, such as `info,presence=debug`. Invalid levels count as `info`.
/// Tests capture logs with it.
pub fn subscriber<W: Write>(
    levels: &str,
    make_writer: impl Fn() -> W + Send + Sync + 'static,
) -> impl Subscriber + Send + Sync {
    JsonLines { levels: Levels::parse(levels), filter: |_| true, make_writer }
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
